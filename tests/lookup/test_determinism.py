"""Same snapshot, settings and query: same result, byte for byte."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engine.contracts.lookup import LookupResult
from engine.knowledge_engine import KnowledgeEngine
from tests.documents import DOCUMENTS, SITUATIONS, Situation
from tests.knowledge_base import hash_settings, open_engine, write_files

NAMES = ("filtered_finds_little", "tight_budget", "scoped")


def ask(engine: KnowledgeEngine, situation: Situation) -> str:
    view = engine.with_settings(engine.settings.changed(situation.settings))
    return view.lookup_knowledge(situation.query, scope=situation.scope).canonical_json()


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    """The same documents, written in another order into another folder, with another index."""
    sources = list(DOCUMENTS)
    random.Random(7).shuffle(sources)
    assert sources != list(DOCUMENTS)
    with open_engine(tmp_path_factory.mktemp("elsewhere"), {source: DOCUMENTS[source] for source in sources}) as engine:
        yield engine


@pytest.mark.parametrize("name", NAMES)
def test_two_runs_give_the_same_bytes(small: KnowledgeEngine, results: Mapping[str, LookupResult], name: str) -> None:
    assert ask(small, SITUATIONS[name]) == results[name].canonical_json()


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_files_and_the_place_of_the_folder_change_nothing(
    results: Mapping[str, LookupResult], shuffled: KnowledgeEngine, name: str
) -> None:
    assert ask(shuffled, SITUATIONS[name]) == results[name].canonical_json()


def test_an_engine_that_opens_the_snapshot_answers_as_the_one_that_built_it(small: KnowledgeEngine, results: Mapping[str, LookupResult]) -> None:
    with KnowledgeEngine.open(small.kb, settings=small.settings) as other:
        for name in NAMES:
            assert ask(other, SITUATIONS[name]) == results[name].canonical_json()


def test_a_rebuild_of_the_same_files_has_the_same_snapshot(tmp_path: Path, small: KnowledgeEngine) -> None:
    with open_engine(tmp_path, DOCUMENTS) as engine:
        before = engine.report()
        assert engine.sync() == before == small.report()


def test_the_timings_are_the_only_part_that_differs(small: KnowledgeEngine) -> None:
    first, second = (small.lookup_knowledge("free the root volume") for _ in range(2))
    assert first.retrieval_trace.spans != second.retrieval_trace.spans
    assert "spans" not in json.loads(first.canonical_json())["retrievalTrace"]
    assert first.canonical_json() == second.canonical_json()


def test_asking_something_else_in_between_changes_nothing(small: KnowledgeEngine, results: Mapping[str, LookupResult]) -> None:
    for name in ("chinese", "alias", "l1_disabled"):
        ask(small, SITUATIONS[name])
    assert ask(small, SITUATIONS["tight_budget"]) == results["tight_budget"].canonical_json()


def test_the_trace_id_tells_query_scope_settings_and_snapshot_apart(small: KnowledgeEngine, tmp_path: Path) -> None:
    query = "free the root volume"
    asked = [
        small.lookup_knowledge(query),
        small.lookup_knowledge(query + "?"),
        small.lookup_knowledge(query, scope=["category=runbooks"]),
        small.with_settings(small.settings.changed({"max_blocks": 1})).lookup_knowledge(query),
    ]
    with open_engine(tmp_path, {**DOCUMENTS, "new.md": "# New page\n\nText.\n"}) as larger:
        asked.append(larger.lookup_knowledge(query))
    assert len({result.trace_id for result in asked}) == 5
    assert small.lookup_knowledge(query).trace_id == asked[0].trace_id


def test_the_place_of_the_index_is_not_in_the_fingerprint(tmp_path: Path) -> None:
    kb = write_files(tmp_path / "kb", DOCUMENTS)
    results = []
    for index in ("one", "two"):
        with KnowledgeEngine.open(kb, settings=hash_settings(tmp_path / index)) as engine:
            results.append(engine.lookup_knowledge("free the root volume").canonical_json())
    assert results[0] == results[1]
