"""Two runs against each other, and a test of chance that was worked out by hand."""

from __future__ import annotations

from itertools import product

import pytest

from engine import BadInput
from engine.console.comparison_text import comparison_text
from engine.contracts.evaluation import MeasureComparison
from engine.insight.evaluation.compare import compare
from engine.insight.evaluation.randomisation import p_value
from tests.insight.evaluation.golden import outcome, refused, run_of

LOST = {"measures": {"nDCG@10": 0.0, "R@5": 0.0, "RR@10": 0.0, "P@1": 0.0}, "first_rank": None, "packed": False}


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),  # both signs are as large
        ([1.0, 1.0, 1.0], 0.25),  # 2 of 8
        ([0.5, -0.1, 0.2], 0.5),  # |0.6| is reached by +++, +-+ and their opposites: 4 of 8
        ([0.1, 0.2, -0.3, 0.0], 1.0),
        ([1.0] * 12, 2 / 4096),
    ],
)
def test_few_differences_are_given_all_their_signs(differences: list[float], expected: float) -> None:
    assert p_value(differences) == pytest.approx(expected, abs=1e-6)


def test_an_enumeration_by_hand_gives_the_same() -> None:
    differences = [0.31, -0.12, 0.4, 0.05, -0.27, 0.6, 0.11]
    sums = [abs(sum(sign * one for sign, one in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=7)]
    assert p_value(differences) == round(sum(one >= abs(sum(differences)) - 1e-9 for one in sums) / 128, 6)


def test_many_differences_are_sampled_the_same_way_every_time_and_never_give_zero() -> None:
    assert p_value([1.0] * 40) == p_value([1.0] * 40) == round(1 / 10_001, 6)
    assert p_value([1.0, -1.0] * 20) == 1.0
    mixed = [1.0] * 9 + [-1.0] * 4  # two-sided sign test: 2 x P(at most 4 of 13) = 0.266846
    assert p_value(mixed) == pytest.approx(0.266846, abs=0.015)
    assert p_value([-one for one in mixed]) == p_value(mixed)


def test_wins_losses_and_means_are_counted_over_the_common_questions() -> None:
    first = run_of([outcome("a"), outcome("b"), outcome("c", **LOST), refused("d"), outcome("only one")], "1" * 12)
    second = run_of([outcome("b", **LOST), outcome("a"), outcome("c"), refused("d", found=True, relevance_level="low"), outcome("two")], "2" * 12)
    compared = compare(first, second)
    assert (compared.first, compared.second, compared.questions) == ("1" * 12, "2" * 12, 4)
    assert (compared.only_first, compared.only_second, compared.same_snapshot) == (("only one",), ("two",), True)
    measures = {one.measure: one for one in compared.measures}
    assert measures["nDCG@10"] == MeasureComparison(
        measure="nDCG@10", first=0.666667, second=0.666667, difference=0.0, wins=1, losses=1, ties=1, p_value=1.0
    )
    refusal = measures["refused_unanswerable"]
    assert (refusal.first, refusal.second, refusal.wins, refusal.losses) == (1.0, 0.0, 0, 1)
    assert "must_not" not in measures and "filtered" not in measures


def test_where_fewer_is_better_a_fall_is_a_win() -> None:
    first = run_of([outcome("a", must_not=("x.md",), violations=("x.md",))])
    second = run_of([outcome("a", must_not=("x.md",))])
    [one] = [one for one in compare(first, second).measures if one.measure == "must_not"]
    assert (one.difference, one.wins, one.losses) == (-1.0, 1, 0)


def test_what_must_not_be_packed_and_is_counts_unless_a_run_is_older_than_the_measure() -> None:
    first = run_of([outcome("a", must_not=("x.md",))])
    second = run_of([outcome("a", must_not=("x.md",), packed_must_not=("x.md",))])
    [one] = [one for one in compare(first, second).measures if one.measure == "must_not_packed"]
    assert (one.wins, one.losses, [change.id for change in compare(first, second).changes]) == (0, 1, ["a"])
    old = first.model_copy(update={"estimates": {name: one for name, one in first.estimates.items() if name != "must_not_packed"}})
    compared = compare(old, second)
    assert {"must_not", "must_not_packed"} & {one.measure for one in compared.measures} == {"must_not"}
    assert compared.changes == ()


def test_a_change_of_what_misleads_is_a_change() -> None:
    [change] = compare(run_of([outcome("a")]), run_of([outcome("a", violations=("x.md",))])).changes
    assert change.second.violations == ("x.md",)


def test_the_greatest_loss_comes_first_and_what_nobody_notices_not_at_all() -> None:
    half = {"measures": {"nDCG@10": 0.5, "R@5": 1.0, "RR@10": 0.5, "P@1": 0.0}, "first_rank": 2}
    first = run_of([outcome("same"), outcome("won", **LOST), outcome("half"), outcome("level"), outcome("lost"), outcome("top")])
    second = run_of(
        [
            *(outcome("same"), outcome("won"), outcome("half", **half), outcome("level", relevance_level="low")),
            *(outcome("lost", **LOST), outcome("top", top_similarity=0.6)),
        ]
    )
    changes = compare(first, second).changes
    assert [one.id for one in changes] == ["lost", "half", "level", "won"]
    assert (changes[0].first.first_rank, changes[0].second.first_rank) == (1, None)


def test_a_question_that_expects_something_else_is_another_question() -> None:
    compared = compare(run_of([outcome("a"), outcome("b")]), run_of([outcome("a", expected=("b.md",)), outcome("b")]))
    assert (compared.questions, compared.only_first, compared.only_second) == (1, ("a",), ("a",))


def test_settings_that_differ_are_listed_with_both_values() -> None:
    first = run_of([outcome("a")], settings={"max_blocks": 8, "old": 1, "same": True})
    second = run_of([outcome("a")], settings={"max_blocks": 3, "same": True})
    assert compare(first, second).changed_settings == {"max_blocks": (8, 3), "old": (1, None)}
    assert "\nSettings:\n  max_blocks: 8 -> 3\n  old: 1 -> no such setting\n" in comparison_text(compare(first, second))
    assert not compare(first, run_of([outcome("a")], snapshot_id="t")).same_snapshot


def test_runs_without_a_common_question_cannot_be_compared() -> None:
    with pytest.raises(BadInput, match="have no question in common; evaluate the same questions with both settings"):
        compare(run_of([outcome("a")]), run_of([outcome("b")]))
