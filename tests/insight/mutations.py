"""For every conformance check a real result that keeps the promise, and the smallest change that breaks it and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.contracts.base import Contract
from engine.contracts.codes import AttemptName, CompletenessLevel, FilterCode, OmitReason, ReasonCode, RelevanceLevel, Verdict
from engine.contracts.lookup import LookupResult, OmittedItem, PackedItem, ScopeTerm
from engine.contracts.lookup_trace import LineRange


@dataclass(frozen=True)
class Mutation:
    """The name of a situation, and what is changed in its result."""

    situation: str
    change: Callable[[LookupResult], LookupResult]


def put(value: Any, path: str, new: object) -> Any:
    """A copy with one value changed: `retrieval_trace.attempts.0.query`; a function gets the old value."""
    name, _, rest = path.partition(".")
    if isinstance(value, tuple):
        at = int(name)
        return (*value[:at], put(value[at], rest, new) if rest else _new(new, value[at]), *value[at + 1 :])
    assert isinstance(value, Contract)
    old = getattr(value, name)
    return value.model_copy(update={name: put(old, rest, new) if rest else _new(new, old)})


def _new(new: object, old: object) -> object:
    return new(old) if callable(new) else new


def setting(*changes: tuple[str, object]) -> Callable[[LookupResult], LookupResult]:
    """Several changes, one after the other."""

    def change(result: LookupResult) -> LookupResult:
        for path, new in changes:
            result = put(result, path, new)
        return result

    return change


def _retried_needlessly(result: LookupResult) -> LookupResult:
    first = result.retrieval_trace.attempts[0]
    retry = {"name": AttemptName.UNFILTERED, "filter": None, "query": result.query, "top_similarity": 0.4}
    return setting(
        ("retrieval_trace.attempts", (first, first.model_copy(update=retry))),
        ("retrieval_trace.fallback_reason", Verdict.FILTERED_LOW_QUALITY),
        ("retrieval_trace.spans", ()),
    )(result)


def _hint_without_points(result: LookupResult) -> LookupResult:
    reasons = result.evidence_blocks[0].hit_reasons
    at = next(i for i, reason in enumerate(reasons) if reason.code == "hint")
    return setting((f"evidence_blocks.0.hit_reasons.{at}.points", 0.0))(result)


def _flags_off(result: LookupResult) -> LookupResult:
    count = len(result.retrieval_trace.attempts[0].candidates)
    return setting(*((f"retrieval_trace.attempts.0.candidates.{at}.evidence", False) for at in range(count)))(result)


def _evidence_among_the_dropped(result: LookupResult) -> LookupResult:
    return setting(("rerank_trace.dropped.0.chunk_id", result.evidence_blocks[0].id))(result)


def _swapped(items: tuple[Any, ...]) -> tuple[Any, ...]:
    return (items[1], items[0], *items[2:])


def _ranks_swapped(entries: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    first, second, *others = entries
    return (first.model_copy(update={name: getattr(second, name)}), second.model_copy(update={name: getattr(first, name)}), *others)


ATTEMPT = "retrieval_trace.attempts.0"

MUTATIONS = {
    "stages_in_order": Mutation("filtered_is_enough", setting(("retrieval_trace.spans", _swapped))),
    "same_query_argument": Mutation("filtered_is_enough", setting(("query", "another question"))),
    "filtered_is_enough": Mutation("filtered_is_enough", _retried_needlessly),
    "retry_without_evidence": Mutation("filtered_finds_nothing", setting(("retrieval_trace.fallback_reason", Verdict.FILTERED_LOW_QUALITY))),
    "retry_below_reference": Mutation("filtered_finds_little", setting(("retrieval_trace.fallback_reason", Verdict.FILTERED_NO_EVIDENCE))),
    "both_attempts_fail": Mutation(
        "filtered_finds_nothing",
        setting(("retrieval_trace.attempts.1.evidence_count", 0), ("retrieval_trace.attempts.1.verdict", Verdict.NO_EVIDENCE)),
    ),
    "hints_are_structured": Mutation("filtered_is_enough", setting(("retrieval_trace.hints.categories", ()))),
    "one_match_is_no_shortcut": Mutation(
        "one_l0_match",
        setting(
            ("retrieval_trace.attempts", ()),
            ("retrieval_trace.fallback_reason", None),
            ("retrieval_trace.spans", ()),
            ("reason_code", ReasonCode.NO_SEARCHABLE_TEXT),
        ),
    ),
    "hints_are_not_evidence": Mutation("filtered_is_enough", _flags_off),
    "evidence_result_is_whole": Mutation("filtered_is_enough", setting(("relevance_level", RelevanceLevel.NONE))),
    "no_evidence_is_traceable": Mutation("below_floor", setting(("message", "Found 3 passages in 1 document."))),
    "pack_keeps_metadata": Mutation("filtered_is_enough", setting(("evidence_blocks.0.title", "Another title"))),
    "pack_cuts_content": Mutation("tight_budget", setting(("context_pack.omitted.0.source", "another.md"))),
    "contributions_are_recorded": Mutation("filtered_is_enough", setting(("rerank_trace.entries.0.boost_reasons", ()))),
    "hints_are_hit_reasons": Mutation("filtered_is_enough", _hint_without_points),
    "block_has_metadata": Mutation("tight_budget", setting(("evidence_blocks.2.content", "  "))),
    "pack_comes_from_blocks": Mutation("filtered_is_enough", setting(("evidence_blocks.0.content", "Something else."))),
    "steps_follow_each_other": Mutation("filtered_is_enough", setting(("retrieval_trace.steps.2.after", "something else"))),
    "attempts_are_right": Mutation("no_l0_match", setting((f"{ATTEMPT}.query", "another question"))),
    "verdicts_are_right": Mutation("no_l0_match", setting((f"{ATTEMPT}.verdict", Verdict.LOW_QUALITY))),
    "fallback_reason_means_retry": Mutation("no_l0_match", setting(("retrieval_trace.fallback_reason", Verdict.FILTERED_LOW_QUALITY))),
    "better_attempt_is_selected": Mutation(
        "retry_is_worse", setting(("retrieval_trace.attempts.1.top_similarity", 0.64), ("retrieval_trace.attempts.1.verdict", Verdict.LOW_QUALITY))
    ),
    "filter_holds": Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates.0.categories", ("networking",)))),
    "scope_holds": Mutation("scoped", setting(("scope", (ScopeTerm(field="category", operator="!=", values=("policies",)),)))),
    "similarities_are_absolute": Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates.2.similarity", 0.4558421234))),
    "candidates_are_ranked": Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates", lambda all_: _ranks_swapped(all_, "rank")))),
    "entries_are_ranked": Mutation("filtered_is_enough", setting(("rerank_trace.entries", lambda all_: _ranks_swapped(all_, "final_rank")))),
    "points_add_up": Mutation("filtered_is_enough", setting(("rerank_trace.entries.0.parts.1.points", lambda points: points + 0.000001))),
    "floor_holds": Mutation("filtered_is_enough", setting((f"{ATTEMPT}.evidence_floor", 0.5))),
    "evidence_was_retrieved": Mutation("filtered_is_enough", setting(("evidence_blocks.0.chunk_ids", lambda ids: (*ids, "only-l0.md#x~1")))),
    "blocks_are_in_order": Mutation("filtered_is_enough", setting(("evidence_blocks", _swapped))),
    "codes_alone_are_low": Mutation("exact_code", setting(("relevance_level", RelevanceLevel.HIGH))),
    "only_l1_is_evidence": Mutation("filtered_is_enough", setting(("evidence_blocks.0.retrieval_layer", "L0"))),
    "dropped_is_no_evidence": Mutation("filtered_is_enough", _evidence_among_the_dropped),
    "budget_holds": Mutation("filtered_is_enough", setting(("context_pack.budget_tokens", 300))),
    "pack_reads_back": Mutation("filtered_is_enough", setting(("context_pack.included.0.lines.end", lambda line: line + 1))),
    "pack_accounts_for_blocks": Mutation("tight_budget", setting(("context_pack.omitted", lambda omitted: omitted[1:]))),
    "completeness_is_right": Mutation("filtered_is_enough", setting(("completeness_hint.level", CompletenessLevel.PARTIAL))),
    "found_agrees": Mutation("filtered_is_enough", setting(("reason_code", ReasonCode.BELOW_FLOOR))),
    "message_is_there": Mutation("filtered_is_enough", setting(("message", ""))),
}

_BEST = "runbooks/disk-filling.md#disk-filling~1"
_ITEM = PackedItem(id="x.md#~1", source="x.md", tokens=9, truncated=False, lines=LineRange(start=1, end=1))

# Further ways to break a promise that the first change does not reach: (code, mutation).
OTHER_MUTATIONS = (
    ("filtered_is_enough", Mutation("filtered_is_enough", setting(("retrieval_trace.selected_attempt", AttemptName.UNFILTERED)))),
    ("retry_without_evidence", Mutation("filtered_finds_nothing", setting(("retrieval_trace.attempts", lambda all_: all_[:1])))),
    ("retry_below_reference", Mutation("filtered_finds_little", setting(("retrieval_trace.attempts.1.query", "another")))),
    ("no_evidence_is_traceable", Mutation("below_floor", setting(("retrieval_trace.attempts", ())))),
    ("hints_are_structured", Mutation("filtered_is_enough", setting(("retrieval_trace.hints.matched_titles.0.kind", "keyword")))),
    ("hints_are_structured", Mutation("filtered_is_enough", setting(("retrieval_trace.hints.matched_titles.0.sources", ())))),
    ("pack_keeps_metadata", Mutation("filtered_is_enough", setting(("evidence_blocks.0.hit_reasons", lambda reasons: reasons[:-1])))),
    ("pack_cuts_content", Mutation("tight_budget", setting(("evidence_blocks.1.lines.end", 99)))),
    ("contributions_are_recorded", Mutation("filtered_is_enough", setting(("rerank_trace.entries", ())))),
    ("contributions_are_recorded", Mutation("filtered_is_enough", setting(("rerank_trace.entries.0.source", "x.md")))),
    ("block_has_metadata", Mutation("filtered_is_enough", setting(("evidence_blocks.0.breadcrumb", None)))),
    ("steps_follow_each_other", Mutation("filtered_is_enough", setting(("retrieval_trace.steps", ())))),
    ("attempts_are_right", Mutation("filtered_is_enough", setting((f"{ATTEMPT}.filter", "networking")))),
    ("attempts_are_right", Mutation("filtered_is_enough", setting(("retrieval_trace.filter_decision.code", FilterCode.AMBIGUOUS)))),
    ("verdicts_are_right", Mutation("both_attempts_fail", setting((f"{ATTEMPT}.verdict", Verdict.OK)))),
    ("verdicts_are_right", Mutation("exact_code", setting(("retrieval_trace.attempts.0.verdict", Verdict.OK)))),
    ("similarities_are_absolute", Mutation("filtered_is_enough", setting((f"{ATTEMPT}.top_similarity", 1.000001)))),
    ("similarities_are_absolute", Mutation("filtered_is_enough", setting(("evidence_blocks.0.similarity", -0.1)))),
    ("candidates_are_ranked", Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates.0.rank", 2)))),
    ("candidates_are_ranked", Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates.5.rank", 9)))),
    ("candidates_are_ranked", Mutation("filtered_is_enough", setting((f"{ATTEMPT}.candidates.0.similarity", 0.1)))),
    ("points_add_up", Mutation("filtered_is_enough", setting(("rerank_trace.entries.0.score", 1.448746)))),
    ("points_add_up", Mutation("filtered_is_enough", setting(("rerank_trace.entries.0.parts", lambda parts: parts[1:])))),
    ("evidence_was_retrieved", Mutation("filtered_is_enough", setting(("evidence_blocks.0.attempt", AttemptName.UNFILTERED)))),
    ("dropped_is_no_evidence", Mutation("filtered_is_enough", setting(("rerank_trace.dropped_counts", {})))),
    ("dropped_is_no_evidence", Mutation("filtered_is_enough", setting(("rerank_trace.dropped.0.kept_instead", _BEST)))),
    ("pack_reads_back", Mutation("filtered_is_enough", setting(("context_pack.text", "no header")))),
    ("pack_accounts_for_blocks", Mutation("filtered_is_enough", setting(("context_pack.included", lambda all_: (*all_, _ITEM))))),
    (
        "completeness_is_right",
        Mutation("filtered_is_enough", setting(("context_pack.omitted", (OmittedItem(id="x", source="x.md", tokens=9, reason=OmitReason.NO_ROOM),)))),
    ),
    ("found_agrees", Mutation("below_floor", setting(("found", True)))),
    ("found_agrees", Mutation("below_floor", setting(("retrieval_trace.selected_attempt", AttemptName.UNFILTERED)))),
)
