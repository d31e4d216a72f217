"""States of a knowledge base, one after another: additions, edits, deletions, renames, and all of these at once."""

from __future__ import annotations

from random import Random

from tests.knowledge_base import document

KINDS = ("add", "edit", "delete", "rename")
MIXED = "mixed"
QUESTIONS = ("How often does a pump need a new filter?", "filter of pump 7 in hall 3", "ledger of parcels")
_AT_ONCE = 2  # documents of one kind that change together


def page(number: int, edition: int = 0) -> str:
    """A document of two sections, which says in its text how often it was edited."""
    body = f"""# Pump {number}

## Filter

Pump {number} in hall {number % 5} needs a new filter every {number + 2} weeks, says edition {edition}.

## Valve

Close valve {number * 3} before pump {number} stops; edition {edition} gives it {number + edition} seconds.
"""
    return document(body, keywords=[f"pump {number}", "filter"], category=f"hall-{number % 5}")


def first_state(documents: int) -> dict[str, str]:
    """The files of the beginning, text by source."""
    return {f"hall-{i % 5}/pump-{i}.md": page(i) for i in range(documents)}


def next_state(files: dict[str, str], kind: str, version: int, random: Random) -> dict[str, str]:
    """The files after the next change."""
    after = dict(files)
    for one in KINDS if kind == MIXED else (kind,):
        for i, source in enumerate(random.sample(sorted(after), _AT_ONCE)):
            if one == "add":
                after[f"new/pump-{version}-{i}.md"] = page(1000 + _AT_ONCE * version + i)
            elif one == "edit":
                after[source] = page(version, version)
            elif one == "delete":
                del after[source]
            else:
                after[f"moved/{version}-{i}.md"] = after.pop(source)
    return after
