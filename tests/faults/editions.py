"""A knowledge base of which every text names its version, and answers in which one sees which version they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.contracts.lookup import LookupResult
from engine.digest import bytes_hash
from tests.knowledge_base import document

QUESTIONS = ("How often does a pump need a filter?", "What does the notice of the day say?", "Who reads the leap bulletin?")
DOCUMENTS = 24
_EDITION = re.compile(r"edition-(\d+)")


def files_of(version: int) -> dict[str, str]:
    """Every text, heading and keyword names the version; one document is renamed with it, and one comes and goes."""
    name = f"edition-{version}"
    files = {
        f"hall-{i % 3}/pump-{i}.md": document(f"# Pump {i} {name}\n\n## Filter\n\nPump {i} needs a filter, says {name}.\n", keywords=[f"pump {name}"])
        for i in range(DOCUMENTS)
    }
    files[f"notices/{name}.md"] = f"# Notice of the day\n\nThe notice of the day says {name}.\n"
    if version % 2:
        files["bulletins/leap.md"] = f"# Leap bulletin {name}\n\nThe porter reads the leap bulletin of {name}.\n"
    return files


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader got: the versions that it names anywhere, and the whole of it as a hash."""

    snapshot_id: str
    question: str
    versions: frozenset[int]
    hash: str


def answer(question: str, result: LookupResult) -> Answer:
    """A result in short."""
    text = result.canonical_json()
    return Answer(result.snapshot_id, question, frozenset(map(int, _EDITION.findall(text))), bytes_hash(text.encode()))
