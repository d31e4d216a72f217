"""The specification's scenarios on the pipeline, the retry and L0, a check each."""

from __future__ import annotations

from engine.contracts.codes import AttemptName, EvidenceStatus, ReasonCode, Verdict
from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import AttemptTrace
from engine.insight.check import matches, promise

_PIPELINE = "Knowledge retrieval SHALL use a modular RAG pipeline"
_RETRY = "Knowledge retrieval SHALL retry without L0 filter when filtered L1 is low quality"
_HINTS = "Knowledge retrieval SHALL keep L0 as a hint provider"
_STAGES = ("transform", "retrieve", "rerank", "blocks", "pack", "assemble", "record")


def _has_timings(result: LookupResult) -> bool:
    return bool(result.retrieval_trace.spans)


@promise(_PIPELINE, "Pipeline components execute in order", "retrievalTrace.spans", "retrievalTrace.attempts", when=_has_timings)
def stages_in_order(result: LookupResult) -> str | None:
    """The query is transformed before retrieval, candidates are retrieved before the rerank, blocks built before packing, and all recorded last."""
    spans = [span for top in result.retrieval_trace.spans for _, span in top.walk() if span.name in _STAGES]
    names = [span.name for span in spans]
    if names != ["transform", *("retrieve", "rerank", "blocks") * len(result.retrieval_trace.attempts), "pack", "assemble", "record"]:
        return f"the stages ran as {', '.join(names)}"
    starts = [span.start_ms for span in spans]
    return None if starts == sorted(starts) else "a stage began before the one that it needs"


@promise(_PIPELINE, "Tool boundary remains explicit", "query", "retrievalTrace.rawQuery")
def same_query_argument(result: LookupResult) -> str | None:
    """The pipeline works on the query that the explicit call of lookup_knowledge was given."""
    raw = result.retrieval_trace.raw_query
    return None if raw == result.query else f"the tool was called with {result.query!r}, and the pipeline got {raw!r}"


def _filtered(result: LookupResult) -> AttemptTrace | None:
    return next((one for one in result.retrieval_trace.attempts if one.name is AttemptName.FILTERED), None)


def _reaches_reference(attempt: AttemptTrace) -> bool:
    return attempt.top_similarity is not None and attempt.top_similarity >= attempt.reference_threshold


def _filter_suffices(result: LookupResult) -> bool:
    one = _filtered(result)
    return one is not None and one.evidence_count > 0 and _reaches_reference(one)


def _filter_finds_nothing(result: LookupResult) -> bool:
    one = _filtered(result)
    return one is not None and one.evidence_count == 0


def _filter_finds_little(result: LookupResult) -> bool:
    one = _filtered(result)
    return one is not None and one.evidence_count > 0 and not _reaches_reference(one)


@promise(_RETRY, "Filtered retrieval succeeds", "retrievalTrace.attempts", "retrievalTrace.selectedAttempt", when=_filter_suffices)
def filtered_is_enough(result: LookupResult) -> str | None:
    """A filtered attempt with evidence at or above the reference is used, and no unfiltered retry is made."""
    if len(result.retrieval_trace.attempts) > 1:
        return "an unfiltered retry was made although the filtered attempt was good enough"
    used = result.retrieval_trace.selected_attempt
    return None if used is AttemptName.FILTERED else f"the filtered candidates are not used; the selected attempt is {used}"


def _retry_fault(result: LookupResult, reason: Verdict) -> str | None:
    trace = result.retrieval_trace
    retry = trace.attempts[1] if len(trace.attempts) > 1 else None
    if retry is None or retry.name is not AttemptName.UNFILTERED:
        return "no unfiltered retry was made"
    if retry.filter is not None or retry.query != trace.raw_query:
        return f"the retry searched {retry.query!r} with the filter {retry.filter}, not the raw query without one"
    return None if trace.fallback_reason == reason else f"the fallback reason is {trace.fallback_reason}, not {reason.value}"


