"""What is said of single outcomes, beside the measures."""

from __future__ import annotations

import pytest

from engine.insight.evaluation.measures import not_all_found, value, wrongly_answered
from tests.insight.evaluation.golden import outcome, refused


def test_a_question_without_an_answer_is_answered_from_relevance_medium_on() -> None:
    levels = ("low", "medium", "high")
    found = [refused("q", found=True, relevance_level=level) for level in levels]
    assert [wrongly_answered(one) for one in (refused("q"), *found)] == [False, False, True, True]
    assert [value("refused_or_low_unanswerable", one) for one in found] == [1.0, 0.0, 0.0]
    assert not wrongly_answered(outcome("q"))


@pytest.mark.parametrize(
    ("targets", "recall", "rank", "lacks"),
    [
        *((1, 1.0, 1, False), (2, 1.0, 1, False), (2, 0.5, 1, True), (2, 0.5, 2, False), (2, 0.0, None, False)),
        *((7, 0.714286, 1, False), (7, 0.571429, 1, True)),
    ],
)
def test_targets_lack_where_the_first_five_have_room_for_them(targets: int, recall: float, rank: int | None, lacks: bool) -> None:
    expected = tuple(f"{at}.md" for at in range(targets))
    assert not_all_found(outcome("q", expected=expected, first_rank=rank, measures={"R@5": recall})) is lacks
