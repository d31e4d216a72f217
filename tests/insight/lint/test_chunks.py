"""Near duplicates are found exactly, and each is reported once."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.insight.lint.chunks import near_twins


def compared_one_by_one(texts: list[list[str]]) -> dict[int, int]:
    runs = [set(zip(text, text[1:], text[2:], strict=False)) for text in texts]
    near = [(row, earlier) for row in range(len(texts)) for earlier in range(row) if _are_near(runs[row], runs[earlier])]
    return {row: min(earlier for later, earlier in near if later == row) for row, _ in near}


def _are_near(one: set[tuple[str, str, str]], other: set[tuple[str, str, str]]) -> bool:
    """A Jaccard similarity of at least 0.8, in whole numbers."""
    return bool(one and other) and 5 * len(one & other) >= 4 * len(one | other)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=12), max_size=12))
def test_the_twins_are_those_that_comparing_all_pairs_finds(texts: list[list[str]]) -> None:
    assert near_twins(texts) == compared_one_by_one(texts)


def test_edited_copies_of_long_texts_are_found_up_to_the_threshold() -> None:
    chance = random.Random(7)
    texts = [[str(chance.randrange(50)) for _ in range(60)] for _ in range(10)]
    for text in texts[:10]:
        for edits in (1, 2, 3, 4, 6):
            copy = list(text)
            for at in chance.sample(range(60), edits):
                copy[at] = "new"
            texts.append(copy)
    found = near_twins(texts)
    assert found == compared_one_by_one(texts)
    assert 10 < len(found) < 50


def test_each_of_many_copies_names_the_first_and_the_first_names_none() -> None:
    text = [str(at) for at in range(30)]
    assert near_twins([text] * 2000) == dict.fromkeys(range(1, 2000), 0)


def test_a_chain_of_small_edits_is_followed_link_by_link() -> None:
    words = [str(at) for at in range(40)]
    chain = [[*words[at:], *(f"new{i}" for i in range(at))] for at in range(0, 16, 4)]
    assert near_twins(chain) == {later: earlier for earlier, later in pairwise(range(4))}


def test_texts_of_fewer_than_three_terms_have_no_twin() -> None:
    assert near_twins([["a", "b"], ["a", "b"], [], []]) == {}
