"""The rule that makes four thresholds of the best similarities of answerable and unanswerable questions."""

from __future__ import annotations

import numpy as np

STEPS = 100  # thresholds are multiples of 1 / STEPS
_MOST_REFUSED = 0.005  # share of the answerable questions that the floor may refuse
_MOST_RETRIED = 0.10  # share of them that the reference may call low quality
_MOST_MEDIUM = 0.20  # share of the unanswerable questions that may be called more than lowly relevant
_MOST_HIGH = 0.05  # share of the unanswerable questions that may be called highly relevant
GRID = np.arange(STEPS + 1) / STEPS


def below(similarities: np.ndarray) -> np.ndarray:
    """How many of some similarities lie below each threshold of GRID: int64 [101]."""
    return np.searchsorted(np.sort(similarities), GRID, side="left")


def choose(answerable: np.ndarray, unanswerable: np.ndarray) -> tuple[dict[str, float], dict[str, str]]:
    """The thresholds, rising, and why each is where it is; both float64 [questions], at least one each."""
    good, bad = below(answerable), below(unanswerable)
    n, m = len(answerable), len(unanswerable)
    allowed, enough = _highest(good, _MOST_REFUSED * n), _lowest(bad, m, 0)
    floor = allowed if enough >= allowed else (allowed + enough) // 2  # where a gap parts the two kinds, in its middle
    medium = max(_lowest(bad, m, _MOST_MEDIUM), floor)
    wanted = _highest(good, _MOST_RETRIED * n)
    reference = min(max(wanted, floor), medium)
    high = max(_lowest(bad, m, _MOST_HIGH), medium)
    steps = {"evidence_floor": floor, "reference_threshold": reference, "medium_threshold": medium, "high_threshold": high}
    reasons = {
        "evidence_floor": (
            f"the highest at which at most {_MOST_REFUSED:.1%} of the answerable questions are refused"
            if floor == allowed
            else f"the middle of the gap between the unanswerable questions, which end below {enough / STEPS}, and the answerable ones"
        )
        + f": it refuses {_of(good[floor], n)} of the answerable and {_of(bad[floor], m)} of the unanswerable ones",
        "reference_threshold": f"{_of(good[reference], n)} of the answerable questions lie below it"
        + (f"; {wanted / STEPS}, with at most {_MOST_RETRIED:.0%} below, is not between floor and medium" if reference != wanted else ""),
        "medium_threshold": f"{_of(m - bad[medium], m)} of the unanswerable and {_of(n - good[medium], n)} of the answerable questions reach it; "
        f"at most {_MOST_MEDIUM:.0%} of the unanswerable ones should",
        "high_threshold": f"{_of(m - bad[high], m)} of the unanswerable and {_of(n - good[high], n)} of the answerable questions reach it; "
        f"at most {_MOST_HIGH:.0%} of the unanswerable ones should",
    }
    return {name: step / STEPS for name, step in steps.items()}, reasons


def _highest(counts: np.ndarray, most: float) -> int:
    """The highest step with at most so many questions below it; the counts rise and begin with 0."""
    return int(np.flatnonzero(counts <= most)[-1])


def _lowest(counts: np.ndarray, total: int, most: float) -> int:
    """The lowest step that at most a share of the questions reach, else the last."""
    reached = np.flatnonzero(total - counts <= most * total)
    return int(reached[0]) if len(reached) else STEPS


def _of(count: int, total: int) -> str:
    return f"{count} of {total} ({count / total:.1%})"
