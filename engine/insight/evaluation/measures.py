"""What each measure says of one question: the value that is averaged, compared and gated."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contracts.codes import FilterCode, RelevanceLevel
from engine.contracts.evaluation import RANKED, SHARES, CaseOutcome
from engine.contracts.reports import Case

MEASURES = (*RANKED, *SHARES)
TRUSTED = (RelevanceLevel.MEDIUM, RelevanceLevel.HIGH)  # at which evidence is taken for an answer


def applies(measure: str, one: Case | CaseOutcome) -> bool:
    """Whether a question says something of a measure, which is known before it is asked."""
    if measure in (*RANKED, "hit@packed"):
        return bool(one.expected)
    if measure in ("must_not", "must_not_packed"):
        return bool(one.must_not)
    if measure.endswith("_unanswerable"):
        return not one.answerable
    return one.answerable if measure.endswith("_answerable") else True


def value(measure: str, one: CaseOutcome) -> float | None:
    """The value of a measure for one question, 0 to 1; None where the question says nothing of it."""
    if not applies(measure, one):
        return None
    return one.measures.get(measure) if measure in RANKED else float(_is_one_of(measure, one))


def values(measure: str, outcomes: Sequence[CaseOutcome]) -> list[float]:
    """Its values over the questions that say something of it."""
    return [found for one in outcomes if (found := value(measure, one)) is not None]


def wrongly_answered(one: CaseOutcome) -> bool:
    """Whether a question without an answer got one, at a relevance that is trusted."""
    return not one.answerable and one.relevance_level in TRUSTED


def not_all_found(one: CaseOutcome) -> bool:
    """Whether, though an expected target comes first, the first five lack another one that has room there."""
    targets = len(set(one.expected))
    return one.first_rank == 1 and round(one.measures.get("R@5", 1.0) * targets) < min(targets, 5)


def _is_one_of(measure: str, one: CaseOutcome) -> bool:
    """Whether a question that counts for a share is one of those that the share is of."""
    refused_or_low = one.relevance_level not in TRUSTED
    return {
        "hit@packed": bool(one.packed),
        "refused_unanswerable": not one.found,
        "refused_or_low_unanswerable": refused_or_low,
        "refused_answerable": not one.found,
        "refused_or_low_answerable": refused_or_low,
        "must_not": bool(one.violations),
        "must_not_packed": bool(one.packed_must_not),
        "filtered": one.filter_code is FilterCode.APPLIED,
        "fallback": one.fallback_reason is not None,
    }[measure]
