"""The six demo questions of the handbook, with the real model: each shows its own path through the pipeline."""

from __future__ import annotations

import pytest

from engine import KnowledgeEngine, LookupResult
from engine.contracts.codes import CompletenessLevel, FilterCode, ReasonCode, Verdict
from engine.insight.conformance import check

pytestmark = pytest.mark.model


def run(handbook: KnowledgeEngine, path: str) -> LookupResult:
    [case] = [case for case in handbook.examples() if case.path == path]
    view = handbook.with_settings(handbook.settings.changed(case.settings))
    result = view.lookup_knowledge(case.question, scope=case.scope)
    assert [outcome.code for outcome in check(result) if outcome.status == "fail"] == []
    assert result.found == case.answerable
    expected = [source.split("#")[0] for source in case.expected]
    assert not expected or result.evidence_blocks[0].source in expected
    return result


def test_the_examples_are_the_six_paths(handbook: KnowledgeEngine) -> None:
    assert [case.path for case in handbook.examples()] == [
        "filtered_is_enough",
        "filtered_vector_no_evidence",
        "filtered_vector_low_quality",
        "both_attempts_fail",
        "ambiguous_l0",
        "cut_and_omitted",
    ]
    assert all(case.settings and case.shows for case in handbook.examples())


def test_filtered_is_enough(handbook: KnowledgeEngine) -> None:
    trace = run(handbook, "filtered_is_enough").retrieval_trace
    assert [(attempt.filter, attempt.verdict) for attempt in trace.attempts] == [("deployments", Verdict.OK)]
    assert trace.transformed_query == "Who decides on Evacuating a region?"


def test_filtered_attempt_finds_no_evidence_and_the_retry_does(handbook: KnowledgeEngine) -> None:
    result = run(handbook, "filtered_vector_no_evidence")
    trace = result.retrieval_trace
    assert trace.fallback_reason is Verdict.FILTERED_NO_EVIDENCE
    assert [(attempt.filter, attempt.evidence_count > 0) for attempt in trace.attempts] == [("databases", False), (None, True)]
    assert result.evidence_blocks[0].source == "policies/kafka-consumer-offsets.md"


def test_filtered_attempt_is_of_low_quality_and_the_retry_finds_the_right_document(handbook: KnowledgeEngine) -> None:
    result = run(handbook, "filtered_vector_low_quality")
    trace = result.retrieval_trace
    assert trace.fallback_reason is Verdict.FILTERED_LOW_QUALITY
    filtered, retry = trace.attempts
    assert filtered.evidence_count > 0
    assert filtered.top_similarity is not None and filtered.top_similarity < filtered.reference_threshold
    assert retry.query == trace.raw_query
    assert result.evidence_blocks[0].source == "policies/kafka-consumer-offsets.md"


def test_both_attempts_fail_and_hints_are_in_the_trace_and_nowhere_else(handbook: KnowledgeEngine) -> None:
    result = run(handbook, "both_attempts_fail")
    assert (result.found, result.evidence_status, result.reason_code) == (False, "no_evidence", ReasonCode.BELOW_FLOOR)
    assert len(result.retrieval_trace.attempts) == 2
    assert result.retrieval_trace.hints.matched_keywords
    assert (result.evidence_blocks, result.context_pack.text) == ((), "")


def test_divided_votes_do_not_filter(handbook: KnowledgeEngine) -> None:
    trace = run(handbook, "ambiguous_l0").retrieval_trace
    assert trace.filter_decision.code is FilterCode.AMBIGUOUS
    assert [vote.category for vote in trace.filter_decision.votes] == ["databases", "deployments", "networking"]
    assert [attempt.filter for attempt in trace.attempts] == [None]


def test_a_pack_is_cut_and_omits(handbook: KnowledgeEngine) -> None:
    result = run(handbook, "cut_and_omitted")
    pack = result.context_pack
    assert any(item.truncated for item in pack.included)
    assert pack.omitted
    assert pack.used_tokens <= pack.budget_tokens == 800
    assert result.completeness_hint.level is CompletenessLevel.TRUNCATED


@pytest.mark.parametrize("question", ["手持扫描枪无法连接怎么办", "数据库主从切换怎么办", "扫描枪的保修期是几年？"])
def test_a_chinese_question_is_unreadable_and_not_of_high_relevance(handbook: KnowledgeEngine, question: str) -> None:
    result = handbook.lookup_knowledge(question)
    assert (result.found, result.reason_code, result.relevance_level) == (False, ReasonCode.UNREADABLE_BY_EMBEDDER, "none")
    assert result.retrieval_trace.attempts[-1].candidates


def test_a_keyword_of_most_categories_never_filters(handbook: KnowledgeEngine) -> None:
    decision = handbook.lookup_knowledge("Where do I find the fernway handbook?").retrieval_trace.filter_decision
    assert (decision.code, decision.category) == (FilterCode.COVERS_EVERYTHING, None)


def test_the_rest_of_the_corpus_is_what_it_should_be(handbook: KnowledgeEngine) -> None:
    report = handbook.report()
    assert report.skipped == ()
    assert [(problem.source, problem.code) for problem in report.problems] == [("depots/handheld-scanner-zh.md", "unreadable_by_embedder")]
    assert report.documents >= 45 and report.chunks >= 300
    assert len(handbook.scope_fields()["category"]) >= 7
    cases = handbook.cases()
    assert len(cases) >= 60 and sum(not case.answerable for case in cases) >= 12
    assert {case.split for case in cases} == {"dev", "test"}


def test_every_expected_section_of_the_cases_exists(handbook: KnowledgeEngine) -> None:
    known = {*handbook.report().indexed, *handbook.sections()}
    for case in handbook.cases():
        assert set(case.expected) | set(case.must_not) <= known, case.id
