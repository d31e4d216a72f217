"""Every result has one reason, a relevance and a statement on completeness."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from engine.contracts.codes import AttemptName, CompletenessLevel, ReasonCode, RelevanceLevel
from engine.contracts.lookup import LookupResult
from engine.errors import BadInput, BlankQuery
from engine.knowledge_engine import KnowledgeEngine
from engine.lookup.blocks import build_blocks
from engine.settings import Settings
from engine.trace import Recorder
from tests.documents import SITUATIONS
from tests.knowledge_base import THRESHOLDS, Bench, open_bench

Results = Mapping[str, LookupResult]

REASONS = {
    "filtered_is_enough": ReasonCode.FOUND,
    "empty_knowledge_base": ReasonCode.EMPTY_KNOWLEDGE_BASE,
    "no_searchable_text": ReasonCode.NO_SEARCHABLE_TEXT,
    "stop_words_only": ReasonCode.NO_SEARCHABLE_TEXT,
    "l1_disabled": ReasonCode.L1_DISABLED,
    "scope_leaves_nothing": ReasonCode.NO_CANDIDATES,
    "below_floor": ReasonCode.BELOW_FLOOR,
    "unreadable": ReasonCode.UNREADABLE_BY_EMBEDDER,
}
MESSAGES = {
    "filtered_is_enough": "Found 3 passages in 1 document; relevance is high.",
    "empty_knowledge_base": "No knowledge evidence was found: the knowledge base has no text; add Markdown files and sync.",
    "no_searchable_text": "No knowledge evidence was found: the question has no word to search for; name what you look for.",
    "l1_disabled": "No knowledge evidence was found: the vector search is switched off (use_l1), and L0 hints are never evidence.",
    "scope_leaves_nothing": "No knowledge evidence was found: the scope leaves nothing to search; widen it.",
    "below_floor": "No knowledge evidence was found: the nearest passage has similarity 0, and the floor is 0.2.",
    "unreadable": (
        "No knowledge evidence was found: the embedding model cannot read enough of the question or of what it found, "
        "so its similarities mean nothing; choose a model for this language."
    ),
}


@pytest.mark.parametrize("name", sorted(REASONS))
def test_a_result_says_why_it_is_what_it_is(results: Results, name: str) -> None:
    result = results[name]
    assert result.reason_code is REASONS[name]
    assert result.found == (REASONS[name] is ReasonCode.FOUND)


def test_all_seven_reasons_occur() -> None:
    assert set(REASONS.values()) == set(ReasonCode)
    assert len(ReasonCode) == 7


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_the_message_says_the_reason_and_the_next_step(results: Results, name: str) -> None:
    assert results[name].message == MESSAGES[name]


@pytest.mark.parametrize("query", ["", " ", "\n\t\u3000"])
def test_a_blank_question_is_an_error(small: KnowledgeEngine, query: str) -> None:
    with pytest.raises(BlankQuery, match="the question is blank; write what you want to know"):
        small.lookup_knowledge(query)


def test_a_question_that_is_no_unicode_is_an_error(small: KnowledgeEngine) -> None:
    with pytest.raises(BadInput, match="the question is not valid Unicode"):
        small.lookup_knowledge("disk \ud800")


def test_near_misses_are_counted_and_named_in_the_message(bench: Bench) -> None:
    result = bench.look_up("replay from a time stamp", evidence_floor=0.57, reference_threshold=0.6, medium_threshold=0.6)
    assert (result.found, result.retrieval_trace.near_misses) == (False, 1)
    assert result.message.endswith("the nearest passage has similarity 0.560112, and the floor is 0.57; 1 candidate just below.")


def test_a_result_without_evidence_still_lists_the_nearest_candidates_as_no_evidence(bench: Bench) -> None:
    result = bench.look_up("replay from a time stamp", evidence_floor=0.57, reference_threshold=0.6, medium_threshold=0.6)
    first = result.retrieval_trace.attempts[0].candidates[0]
    assert (first.source, first.similarity, first.evidence, first.code) == ("policies/kafka-offsets.md", 0.560112, False, "below_floor")


@pytest.mark.parametrize(
    ("medium", "high", "level"),
    [
        (0.560113, 0.7, RelevanceLevel.LOW),
        (0.560112, 0.7, RelevanceLevel.MEDIUM),
        (0.5, 0.560113, RelevanceLevel.MEDIUM),
        (0.5, 0.560112, RelevanceLevel.HIGH),
    ],
)
def test_relevance_follows_the_best_similarity_at_its_borders(bench: Bench, medium: float, high: float, level: RelevanceLevel) -> None:
    result = bench.look_up("replay from a time stamp", medium_threshold=medium, high_threshold=high)
    assert result.relevance_level is level


def test_codes_alone_are_of_low_relevance(results: Results) -> None:
    assert results["exact_code"].relevance_level is RelevanceLevel.LOW
    assert [reason.code for reason in results["exact_code"].evidence_blocks[0].hit_reasons][-1:] == ["exact_terms"]


def test_the_words_that_no_packed_text_has_are_missing(results: Results, bench: Bench) -> None:
    hint = results["filtered_finds_nothing"].completeness_hint
    assert (hint.level, hint.missing_terms) == (CompletenessLevel.PARTIAL, ("group",))
    assert results["filtered_is_enough"].completeness_hint.missing_terms == ()
    cut = bench.look_up("replay stamps and NET-9999").completeness_hint
    assert cut.missing_terms == ("NET-9999",)


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("replay stamps ERR_SSL_4711 and again ERR_SSL_4711", ("again", "ERR_SSL_4711")),
        ("replay stamps ERR_12 or ERR_1", ("ERR_12", "ERR_1")),
        ("replay stamps of payment-service", ("payment-service",)),
    ],
)
def test_a_missing_name_is_named_once_and_as_a_whole(bench: Bench, query: str, missing: tuple[str, ...]) -> None:
    assert sorted(bench.look_up(query, evidence_floor=0.01, reference_threshold=0.01).completeness_hint.missing_terms) == sorted(missing)


def test_missing_chinese_is_what_no_packed_pair_covers(tmp_path: Path) -> None:
    bench = open_bench(tmp_path, {"a.md": "# 集群\n\n集群 failover lamp.\n"}, evidence_floor=0.01, reference_threshold=0.01)
    assert bench.look_up("lamp failover 集群监控").completeness_hint.missing_terms == ("监控",)


def test_what_the_budget_took_makes_the_result_truncated(results: Results) -> None:
    assert results["budget_of_nothing"].completeness_hint.note == "The budget has no room for any block; raise budget_tokens."
    assert results["budget_of_nothing"].context_pack.text == ""
    assert results["budget_of_nothing"].found is True


FLOORS = [0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]


def floors_above(bench: Bench, floor: float, **changes: object) -> Settings:
    """The settings with another floor, and the thresholds above it at least as high."""
    rising = {name: max(floor, THRESHOLDS[name]) for name in ("reference_threshold", "medium_threshold", "high_threshold")}
    return bench.settings.changed({"evidence_floor": floor, **rising, **changes})


@pytest.mark.parametrize("name", ["filtered_is_enough", "filtered_finds_little", "exact_code", "tight_budget", "scoped", "chinese"])
def test_raising_the_floor_never_adds_evidence(bench: Bench, name: str) -> None:
    ranked = bench.attempt(SITUATIONS[name].query).ranked
    found: list[set[str]] = []
    for floor in FLOORS:
        settings = floors_above(bench, floor, max_blocks=50, max_blocks_per_document=50)
        blocks, _ = build_blocks(ranked, True, AttemptName.UNFILTERED, None, settings, bench.snapshot, Recorder())
        found.append({member.candidate.record.id for block in blocks for member in block.members})
    assert all(higher <= lower for lower, higher in pairwise(found))
    assert len(found[0]) > len(found[-1])


@pytest.mark.parametrize("name", ["filtered_finds_nothing", "filtered_finds_little", "retry_is_worse"])
def test_raising_the_floor_never_finds_what_a_lower_one_missed(bench: Bench, name: str) -> None:
    changes = [floors_above(bench, floor).model_dump(include={"evidence_floor", *THRESHOLDS}) for floor in (0.0, 0.2, 0.3, 0.6, 0.9)]
    found = [bench.look_up(SITUATIONS[name].query, **change).found for change in changes]
    assert found == sorted(found, reverse=True)
    assert (found[0], found[-1]) == (True, False)


def test_an_empty_folder_gives_a_result_and_no_error(tmp_path: Path) -> None:
    result = open_bench(tmp_path, {}).look_up("free the root volume")
    assert (result.found, result.reason_code, result.retrieval_trace.attempts) == (False, ReasonCode.EMPTY_KNOWLEDGE_BASE, ())


def test_a_whole_result_stays_at_about_forty_kilobytes(tmp_path: Path) -> None:
    section = "Rewind the offsets of the consumer group with a dry run, and read the printed table before the real run. " * 6
    files = {f"area{i % 5}/page{i}.md": f"# Offsets page {i}\n\n## Rewind\n\n{section} Number {i}.\n" for i in range(60)}
    result = open_bench(tmp_path, files).look_up("rewind the offsets of the consumer group")
    assert len(result.evidence_blocks) == 8
    assert len(result.canonical_json().encode()) < 42_000


def test_a_code_that_no_document_has_is_named_in_the_message(bench: Bench) -> None:
    assert bench.look_up("free the root volume ERR_NOPE_9999").message.endswith(" No document has the code ERR_NOPE_9999.")
