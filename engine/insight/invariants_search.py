"""What the design promises of the search in every result beyond the specification, a check each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.contracts.codes import AttemptName, FilterCode, Verdict
from engine.contracts.lookup import LookupResult, ScopeTerm
from engine.contracts.lookup_trace import AttemptTrace
from engine.insight.check import promise
from engine.lookup.rerank import MILLION

_DESIGN = "Design"
_STEPS = ("clean", "entities", "l0", "aliases", "filter")


@promise(_DESIGN, "Every step shows before and after", "retrievalTrace.steps", "retrievalTrace.transformedQuery")
def steps_follow_each_other(result: LookupResult) -> str | None:
    """The transformation leads step by step from the raw query to the transformed one."""
    trace = result.retrieval_trace
    if tuple(step.code for step in trace.steps) != _STEPS:
        return f"the steps are {', '.join(step.code for step in trace.steps)}"
    before = [step.before for step in trace.steps] + [trace.transformed_query]
    after = [trace.raw_query] + [step.after for step in trace.steps]
    return None if before == after else "a step does not begin where the one before it ended"


def _attempted(result: LookupResult) -> bool:
    return bool(result.retrieval_trace.attempts)


@promise(_DESIGN, "At most two attempts", "retrievalTrace.attempts", "retrievalTrace.filterDecision", when=_attempted)
def attempts_are_right(result: LookupResult) -> str | None:
    """The attempts are unfiltered, or filtered, or filtered and then unfiltered; only a retry has the raw query, only a filtered one a filter."""
    trace = result.retrieval_trace
    decided = trace.filter_decision
    if (decided.code is FilterCode.APPLIED) != (decided.category is not None):
        return f"the filter decision is {decided.code.value} with the category {decided.category}"
    transformed, raw = trace.transformed_query, trace.raw_query
    filtered = (AttemptName.FILTERED, transformed, decided.category)
    expected = [(AttemptName.UNFILTERED, transformed, None)] if decided.category is None else [filtered, (AttemptName.UNFILTERED, raw, None)]
    made = [(one.name, one.query, one.filter) for one in trace.attempts]
    return None if made == expected[: len(made)] else f"the attempts are {made}"


def _verdict(attempt: AttemptTrace) -> Verdict:
    filtered = attempt.name is AttemptName.FILTERED
    if not attempt.evidence_count:
        return Verdict.FILTERED_NO_EVIDENCE if filtered else Verdict.NO_EVIDENCE
    if attempt.top_similarity is None or attempt.top_similarity < attempt.reference_threshold:
        return Verdict.FILTERED_LOW_QUALITY if filtered else Verdict.LOW_QUALITY
    return Verdict.OK


@promise(_DESIGN, "A verdict on every attempt", "retrievalTrace.attempts", when=_attempted)
def verdicts_are_right(result: LookupResult) -> str | None:
    """An attempt's verdict follows from its evidence, its best similarity and the reference."""
    wrong = next((one for one in result.retrieval_trace.attempts if one.verdict is not _verdict(one)), None)
    return f"the {wrong.name.value} attempt has the verdict {wrong.verdict.value}, not {_verdict(wrong).value}" if wrong else None


@promise(_DESIGN, "A reason for every retry", "retrievalTrace.fallbackReason", "retrievalTrace.attempts")
def fallback_reason_means_retry(result: LookupResult) -> str | None:
    """There is a fallback reason exactly when a second attempt was made."""
    reason, made = result.retrieval_trace.fallback_reason, len(result.retrieval_trace.attempts)
    return None if (reason is not None) == (made == 2) else f"the fallback reason is {reason}, and {made} attempts were made"


def _has_choice(result: LookupResult) -> bool:
    return len(result.retrieval_trace.attempts) == 2 and any(one.evidence_count for one in result.retrieval_trace.attempts)


@promise(_DESIGN, "The better attempt is selected", "retrievalTrace.attempts", "retrievalTrace.selectedAttempt", when=_has_choice)
def better_attempt_is_selected(result: LookupResult) -> str | None:
    """The retry's evidence is returned, unless it has none or a lower best similarity than the filtered evidence."""
    first, retry = result.retrieval_trace.attempts
    worse = first.evidence_count > 0 and (retry.top_similarity or 0) < (first.top_similarity or 0)
    better = first.name if worse or not retry.evidence_count else retry.name
    chosen = result.retrieval_trace.selected_attempt
    return None if chosen is better else f"the selected attempt is {chosen}, not {better.value}"


@promise(_DESIGN, "A filter holds for every candidate", "retrievalTrace.attempts", when=_attempted)
def filter_holds(result: LookupResult) -> str | None:
    """Every candidate of a filtered attempt has the category of the filter."""
    candidates = ((attempt.filter, one) for attempt in result.retrieval_trace.attempts if attempt.filter for one in attempt.candidates)
    outside = next((one.chunk_id for category, one in candidates if category not in one.categories), None)
    return f"{outside} is outside of the filter" if outside else None


