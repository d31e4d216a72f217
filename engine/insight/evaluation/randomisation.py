"""Whether a difference between two runs is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_MOST_ENUMERATED = 12  # differences other than zero: 4,096 ways to give them signs
_FLIPS = 10_000
_AT_ONCE = 500
_SEED = 20
_ROUNDING = 1e-9  # sums of the same numbers in another order are the same


def p_value(differences: Sequence[float]) -> float:
    """The two-sided paired randomisation test, six decimals: how often chance alone makes a mean difference at least as large.

    Each question could as well have had its two values the other way round (Smucker, Allan & Carterette, CIKM 2007). Up to 12 differences are
    given all their signs; more of them 10,000 random ones, where the run itself counts as one more, so that p is never 0.
    """
    found = np.asarray([one for one in differences if one], dtype=np.float64)
    if len(found) == 0:
        return 1.0
    least = abs(float(found.sum())) - _ROUNDING
    if len(found) <= _MOST_ENUMERATED:
        signs = 1 - 2 * ((np.arange(2 ** len(found))[:, None] >> np.arange(len(found))) & 1)
        return round(float((np.abs(signs @ found) >= least).mean()), 6)
    random = np.random.default_rng(_SEED)
    flips = (1.0 - 2.0 * random.integers(0, 2, (_AT_ONCE, len(found)), dtype=np.int8) for _ in range(_FLIPS // _AT_ONCE))
    as_large = sum(int((np.abs(signs @ found) >= least).sum()) for signs in flips)
    return round((as_large + 1) / (_FLIPS + 1), 6)
