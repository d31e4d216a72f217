"""Means with intervals: right for known values, the same every time, and quick."""

from __future__ import annotations

import time

import pytest

from engine.contracts.evaluation import SHARES
from engine.insight.evaluation.estimates import estimate, estimates
from engine.insight.evaluation.measures import value
from tests.insight.evaluation.golden import outcome, refused


def test_questions_that_agree_have_an_interval_without_width() -> None:
    found = estimate([0.25] * 7)
    assert (found.mean, found.low, found.high, found.questions) == (0.25, 0.25, 0.25, 7)


def test_the_interval_of_a_share_is_that_of_the_binomial_distribution() -> None:
    found = estimate([1.0] * 60 + [0.0] * 40)
    assert found.mean == 0.6
    assert (found.low, found.high) == pytest.approx((0.50, 0.69), abs=0.011)  # the 2.5 and 97.5 % points of B(100, 0.6)


def test_the_same_values_have_the_same_interval() -> None:
    sample = [0.1, 0.4, 0.4, 0.9, 1.0, 0.0, 0.63]
    assert estimate(sample) == estimate(sample)


def test_five_thousand_questions_take_a_moment() -> None:
    begun = time.perf_counter()
    estimate([(at % 11) / 10 for at in range(5000)])
    assert time.perf_counter() - begun < 2  # 0.09 s on an idle machine


def test_each_share_counts_the_questions_that_it_is_about() -> None:
    outcomes = [
        outcome("good", filter_code="applied", fallback_reason="filtered_vector_low_quality"),
        outcome("cut", packed=False, relevance_level="low", must_not=("b.md",), violations=("b.md",), packed_must_not=("b.md",)),
        outcome("lost", packed=False, found=False, relevance_level="none", must_not=("b.md",)),
        outcome("open", expected=(), measures={}, packed=None),
        refused("none"),
        refused("low", found=True, relevance_level="low"),
        refused("medium", found=True, relevance_level="medium"),
    ]
    found = {name: (one.mean, one.questions) for name, one in estimates(outcomes).items()}
    assert found == {
        **dict.fromkeys(("nDCG@10", "R@5", "RR@10", "P@1"), (1.0, 3)),
        "hit@packed": (0.333333, 3),
        "refused_unanswerable": (0.333333, 3),
        "refused_or_low_unanswerable": (0.666667, 3),
        "refused_answerable": (0.25, 4),
        "refused_or_low_answerable": (0.5, 4),
        "must_not": (0.5, 2),
        "must_not_packed": (0.5, 2),
        "filtered": (0.142857, 7),
        "fallback": (0.142857, 7),
    }


def test_a_measure_without_a_question_is_left_out() -> None:
    assert {"hit@packed", "refused_answerable", "must_not", "nDCG@10"}.isdisjoint(estimates([refused("only")]))
    assert all(value(name, refused("only")) in (None, 0.0, 1.0) for name in SHARES)
