"""Results made by hand, for the drawing functions."""

from __future__ import annotations

from engine.contracts.codes import AttemptName, CompletenessLevel, EvidenceStatus, FilterCode, OmitReason, ReasonCode, RelevanceLevel, Verdict
from engine.contracts.lookup import CompletenessHint, ContextPack, EvidenceBlock, LookupResult, OmittedItem, PackedItem
from engine.contracts.lookup_trace import (
    AttemptTrace,
    CandidateTrace,
    FilterDecision,
    Hints,
    LineRange,
    RerankEntry,
    RerankTrace,
    RetrievalTrace,
    RuleTrace,
    ScorePart,
)

LINES = LineRange(start=1, end=9)
HOSTILE = "<b>$x$</b> & 手持扫描枪.md#" + "故障处理" * 30


def candidate(rank: int, similarity: float, evidence: bool) -> CandidateTrace:
    return CandidateTrace(
        rank=rank,
        chunk_id=f"{HOSTILE}~{rank}",
        source=HOSTILE,
        breadcrumb=HOSTILE,
        categories=("runbooks",),
        lines=LINES,
        similarity=similarity,
        score=similarity,
        final_rank=rank,
        evidence=evidence,
        code=None if evidence else "below_floor",
    )


def attempt(similarities: list[float], floor: float = 0.3, reference: float = 0.45) -> AttemptTrace:
    candidates = tuple(candidate(rank, value, value >= floor) for rank, value in enumerate(similarities, start=1))
    return AttemptTrace(
        name=AttemptName.UNFILTERED,
        query="question",
        filter=None,
        searched_chunks=len(similarities),
        candidate_count=len(similarities),
        evidence_count=1,
        top_similarity=max(similarities, default=None),
        reference_threshold=reference,
        evidence_floor=floor,
        verdict=Verdict.OK,
        candidates=candidates,
    )


def rerank(count: int) -> RerankTrace:
    """Entries whose points, rounded to a millionth each, add up to the score."""
    entries = []
    for rank in range(1, count + 1):
        raws = {"similarity": (0.7 - rank / 200, 1.0), "lexical": (0.333333, 0.7), "title": (0.1, 0.2)}
        parts = tuple(ScorePart(code=code, raw=raw, weight=weight, points=round(raw * weight, 6)) for code, (raw, weight) in raws.items())
        entries.append(
            RerankEntry(
                final_rank=rank,
                base_rank=rank,
                source=HOSTILE,
                chunk_id=f"{HOSTILE}~{rank}",
                base_score=parts[0].raw,
                parts=parts,
                score=round(sum(part.points for part in parts), 6),
                boost_reasons=(),
            )
        )
    rules = (RuleTrace(code="lexical", title="Words <i>in</i> the text", weight=0.7), RuleTrace(code="title", title="Title", weight=0.2))
    return RerankTrace(rules=rules, entries=tuple(entries), dropped=(), dropped_counts={})


def block(number: int) -> EvidenceBlock:
    return EvidenceBlock(
        id=f"{HOSTILE}~{number}",
        chunk_ids=(f"{HOSTILE}~{number}",),
        source=HOSTILE,
        title=HOSTILE,
        breadcrumb=HOSTILE,
        categories=("runbooks",),
        lines=LINES,
        retrieval_layer="L1",
        attempt=AttemptName.UNFILTERED,
        content="text",
        similarity=0.6,
        score=0.7,
        tokens=100,
        hit_reasons=(),
    )


def result() -> LookupResult:
    """Four blocks: one whole, one cut, two left out, of which the first stands between the packed ones."""
    whole, left, cut, last = (block(number) for number in range(1, 5))
    pack = ContextPack(
        text="| text",
        budget_tokens=500,
        used_tokens=470,
        tokenizer="hash",
        included=(
            PackedItem(id=whole.id, source=whole.source, tokens=300, truncated=False, lines=LINES),
            PackedItem(id=cut.id, source=cut.source, tokens=165, truncated=True, lines=LINES),
        ),
        omitted=(
            OmittedItem(id=left.id, source=left.source, tokens=400, reason=OmitReason.NO_ROOM),
            OmittedItem(id=last.id, source=last.source, tokens=250, reason=OmitReason.HEADER_EXCEEDS_BUDGET),
        ),
    )
    return LookupResult(
        query="question",
        scope=(),
        found=True,
        message="",
        evidence_status=EvidenceStatus.EVIDENCE,
        reason_code=ReasonCode.FOUND,
        relevance_level=RelevanceLevel.MEDIUM,
        completeness_hint=CompletenessHint(level=CompletenessLevel.COMPLETE, missing_terms=(), note=""),
        evidence_blocks=(whole, left, cut, last),
        context_pack=pack,
        retrieval_trace=retrieval(),
        rerank_trace=rerank(3),
        trace_id="0" * 16,
        snapshot_id="1" * 16,
        settings_fingerprint="2" * 16,
    )


def retrieval() -> RetrievalTrace:
    """One unfiltered attempt with three candidates."""
    return RetrievalTrace(
        raw_query="question",
        transformed_query="question",
        steps=(),
        hints=Hints(matched_titles=(), matched_keywords=(), categories=(), entity_terms=()),
        filter_decision=FilterDecision(code=FilterCode.NO_MATCH, category=None, votes=(), note=""),
        attempts=(attempt([0.7, 0.5, 0.2]),),
        fallback_reason=None,
        selected_attempt=AttemptName.UNFILTERED,
        selection_reason="",
        near_misses=0,
    )
