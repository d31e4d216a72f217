"""Every scenario of the specification, on the real stages with the hash embedder; each docstring is the scenario's title."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.contracts.codes import (
    AttemptName,
    CompletenessLevel,
    DropCode,
    EvidenceStatus,
    FilterCode,
    OmitReason,
    ReasonCode,
    RelevanceLevel,
    Verdict,
)
from engine.contracts.lookup import LookupResult
from engine.knowledge_engine import KnowledgeEngine
from engine.lookup.pack_format import parse
from engine.lookup.pipeline import Record
from tests.documents import DOCUMENTS, SITUATIONS
from tests.knowledge_base import open_engine

Results = Mapping[str, LookupResult]

RUNBOOK = "runbooks/disk-filling.md"
OFFSETS = "policies/kafka-offsets.md"


def names(result: LookupResult) -> list[str]:
    return [span.name for top in result.retrieval_trace.spans for _, span in top.walk()]


def sources(result: LookupResult) -> list[str]:
    return [block.source for block in result.evidence_blocks]


def test_pipeline_components_execute_in_order(results: Results) -> None:
    """Pipeline components execute in order"""
    attempt = ["retrieve", "embed", "search", "rerank", "blocks"]
    assert names(results["filtered_finds_nothing"]) == [
        *("lookup_knowledge", "transform"),
        *("attempt filtered", *attempt),
        *("attempt unfiltered", *attempt),
        *("pack", "assemble", "record"),
    ]
    assert names(results["filtered_is_enough"]) == ["lookup_knowledge", "transform", "attempt filtered", *attempt, "pack", "assemble", "record"]
    assert names(results["no_searchable_text"]) == ["lookup_knowledge", "transform", "pack", "assemble", "record"]


def test_trace_is_recorded_after_assembly_for_every_sink(tmp_path: Path) -> None:
    """Pipeline components execute in order"""
    seen: list[Record] = []
    with open_engine(tmp_path, DOCUMENTS) as opened:
        engine = KnowledgeEngine.open(opened.kb, settings=opened.settings, sinks=(seen.append,))
        result = engine.lookup_knowledge("free the root volume")
        engine.close()
    assert [(one.query, one.error) for one in seen] == [("free the root volume", None)]
    assert seen[0].result == result
    assert seen[0].spans == result.retrieval_trace.spans


def test_tool_boundary_remains_explicit(tmp_path: Path) -> None:
    """Tool boundary remains explicit"""
    parameters = inspect.signature(KnowledgeEngine.lookup_knowledge).parameters
    assert list(parameters) == ["self", "query", "scope"]
    assert parameters["query"].default is inspect.Parameter.empty
    assert parameters["scope"].default is None
    seen: list[Record] = []
    with open_engine(tmp_path, DOCUMENTS) as opened:
        engine = KnowledgeEngine.open(opened.kb, settings=opened.settings, sinks=(seen.append,))
        engine.with_settings(engine.settings.changed({"max_blocks": 3}))
        for ask in (engine.report, engine.freshness, engine.scope_fields, engine.cases, engine.sync):
            ask()
        assert seen == []
        engine.lookup_knowledge("  Free the ROOT volume ")
        engine.close()
    assert [one.query for one in seen] == ["  Free the ROOT volume "]


def test_filtered_retrieval_succeeds_without_a_retry(results: Results) -> None:
    """Filtered retrieval succeeds"""
    result = results["filtered_is_enough"]
    trace = result.retrieval_trace
    assert (trace.filter_decision.code, trace.filter_decision.category) == (FilterCode.APPLIED, "runbooks")
    assert [(one.name, one.filter, one.verdict) for one in trace.attempts] == [(AttemptName.FILTERED, "runbooks", Verdict.OK)]
    assert trace.attempts[0].top_similarity == 0.755929
    assert trace.attempts[0].reference_threshold == 0.35
    assert (trace.fallback_reason, trace.selected_attempt) == (None, AttemptName.FILTERED)
    assert sources(result) == [RUNBOOK] * 3


def test_filtered_retrieval_returns_no_evidence(results: Results) -> None:
    """Filtered retrieval returns no evidence"""
    result = results["filtered_finds_nothing"]
    trace = result.retrieval_trace
    query = SITUATIONS["filtered_finds_nothing"].query
    assert [(one.name, one.query, one.filter, one.evidence_count, one.verdict) for one in trace.attempts] == [
        (AttemptName.FILTERED, query, "databases", 0, Verdict.FILTERED_NO_EVIDENCE),
        (AttemptName.UNFILTERED, query, None, 1, Verdict.OK),
    ]
    assert trace.fallback_reason == "filtered_vector_no_evidence"
    assert sources(result) == [OFFSETS]


def test_filtered_retrieval_without_any_candidate_is_retried(results: Results) -> None:
    """Filtered retrieval returns no evidence"""
    result = results["scope_against_filter"]
    filtered, retry = result.retrieval_trace.attempts
    assert (filtered.searched_chunks, filtered.candidate_count, filtered.top_similarity) == (0, 0, None)
    assert result.retrieval_trace.fallback_reason is Verdict.FILTERED_NO_EVIDENCE
    assert (retry.searched_chunks, retry.evidence_count) == (5, 2)
    assert set(sources(result)) == {OFFSETS}


def test_filtered_retrieval_is_below_reference_quality(results: Results) -> None:
    """Filtered retrieval is below reference quality"""
    result = results["filtered_finds_little"]
    trace = result.retrieval_trace
    filtered, retry = trace.attempts
    assert (filtered.top_similarity, filtered.evidence_count, filtered.verdict) == (0.254514, 2, Verdict.FILTERED_LOW_QUALITY)
    assert filtered.query == "Consumer group: rewind offsets of kafka topics, dry run, old and new offsets"
    assert retry.query == SITUATIONS["filtered_finds_little"].query == trace.raw_query
    assert (retry.filter, retry.top_similarity) == (None, 0.827837)
    assert trace.fallback_reason == "filtered_vector_low_quality"
    assert trace.selected_attempt is AttemptName.UNFILTERED
    assert result.evidence_blocks[0].id == f"{OFFSETS}#kafka-offsets/rewind~1"


@pytest.mark.parametrize(("name", "retry_blocks"), [("retry_is_worse", 1), ("retry_finds_nothing", 0)])
def test_filtered_evidence_stays_when_the_retry_is_no_better(results: Results, name: str, retry_blocks: int) -> None:
    """Filtered retrieval is below reference quality"""
    result = results[name]
    filtered, retry = result.retrieval_trace.attempts
    assert (filtered.verdict, retry.evidence_count) == (Verdict.FILTERED_LOW_QUALITY, retry_blocks)
    assert retry.query == SITUATIONS[name].query
    assert result.retrieval_trace.fallback_reason is Verdict.FILTERED_LOW_QUALITY
    assert result.retrieval_trace.selected_attempt is AttemptName.FILTERED
    assert set(sources(result)) == {"access/break-glass.md"}
    assert {block.attempt for block in result.evidence_blocks} == {AttemptName.FILTERED}


def test_both_retrieval_attempts_fail(results: Results) -> None:
    """Both retrieval attempts fail"""
    result = results["both_attempts_fail"]
    assert [one.verdict for one in result.retrieval_trace.attempts] == [Verdict.FILTERED_NO_EVIDENCE, Verdict.NO_EVIDENCE]
    assert (result.found, result.evidence_status, result.evidence_blocks) == (False, EvidenceStatus.NO_EVIDENCE, ())
    assert result.retrieval_trace.hints.matched_keywords[0].sources == (OFFSETS,)
    assert (result.context_pack.text, result.context_pack.used_tokens) == ("", 0)


def test_evidence_result_contains_context_and_traces(results: Results) -> None:
    """Evidence result contains context and traces"""
    result = results["filtered_is_enough"]
    assert (result.found, result.evidence_status, result.reason_code) == (True, EvidenceStatus.EVIDENCE, ReasonCode.FOUND)
    assert len(result.evidence_blocks) == 3
    assert [item.id for item in result.context_pack.included] == [block.id for block in result.evidence_blocks]
    assert len(result.retrieval_trace.attempts) == 1
    assert [entry.chunk_id for entry in result.rerank_trace.entries[:3]] == [block.id for block in result.evidence_blocks]
    assert (result.relevance_level, result.completeness_hint.level) == (RelevanceLevel.HIGH, CompletenessLevel.COMPLETE)
    assert result.message == "Found 3 passages in 1 document; relevance is high."


def test_no_evidence_result_keeps_traceability(results: Results) -> None:
    """No-evidence result keeps traceability"""
    result = results["both_attempts_fail"]
    assert result.found is False
    assert result.message == "No knowledge evidence was found: the nearest passage has similarity 0, and the floor is 0.2."
    filtered, retry = result.retrieval_trace.attempts
    assert (filtered.query, filtered.candidate_count) == ("signed permission", 5)
    assert (retry.query, retry.candidate_count) == ("signed permission", 20)
    assert {candidate.code for candidate in retry.candidates} == {DropCode.BELOW_FLOOR}
    assert result.rerank_trace.dropped_counts == {DropCode.BELOW_FLOOR: 20}


def test_context_pack_preserves_source_metadata(results: Results) -> None:
    """Context pack preserves source metadata"""
    result = results["filtered_finds_nothing"]
    (packed,) = parse(result.context_pack.text)
    assert (packed.source, packed.title, packed.breadcrumb) == (OFFSETS, "Kafka offsets", "Kafka offsets > Rewind")
    assert packed.reasons == tuple(reason.text for reason in result.evidence_blocks[0].hit_reasons)
    assert packed.reasons[0] == "similarity 0.696"
    assert packed.reasons[-1] == "from the retry without the L0 filter; filed under policies"
    untitled = parse(results["covers_everything"].context_pack.text)[0]
    assert (untitled.title, untitled.breadcrumb) == ("Words", "Words > Depot")


def test_context_pack_respects_budget(results: Results) -> None:
    """Context pack respects budget"""
    result = results["tight_budget"]
    pack = result.context_pack
    whole, cut = parse(pack.text)
    assert pack.budget_tokens == 310
    assert 260 < pack.used_tokens <= 310
    assert [item.truncated for item in pack.included] == [False, True]
    assert [(item.source, item.reason) for item in pack.omitted] == [
        ("policies/postmortems.md", OmitReason.NO_ROOM),
        ("runbooks/edge-errors.md", OmitReason.NO_ROOM),
    ]
    block = result.evidence_blocks[1]
    assert (cut.source, cut.title, cut.breadcrumb) == (block.source, "Postmortems", "Postmortems > Breach")
    assert cut.reasons == tuple(reason.text for reason in block.hit_reasons)
    assert block.content.startswith(cut.content + "\n")
    assert whole.content == result.evidence_blocks[0].content
    assert result.completeness_hint.level is CompletenessLevel.TRUNCATED
    assert result.completeness_hint.note == "The budget cut 1 and left out 2 of 4 blocks."


def test_rerank_trace_records_score_contributions(results: Results) -> None:
    """Rerank trace records score contributions"""
    result = results["filtered_is_enough"]
    entry = result.rerank_trace.entries[1]
    assert (entry.final_rank, entry.base_rank, entry.source, entry.base_score) == (2, 2, RUNBOOK, 0.524143)
    assert [part.code for part in entry.parts] == ["similarity", "lexical", "phrase", "title", "document_words", "hint", "category"]
    assert entry.boost_reasons[0] == "has the words free, root, volume, disk, filling"
    assert entry.boost_reasons[4] == "L0 hint: keyword disk filling, title Disk filling, keyword root volume"
    assert round(sum(part.points for part in entry.parts), 6) == entry.score == result.evidence_blocks[1].score


def test_query_hints_influence_rerank_without_becoming_evidence(small: KnowledgeEngine, results: Results) -> None:
    """Query hints influence rerank without becoming evidence"""
    block = results["filtered_is_enough"].evidence_blocks[0]
    reason = next(one for one in block.hit_reasons if one.code == "hint")
    assert (reason.text, reason.points) == ("L0 hint: keyword disk filling, title Disk filling, keyword root volume", 0.3)
    boosted = small.with_settings(small.settings.changed({"rule_weights.hint": 5})).lookup_knowledge(SITUATIONS["both_attempts_fail"].query)
    first = boosted.rerank_trace.entries[0]
    assert (first.source, first.base_score, first.score) == (OFFSETS, 0.0, 5.05)
    assert (boosted.found, boosted.evidence_blocks) == (False, ())


def test_l0_produces_traceable_hint_data(results: Results) -> None:
    """L0 produces traceable hint data"""
    hints = results["filtered_is_enough"].retrieval_trace.hints
    assert [(one.text, one.sources, one.categories) for one in hints.matched_titles] == [("Disk filling", (RUNBOOK,), ("runbooks",))]
    assert [one.text for one in hints.matched_keywords] == ["disk filling", "root volume"]
    assert hints.categories == ("runbooks",)
    coded = results["exact_code"].retrieval_trace.hints
    assert [(one.text, one.kind, one.known) for one in coded.entity_terms] == [("NET-4711", "error_code", True)]
    assert [step.note for step in results["exact_code"].retrieval_trace.steps if step.code == "l0"] == ["NET-4711 (entity)"]


def test_l0_does_not_bypass_semantic_retrieval(results: Results) -> None:
    """L0 does not bypass semantic retrieval"""
    trace = results["one_l0_match"].retrieval_trace
    assert len(trace.hints.matched_keywords) + len(trace.hints.matched_titles) == 1
    assert [one.candidate_count for one in trace.attempts] == [3, 20]
    assert results["one_l0_match"].found is False
    disabled = results["l1_disabled"]
    assert [one.text for one in disabled.retrieval_trace.hints.matched_keywords] == ["root volume"]
    assert (disabled.reason_code, disabled.retrieval_trace.attempts) == (ReasonCode.L1_DISABLED, ())


def test_a_title_of_stop_words_is_searched_for(tmp_path: Path) -> None:
    """L0 does not bypass semantic retrieval"""
    with open_engine(tmp_path, {"a/who.md": "# Who we are\n\nPeople.\n", "b/other.md": "# Other people\n\nText.\n"}) as engine:
        result = engine.lookup_knowledge("who we are")
    assert [one.text for one in result.retrieval_trace.hints.matched_titles] == ["Who we are"]
    assert [one.name for one in result.retrieval_trace.attempts] == [AttemptName.UNFILTERED]  # stop words say nothing of a category


def test_l0_hints_do_not_become_normal_evidence(results: Results) -> None:
    """L0 hints do not become normal evidence"""
    for name in ("both_attempts_fail", "one_l0_match", "l1_disabled", "scope_leaves_nothing"):
        result = results[name]
        assert result.evidence_blocks == ()
        assert result.context_pack.included == ()
        assert len(result.retrieval_trace.hints.matched_keywords) == 1


def test_evidence_block_contains_source_metadata(results: Results) -> None:
    """Evidence block contains source metadata"""
    block = results["filtered_is_enough"].evidence_blocks[1]
    assert (block.source, block.title, block.breadcrumb) == (RUNBOOK, "Disk filling", "Disk filling > Mitigation")
    assert (block.retrieval_layer, block.categories, block.attempt) == ("L1", ("runbooks",), AttemptName.FILTERED)
    assert block.content == "Free the root volume: rotate the journal, then remove images that no pod uses."
    assert DOCUMENTS[RUNBOOK].split("\n")[block.lines.start - 1 : block.lines.end] == [block.content]
    codes = [reason.code for reason in block.hit_reasons]
    assert codes == ["similarity", "lexical", "phrase", "title", "document_words", "hint", "category", "filter"]


def test_evidence_blocks_are_the_primary_evidence_contract(results: Results) -> None:
    """Evidence blocks are the primary evidence contract"""
    result = results["filtered_is_enough"]
    assert [one.content for one in parse(result.context_pack.text)] == [block.content for block in result.evidence_blocks]
    document = result.model_dump(by_alias=True)
    assert {"evidenceBlocks", "contextPack"} <= document.keys()
    assert not [name for name in document if "primary" in name.lower() or "supplement" in name.lower()]
