"""The golden questions of the handbook with the real model: every promise holds on every one of them."""

from __future__ import annotations

import pytest

from engine import KnowledgeEngine, LookupResult
from engine.contracts.codes import DropCode, RelevanceLevel
from engine.insight.conformance import check
from engine.lookup.pack_format import parse

pytestmark = pytest.mark.model

EVERY = 3  # a third of the cases; evaluate looks every one of them up


@pytest.fixture(scope="module")
def answers(handbook: KnowledgeEngine) -> dict[str, LookupResult]:
    """Results by the id of the case, each with its own settings."""
    cases = handbook.cases()[::EVERY]
    views = {case.id: handbook.with_settings(handbook.settings.changed(case.settings)) for case in cases}
    return {case.id: views[case.id].lookup_knowledge(case.question, scope=case.scope) for case in cases}


def test_every_golden_question_passes_every_check(answers: dict[str, LookupResult]) -> None:
    assert len(answers) > 20
    failed = [(case, one.code, one.finding) for case, result in answers.items() for one in check(result) if one.finding]
    assert failed == []


def test_every_packed_text_gives_its_blocks_back(answers: dict[str, LookupResult]) -> None:
    for result in answers.values():
        contents = {block.id: block.content for block in result.evidence_blocks}
        for packed, item in zip(parse(result.context_pack.text), result.context_pack.included, strict=True):
            assert packed.content in contents[item.id]
            assert item.truncated or packed.content == contents[item.id]


def test_relevance_follows_the_best_similarity(answers: dict[str, LookupResult], handbook: KnowledgeEngine) -> None:
    cases = {case.id: handbook.settings.changed(case.settings) for case in handbook.cases()}
    for case, result in answers.items():
        waived = [any(reason.code == "exact_terms" for reason in block.hit_reasons) for block in result.evidence_blocks]
        top = max((block.similarity for block, only_codes in zip(result.evidence_blocks, waived, strict=True) if not only_codes), default=0.0)
        high, medium = top >= cases[case].high_threshold, top >= cases[case].medium_threshold
        expected = RelevanceLevel.HIGH if high else RelevanceLevel.MEDIUM if medium else RelevanceLevel.LOW
        assert result.relevance_level is (expected if result.found else RelevanceLevel.NONE)


def test_the_same_question_gives_the_same_bytes(handbook: KnowledgeEngine) -> None:
    question = "How do I rewind the offsets of a consumer group?"
    with KnowledgeEngine.open(handbook.kb, settings=handbook.settings) as other:
        assert other.lookup_knowledge(question).canonical_json() == handbook.lookup_knowledge(question).canonical_json()


def test_an_error_code_leads_to_the_page_that_explains_it(handbook: KnowledgeEngine) -> None:
    result = handbook.lookup_knowledge("WHK-6007")
    assert result.evidence_blocks[0].source == "runbooks/webhook-relay-signature.md"
    assert [(one.text, one.kind, one.known) for one in result.retrieval_trace.hints.entity_terms] == [("WHK-6007", "error_code", True)]
    assert "has the words WHK-6007" in [reason.text for reason in result.evidence_blocks[0].hit_reasons]


def test_the_chinese_page_is_searched_and_dropped_as_unreadable(handbook: KnowledgeEngine) -> None:
    result = handbook.lookup_knowledge("手持扫描枪 扫码失败")
    nearest = result.retrieval_trace.attempts[-1].candidates[0]
    assert (nearest.source, nearest.evidence, nearest.code) == ("depots/handheld-scanner-zh.md", False, DropCode.UNREADABLE_BY_EMBEDDER)
    assert result.retrieval_trace.filter_decision.category == "depots"
