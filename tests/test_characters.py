"""Visible characters are never torn, wherever a cut is wanted."""

from __future__ import annotations

import pytest

from engine.characters import border_after, border_before, inside_a_character

WHOLE = ["👩🏽‍🚀", "👨‍👩‍👧", "👍🏽", "❤️", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "कि", "각", "𠮷", "字", "a"]


@pytest.mark.parametrize("one", WHOLE)
def test_the_only_borders_are_between_visible_characters(one: str) -> None:
    text = one * 5
    borders = [at for at in range(1, len(text)) if not inside_a_character(text, at)]
    assert borders == [len(one) * i for i in range(1, 5)]


def test_the_nearest_border_is_searched_for_before_and_after() -> None:
    text = "ab🇩🇪🇫🇷"
    assert (border_before(text, 5, 0), border_after(text, 5, len(text))) == (4, 6)
    assert border_before(text, 3, 0) == 2


def test_a_character_that_fills_the_whole_stretch_is_cut_where_it_was_asked() -> None:
    text = "a" + "\u0301" * 50
    assert (border_before(text, 20, 0), border_after(text, 20, 40)) == (20, 20)