def _visible_scope(result: LookupResult) -> list[ScopeTerm]:
    return [term for term in result.scope if term.field in ("category", "source")]


@promise(_DESIGN, "A scope is never relaxed", "scope", "retrievalTrace.attempts", when=lambda result: bool(_visible_scope(result)))
def scope_holds(result: LookupResult) -> str | None:
    """Every candidate of every attempt satisfies the caller's scope, as far as its source and categories tell."""
    for term in _visible_scope(result):
        for one in (candidate for attempt in result.retrieval_trace.attempts for candidate in attempt.candidates):
            values = one.categories if term.field == "category" else (one.source,)
            matched = bool(set(values) & set(term.values)) or (not values and "" in term.values)
            if matched != (term.operator == "="):
                return f"{one.chunk_id} does not satisfy {term.field}{term.operator}{'|'.join(term.values)}"
    return None


def _similarities(result: LookupResult) -> Iterator[float]:
    yield from (block.similarity for block in result.evidence_blocks)
    yield from (one.similarity for one in result.rerank_trace.dropped)
    yield from (entry.base_score for entry in result.rerank_trace.entries)
    for attempt in result.retrieval_trace.attempts:
        yield from (one.similarity for one in attempt.candidates)
        yield from () if attempt.top_similarity is None else (attempt.top_similarity,)


@promise(_DESIGN, "Similarities are absolute", "evidenceBlocks", "retrievalTrace.attempts", "rerankTrace.entries", "rerankTrace.dropped")
def similarities_are_absolute(result: LookupResult) -> str | None:
    """Every similarity is a cosine between 0 and 1 with six decimals."""
    wrong = next((one for one in _similarities(result) if not 0 <= one <= 1 or round(one, 6) != one), None)
    return f"a similarity is {wrong!r}" if wrong is not None else None


def _rank_fault(ranks: Sequence[tuple[int, float, str]], kept_late: set[str]) -> str | None:
    """What is wrong with rows of (rank, value, chunk id); after the first rows a trace keeps only what became evidence."""
    previous = 0
    for rank, _, chunk_id in ranks:
        if rank <= previous or (rank > previous + 1 and chunk_id not in kept_late):
            return f"{chunk_id} has rank {rank} after rank {previous}"
        previous = rank
    keys = [(-value, chunk_id) for _, value, chunk_id in ranks]
    return None if keys == sorted(keys) else "the ranks do not follow the values, ties by chunk id"


@promise(_DESIGN, "Ranks by similarity", "retrievalTrace.attempts", when=_attempted)
def candidates_are_ranked(result: LookupResult) -> str | None:
    """The candidates of an attempt are ranked from 1 by similarity, ties by chunk id."""
    for attempt in result.retrieval_trace.attempts:
        late = {one.chunk_id for one in attempt.candidates if one.evidence}
        if fault := _rank_fault([(one.rank, one.similarity, one.chunk_id) for one in attempt.candidates], late):
            return fault
    return None


@promise(_DESIGN, "Ranks by score", "rerankTrace.entries", when=_attempted)
def entries_are_ranked(result: LookupResult) -> str | None:
    """The entries of the rerank are ranked from 1 by score, ties by chunk id."""
    late = {chunk_id for block in result.evidence_blocks for chunk_id in block.chunk_ids}
    return _rank_fault([(one.final_rank, one.score, one.chunk_id) for one in result.rerank_trace.entries], late)


@promise(_DESIGN, "Points add up", "rerankTrace.entries", when=_attempted)
def points_add_up(result: LookupResult) -> str | None:
    """The similarity is the first part of a score, every part is raw x weight, and in millionths the parts add up exactly."""
    for entry in result.rerank_trace.entries:
        points = [round(part.points * MILLION) for part in entry.parts]
        if entry.parts[0].code != "similarity" or entry.parts[0].points != entry.base_score:
            return f"the score of {entry.chunk_id} does not begin with its similarity"
        if points != [round(part.raw * part.weight * MILLION) for part in entry.parts] or sum(points) != round(entry.score * MILLION):
            return f"the parts of {entry.chunk_id} make {sum(points) / MILLION}, and its score is {entry.score}"
    return None


SEARCH = (
    steps_follow_each_other,
    attempts_are_right,
    verdicts_are_right,
    fallback_reason_means_retry,
    better_attempt_is_selected,
    filter_holds,
    scope_holds,
    similarities_are_absolute,
    candidates_are_ranked,
    entries_are_ranked,
    points_add_up,
)