@promise(
    _RETRY, "Filtered retrieval returns no evidence", "retrievalTrace.attempts", "retrievalTrace.fallbackReason", when=_filter_finds_nothing
)
def retry_without_evidence(result: LookupResult) -> str | None:
    """A filtered attempt without evidence is retried with the raw query and no L0 filter, for the reason filtered_vector_no_evidence."""
    return _retry_fault(result, Verdict.FILTERED_NO_EVIDENCE)


@promise(
    _RETRY, "Filtered retrieval is below reference quality", "retrievalTrace.attempts", "retrievalTrace.fallbackReason", when=_filter_finds_little
)
def retry_below_reference(result: LookupResult) -> str | None:
    """A filtered attempt with its best similarity below the reference is retried likewise, for the reason filtered_vector_low_quality."""
    return _retry_fault(result, Verdict.FILTERED_LOW_QUALITY)


def _both_fail(result: LookupResult) -> bool:
    attempts = result.retrieval_trace.attempts
    return len(attempts) == 2 and not any(one.evidence_count for one in attempts)


@promise(_RETRY, "Both retrieval attempts fail", "found", "evidenceStatus", "evidenceBlocks", "retrievalTrace.attempts", when=_both_fail)
def both_attempts_fail(result: LookupResult) -> str | None:
    """When neither attempt finds evidence, the result says found=false and no_evidence, and has no L0 document as evidence."""
    nothing = not result.found and result.evidence_status is EvidenceStatus.NO_EVIDENCE and not result.evidence_blocks
    return None if nothing else "no attempt found evidence, and the result has some"


def _l0_matched(result: LookupResult) -> bool:
    return bool(matches(result))


@promise(_HINTS, "L0 produces traceable hint data", "retrievalTrace.hints", "retrievalTrace.filterDecision.votes", when=_l0_matched)
def hints_are_structured(result: LookupResult) -> str | None:
    """What L0 matched is listed as titles, keywords, categories and entity terms, each with the documents that carry it."""
    hints = result.retrieval_trace.hints
    if any(one.kind != "title" for one in hints.matched_titles) or any(one.kind == "title" for one in hints.matched_keywords):
        return "a title is among the keywords, or a keyword among the titles"
    if any(not one.sources or not one.text for one in matches(result)):
        return "a matched entry does not say which document carries it"
    voted = tuple(votes.category for votes in result.retrieval_trace.filter_decision.votes)
    return None if hints.categories == voted else f"the hints name the categories {hints.categories}, and the votes are for {voted}"


def _one_match(result: LookupResult) -> bool:
    return len(matches(result)) == 1 and result.reason_code not in (ReasonCode.L1_DISABLED, ReasonCode.EMPTY_KNOWLEDGE_BASE)


@promise(_HINTS, "L0 does not bypass semantic retrieval", "retrievalTrace.hints", "retrievalTrace.attempts", "reasonCode", when=_one_match)
def one_match_is_no_shortcut(result: LookupResult) -> str | None:
    """With exactly one L0 match the vector index is searched all the same, unless L1 is disabled or there is nothing in it."""
    return None if result.retrieval_trace.attempts else "L0 has one match, and no semantic retrieval was attempted"


def _only_l0_matched(result: LookupResult) -> bool:
    usable = any(candidate.evidence for attempt in result.retrieval_trace.attempts for candidate in attempt.candidates)
    return _l0_matched(result) and not usable


@promise(_HINTS, "L0 hints do not become normal evidence", "retrievalTrace.hints", "retrievalTrace.attempts", "evidenceBlocks", when=_only_l0_matched)
def hints_are_not_evidence(result: LookupResult) -> str | None:
    """When retrieval returns nothing usable, no document that L0 matched is returned as evidence."""
    hinted = {source for match in matches(result) for source in match.sources}
    wrong = next((block.id for block in result.evidence_blocks if block.source in hinted), None)
    return f"{wrong} is evidence, and only L0 names it" if wrong else None


RETRIEVAL = (
    stages_in_order,
    same_query_argument,
    filtered_is_enough,
    retry_without_evidence,
    retry_below_reference,
    both_attempts_fail,
    hints_are_structured,
    one_match_is_no_shortcut,
    hints_are_not_evidence,
)
