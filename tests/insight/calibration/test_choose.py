"""The rule of calibration on similarities whose thresholds can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.insight.calibration.choose import GRID, below, choose

NAMES = ["evidence_floor", "reference_threshold", "medium_threshold", "high_threshold"]


def chosen(answerable: list[float], unanswerable: list[float]) -> list[float]:
    thresholds, _ = choose(np.asarray(answerable), np.asarray(unanswerable))
    assert list(thresholds) == NAMES
    return list(thresholds.values())


def test_thresholds_of_overlapping_questions() -> None:
    answerable = [at / 100 for at in range(31, 81)]  # 0.31 to 0.80, one each
    unanswerable = [at / 100 for at in range(11, 51)]  # 0.11 to 0.50
    # floor: at 0.31 none is below; reference: at 0.36 five of 50 are; medium: 0.43 to 0.50 are 8 of 40; high: 0.49 and 0.50 are 2 of 40
    assert chosen(answerable, unanswerable) == [0.31, 0.36, 0.43, 0.49]


def test_high_is_above_medium_where_single_unanswerable_questions_come_near() -> None:
    answerable = [0.5] * 5 + [0.6] * 5 + [0.9] * 10
    unanswerable = [0.2] * 17 + [0.55, 0.7, 0.7]
    # medium: 3 of 20 reach 0.21; floor 0.5 moves it up; high: 0.56 leaves 2 of 20, 0.71 none
    assert chosen(answerable, unanswerable) == [0.5, 0.5, 0.5, 0.71]


def test_medium_keeps_four_of_five_unanswerable_questions_out() -> None:
    assert chosen([0.1] + [0.8] * 9, [0.3] * 8 + [0.5] * 2)[2] == 0.31
    assert chosen([0.1] + [0.8] * 9, [0.3] * 7 + [0.5] * 3)[2] == 0.51


def test_the_floor_stands_in_the_middle_of_a_gap() -> None:
    assert chosen([0.7, 0.8], [0.2, 0.1])[0] == 0.45
    _, reasons = choose(np.asarray([0.7, 0.8]), np.asarray([0.2, 0.1]))
    assert reasons["evidence_floor"].startswith("the middle of the gap between the unanswerable questions, which end below 0.21, and")


def test_a_similarity_on_a_threshold_reaches_it() -> None:
    assert [int(below(np.asarray([at / 100]))[at]) for at in range(101)] == [0] * 101
    assert [int(below(np.asarray([at / 100]))[at + 1]) for at in range(100)] == [1] * 100
    assert below(np.asarray([0.299999, 0.3, 0.300001]))[30:32].tolist() == [1, 3]


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "expected"),
    [
        ([0.7], [0.2], [0.45, 0.45, 0.45, 0.45]),
        ([0.0], [0.0], [0.0, 0.0, 0.01, 0.01]),
        ([1.0], [1.0], [1.0, 1.0, 1.0, 1.0]),
        ([0.2], [0.9], [0.2, 0.2, 0.91, 0.91]),
        ([0.4] * 10, [0.4] * 10, [0.4, 0.4, 0.41, 0.41]),
    ],
)
def test_extremes_have_thresholds_too(answerable: list[float], unanswerable: list[float], expected: list[float]) -> None:
    assert chosen(answerable, unanswerable) == expected


def test_thresholds_rise_and_are_hundredths_whatever_the_similarities() -> None:
    random = np.random.default_rng(4)
    for _ in range(300):
        shapes = random.uniform(0.5, 5, 4)
        good = np.round(random.beta(shapes[0], shapes[1], size=int(random.integers(1, 60))), 6)
        bad = np.round(random.beta(shapes[2], shapes[3], size=int(random.integers(1, 60))), 6)
        found = chosen(good.tolist(), bad.tolist())
        assert found == sorted(found)
        assert set(found) <= set(GRID.tolist())
        assert (good < found[0]).mean() <= 0.005
        assert (bad >= found[2]).mean() <= 0.20 or found[2] == 1.0
        assert (bad >= found[3]).mean() <= 0.05 or found[3] == 1.0


def test_each_reason_gives_the_numbers() -> None:
    _, reasons = choose(np.asarray([0.5] * 5 + [0.6] * 5 + [0.9] * 10), np.asarray([0.2] * 17 + [0.55, 0.7, 0.7]))
    assert reasons == {
        "evidence_floor": "the highest at which at most 0.5% of the answerable questions are refused: it refuses 0 of 20 (0.0%) of the "
        "answerable and 17 of 20 (85.0%) of the unanswerable ones",
        "reference_threshold": "0 of 20 (0.0%) of the answerable questions lie below it",
        "medium_threshold": "3 of 20 (15.0%) of the unanswerable and 20 of 20 (100.0%) of the answerable questions reach it; "
        "at most 20% of the unanswerable ones should",
        "high_threshold": "0 of 20 (0.0%) of the unanswerable and 10 of 20 (50.0%) of the answerable questions reach it; "
        "at most 5% of the unanswerable ones should",
    }


def test_a_reference_that_is_not_between_floor_and_medium_is_moved_and_says_so() -> None:
    thresholds, reasons = choose(np.asarray([0.5] * 9 + [0.1]), np.asarray([0.3]))
    assert list(thresholds.values()) == [0.1, 0.31, 0.31, 0.31]
    moved = "1 of 10 (10.0%) of the answerable questions lie below it; 0.5, with at most 10% below, is not between floor and medium"
    assert reasons["reference_threshold"] == moved
