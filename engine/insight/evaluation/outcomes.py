"""One golden question asked: what came first, what was packed, what must not be there."""

from __future__ import annotations

from itertools import takewhile

from engine.contracts.evaluation import CaseOutcome
from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import AttemptTrace
from engine.insight.evaluation.measures import TRUSTED
from engine.insight.evaluation.targets import Place, Question, place_of


def candidate_places(result: LookupResult) -> list[Place]:
    """The candidates of the attempt that is shown, best score first."""
    return [place_of(entry.chunk_id, entry.source) for entry in sorted(result.rerank_trace.entries, key=lambda entry: entry.final_rank)]


def outcome(question: Question, result: LookupResult, first_rank: int | None) -> CaseOutcome:
    """What came of one question; its ranked measures are taken for all questions together, later."""
    case, trace, entries = question.case, result.retrieval_trace, result.rerank_trace.entries
    packed = _packed_places(result)
    shown = shown_attempt(result)
    return CaseOutcome(
        id=case.id,
        question=case.question,
        split=case.split,
        answerable=case.answerable,
        expected=case.expected,
        must_not=case.must_not,
        scope=case.scope,
        measures={},
        first_rank=first_rank,
        first_found=min(entries, key=lambda entry: entry.final_rank).source if entries else None,
        packed=any(target.holds(place) for target in question.expected for place in packed) if question.expected else None,
        violations=_misleading(question, result),
        packed_must_not=tuple(target.written for target in question.must_not if any(target.holds(place) for place in packed)),
        found=result.found,
        reason_code=result.reason_code,
        relevance_level=result.relevance_level,
        filter_code=trace.filter_decision.code,
        filter_category=trace.filter_decision.category,
        fallback_reason=trace.fallback_reason,
        top_similarity=shown.top_similarity if shown else None,
    )


def shown_attempt(result: LookupResult) -> AttemptTrace | None:
    """The attempt whose evidence is returned, else the last one, as in the rerank trace."""
    trace = result.retrieval_trace
    return next((one for one in trace.attempts if one.name is trace.selected_attempt), trace.attempts[-1] if trace.attempts else None)


def _misleading(question: Question, result: LookupResult) -> tuple[str, ...]:
    """What must not be trusted as evidence and is: at relevance medium or high, before everything that is expected."""
    if result.relevance_level not in TRUSTED:
        return ()
    places = [[place_of(chunk_id, block.source) for chunk_id in block.chunk_ids] for block in result.evidence_blocks]
    ahead = takewhile(lambda block: not any(target.holds(place) for target in question.expected for place in block), places)
    trusted = [place for block in ahead for place in block]
    return tuple(target.written for target in question.must_not if any(target.holds(place) for place in trusted))


def _packed_places(result: LookupResult) -> list[Place]:
    """The chunks of which a line is in the packed context: of a block that was cut, some may not be."""
    shown = shown_attempt(result)
    lines = {one.chunk_id: one.lines for one in shown.candidates} if shown else {}
    blocks = {block.id: block for block in result.evidence_blocks}
    return [
        place_of(chunk_id, item.source)
        for item in result.context_pack.included
        for chunk_id in blocks[item.id].chunk_ids
        if lines[chunk_id].start <= item.lines.end and item.lines.start <= lines[chunk_id].end
    ]
