"""Candidates that only the words of the question propose: true similarities, behind the nearest, and nothing gets past the floor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.contracts.codes import AttemptName
from engine.contracts.conformance import CheckStatus
from engine.contracts.lookup import LookupResult
from engine.insight.conformance import check
from engine.insight.evaluation.evaluate import evaluate
from engine.knowledge_engine import KnowledgeEngine
from engine.lookup.retrieve import Candidate
from tests.documents import DOCUMENTS, SITUATIONS, Situation
from tests.insight.evaluation.golden import case
from tests.knowledge_base import THRESHOLDS, Bench, document, open_bench, open_engine

PADDING = "seals bolts gaskets flanges pipes nuts rings plates screws joints valves hoses filters springs cables wires"
FILES = {
    "a/near.md": document("# Rudder\n\nrudder\n", owner="sea"),
    "a/long.md": document(f"# Spares\n\nrudder {PADDING}\n", keywords=["periscope depth"], owner="sea"),
    "b/twice.md": document(f"# Stock\n\nrudder rudder bearing {PADDING} {PADDING.replace('s ', 'ings ')}\n", owner="dock"),
    "b/other.md": document("# Canteen\n\nSoup on Monday.\n", owner="dock"),
    "c/many.md": document(f"# Yard\n\nrudder bearing {PADDING} paint\n", category=["c", "b"]),
}
QUERY = "rudder bearing"
NARROW: dict[str, Any] = {"candidate_count": 1, "lexical_candidates": 20}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("candidates"), FILES)


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    with open_engine(tmp_path_factory.mktemp("ten"), DOCUMENTS, candidate_count=2, lexical_candidates=6) as engine:
        yield engine


def found(kb: Bench, query: str = QUERY, **changes: Any) -> tuple[Candidate, ...]:
    return kb.attempt(query, **changes).candidates


def sources(candidates: tuple[Candidate, ...]) -> list[str]:
    return [one.record.source for one in candidates]


def asked(engine: KnowledgeEngine, situation: Situation) -> LookupResult:
    return engine.with_settings(engine.settings.changed(situation.settings)).lookup_knowledge(situation.query, scope=situation.scope)


def test_by_default_words_propose_nothing(kb: Bench) -> None:
    assert kb.settings.lexical_candidates == 0
    result = kb.look_up(QUERY, candidate_count=1)
    assert result.canonical_json() == kb.look_up(QUERY, candidate_count=1, lexical_candidates=0).canonical_json()
    [attempt] = result.retrieval_trace.attempts
    assert (attempt.candidate_count, attempt.lexical_count) == (1, 0)


def test_what_the_nearest_miss_joins_behind_them_with_its_true_similarity(kb: Bench) -> None:
    true = {one.record.id: one.similarity for one in found(kb, candidate_count=100)}
    narrow = found(kb, **NARROW)
    assert (narrow[0].record.source, narrow[0].by_words) == ("a/near.md", False)
    assert sorted(sources(narrow[1:])) == ["a/long.md", "b/twice.md", "c/many.md"]
    assert all(one.by_words for one in narrow[1:])
    assert {one.record.id: one.similarity for one in narrow} == {one.record.id: true[one.record.id] for one in narrow}
    assert [one.base_rank for one in narrow] == [1, 2, 3, 4]
    assert [one.similarity for one in narrow] == sorted((one.similarity for one in narrow), reverse=True)
    assert 0 < narrow[-1].similarity < narrow[0].similarity


def test_the_setting_says_how_many_passages_the_words_may_propose_known_ones_included(kb: Bench) -> None:
    assert sources(found(kb, candidate_count=1, lexical_candidates=1)) == ["a/near.md", "c/many.md"]
    assert sources(found(kb, "rudder", candidate_count=1, lexical_candidates=1)) == ["a/near.md"]
    counts = [len(found(kb, candidate_count=1, lexical_candidates=count)) for count in range(6)]
    assert counts == sorted(counts)
    assert counts[-1] == 4


def test_no_candidate_comes_twice(kb: Bench) -> None:
    for count in (1, 2, 3, 4, 100):
        ids = [one.record.id for one in found(kb, candidate_count=count, lexical_candidates=20)]
        assert len(ids) == len(set(ids))
        assert len(ids) == max(min(count, 5), 4)


def test_where_the_nearest_are_everything_the_words_change_nothing(kb: Bench) -> None:
    assert found(kb, candidate_count=100, lexical_candidates=20) == found(kb, candidate_count=100)


def test_a_passage_below_the_floor_is_no_evidence_whatever_its_words(kb: Bench) -> None:
    by_words = {one.record.id: one.similarity for one in found(kb, **NARROW) if one.by_words}
    floor = max(by_words.values()) + 0.001
    words, names = ("lexical", "document_words", "phrase"), ("title", "hint", "category")
    heavy: dict[str, Any] = {f"rule_weights.{code}": 5 for code in words} | {f"rule_weights.{code}": 0 for code in names}
    bounds: dict[str, Any] = {"evidence_floor": floor, "reference_threshold": floor, "medium_threshold": 0.9, "high_threshold": 0.95}
    result = kb.look_up(QUERY, **NARROW, **heavy, **bounds)
    assert [block.source for block in result.evidence_blocks] == ["a/near.md"]
    assert {one.chunk_id: one.code for one in result.rerank_trace.dropped} == dict.fromkeys(by_words, "below_floor")
    assert result.rerank_trace.entries[0].chunk_id in by_words


def test_a_passage_at_the_floor_is_evidence_by_its_similarity(kb: Bench) -> None:
    floor = min(one.similarity for one in found(kb, **NARROW))
    result = kb.look_up(QUERY, **NARROW, evidence_floor=floor)
    assert {block.source for block in result.evidence_blocks} == {"a/near.md", "a/long.md", "b/twice.md", "c/many.md"}


def test_the_words_propose_only_what_the_scope_allows(kb: Bench) -> None:
    scopes = {
        ("owner=dock",): (["b/twice.md"], 0),
        ("owner=sea",): (["a/near.md", "a/long.md"], 1),
        ("source!=c/many.md", "source!=a/near.md"): (["b/twice.md", "a/long.md"], 1),
        ("source=b/other.md",): (["b/other.md"], 0),
    }
    for scope, expected in scopes.items():
        [attempt] = kb.look_up(QUERY, list(scope), use_l0_filter=False, **NARROW).retrieval_trace.attempts
        assert ([one.source for one in attempt.candidates], attempt.lexical_count) == expected


def test_the_places_of_the_words_are_not_used_up_outside_of_the_scope(kb: Bench) -> None:
    result = kb.look_up(QUERY, ["owner=sea"], candidate_count=1, lexical_candidates=2)
    assert [one.source for one in result.retrieval_trace.attempts[0].candidates] == ["a/near.md", "a/long.md"]


def test_the_words_propose_only_what_the_l0_filter_allows(kb: Bench) -> None:
    query = f"periscope depth {QUERY}"
    filtered = kb.attempt(query, AttemptName.FILTERED, **NARROW)
    assert filtered.category == "a"
    assert sorted(sources(filtered.candidates)) == ["a/long.md", "a/near.md"]
    assert sum(one.by_words for one in filtered.candidates) == 1


def test_an_l0_entry_proposes_nothing(kb: Bench) -> None:
    query = "periscope depth canteens"
    assert [hint.match.text for hint in kb.question(query).hints] == ["periscope depth"]
    assert sources(found(kb, query, **NARROW)) == ["b/other.md"]


def test_words_that_nothing_has_propose_nothing(kb: Bench) -> None:
    assert [one.by_words for one in found(kb, "zeppelin", **NARROW)] == [False]


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_every_promise_holds_and_the_count_of_proposals_is_right(ten: KnowledgeEngine, name: str) -> None:
    result = asked(ten, SITUATIONS[name])
    assert [one.code for one in check(result) if one.status is CheckStatus.FAIL] == []
    without = asked(ten.with_settings(ten.settings.changed({"lexical_candidates": 0})), SITUATIONS[name])
    nearest = {(one.name, one.query): one for one in without.retrieval_trace.attempts}
    for attempt in result.retrieval_trace.attempts:
        if alone := nearest.get((attempt.name, attempt.query)):
            first = attempt.candidates[: alone.candidate_count]
            assert [(one.chunk_id, one.similarity) for one in first] == [(one.chunk_id, one.similarity) for one in alone.candidates]
            assert attempt.lexical_count == attempt.candidate_count - alone.candidate_count


def test_the_situations_propose_something(ten: KnowledgeEngine) -> None:
    proposed = [one.lexical_count for situation in SITUATIONS.values() for one in asked(ten, situation).retrieval_trace.attempts]
    assert max(proposed) >= 3
    assert min(proposed) == 0


@pytest.mark.parametrize("name", ["filtered_finds_little", "scoped", "alias", "chinese"])
def test_equal_calls_give_equal_results(ten: KnowledgeEngine, name: str) -> None:
    first, second = (asked(ten, SITUATIONS[name]) for _ in range(2))
    assert first.canonical_json() == second.canonical_json()


def test_an_evaluation_sees_the_whole_ranking(kb: Bench) -> None:
    cases = [case(QUERY, "b/twice.md")]
    strict = dict.fromkeys(THRESHOLDS, 0.9)  # a passage that became evidence is in the trace, however short that is
    ranks: list[int | None] = []
    for changes in ({"candidate_count": 1}, {**NARROW, "trace_candidates": 1}, {**NARROW, "trace_candidates": 200}):
        [outcome] = evaluate(cases, kb.settings.changed({**strict, **changes}), kb.snapshot, kb.embedder).outcomes
        ranks.append(outcome.first_rank)
    rank = [one.candidate.record.source for one in kb.attempt(QUERY, **NARROW).ranked].index("b/twice.md") + 1
    assert ranks == [None, rank, rank]
    assert rank > 1
