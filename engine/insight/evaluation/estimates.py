"""A mean over questions, and how far it would move with other questions of the same kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.contracts.evaluation import CaseOutcome, Estimate
from engine.insight.evaluation.measures import MEASURES, values

_RESAMPLES = 2000  # the ends of the interval then move by less than a tenth of its width from seed to seed
_SEED = 20
_AT_ONCE = 100  # resamples, so that thousands of questions take little memory


def estimates(outcomes: Sequence[CaseOutcome]) -> dict[str, Estimate]:
    """Every measure that some question says something of, in the order of MEASURES."""
    by_id = sorted(outcomes, key=lambda one: one.id)  # so that the order of the cases moves no interval
    measured = {measure: values(measure, by_id) for measure in MEASURES}
    return {measure: estimate(found) for measure, found in measured.items() if found}


def estimate(found: Sequence[float]) -> Estimate:
    """The mean with its 95 % percentile bootstrap interval (Efron & Tibshirani 1993, chapter 13); the same values give the same interval."""
    sample = np.asarray(found, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    means = np.concatenate([sample[random.integers(0, len(sample), (_AT_ONCE, len(sample)))].mean(axis=1) for _ in range(_RESAMPLES // _AT_ONCE)])
    low, high = np.percentile(means, (2.5, 97.5))
    return Estimate(mean=round(float(sample.mean()), 6), low=round(float(low), 6), high=round(float(high), 6), questions=len(sample))
