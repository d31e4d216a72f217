"""What each measure says of one question: the value that is averaged, compared and gated."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contracts.codes import FilterCode, RelevanceLevel
from engine.contracts.evaluation import RANKED, SHARES, CaseOutcome

MEASURES = (*RANKED, *SHARES)


def value(measure: str, one: CaseOutcome) -> float | None:
    """The value of a measure for one question, 0 to 1; None where the question says nothing of it."""
    if measure in RANKED:
        return one.measures.get(measure)
    applies, true = _share(measure, one)
    return float(true) if applies else None


def values(measure: str, outcomes: Sequence[CaseOutcome]) -> list[float]:
    """Its values over the questions that say something of it."""
    return [found for one in outcomes if (found := value(measure, one)) is not None]


def _share(measure: str, one: CaseOutcome) -> tuple[bool, bool]:
    """Whether a question counts for a share, and whether it is one of those that the share is of."""
    refused_or_low = one.relevance_level in (RelevanceLevel.NONE, RelevanceLevel.LOW)
    return {
        "hit@packed": (one.packed is not None, bool(one.packed)),
        "refused_unanswerable": (not one.answerable, not one.found),
        "refused_or_low_unanswerable": (not one.answerable, refused_or_low),
        "refused_answerable": (one.answerable, not one.found),
        "refused_or_low_answerable": (one.answerable, refused_or_low),
        "must_not": (bool(one.must_not), bool(one.violations)),
        "filtered": (True, one.filter_code is FilterCode.APPLIED),
        "fallback": (True, one.fallback_reason is not None),
    }[measure]
