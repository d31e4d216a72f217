"""Which chunk counts as what, and what that makes of the measures."""

from __future__ import annotations

from math import log2

import pytest

from engine.insight.evaluation.ranking import first_rank, ranked_measures, ranking, target_unit
from engine.insight.evaluation.targets import Place, Target

CANDIDATES = [Place("b.md", "b/x", 1), Place("b.md", "b/y", 1), Place("a.md", "a/x", 2), Place("a.md", "a/x/deep", 1), Place("a.md", "a/x", 1)]
DOCUMENT, SECTION, CHUNK = Target("a.md", "a.md"), Target("a.md#a/x", "a.md", "a/x"), Target("a.md#a/x~1", "a.md", "a/x", 1)


def test_where_a_document_is_expected_the_chunks_of_a_document_take_one_place() -> None:
    assert ranking(CANDIDATES, [DOCUMENT]) == [("b.md",), target_unit(DOCUMENT)]


def test_where_a_section_is_expected_each_section_takes_a_place_and_those_below_it_stand_for_it() -> None:
    assert ranking(CANDIDATES, [SECTION]) == [("b.md", "b/x"), ("b.md", "b/y"), target_unit(SECTION)]


def test_where_a_chunk_is_expected_each_chunk_takes_a_place() -> None:
    others = [("b.md", "b/x", "1"), ("b.md", "b/y", "1"), ("a.md", "a/x", "2"), ("a.md", "a/x/deep", "1")]
    assert ranking(CANDIDATES, [CHUNK]) == [*others, target_unit(CHUNK)]


def test_a_candidate_stands_for_every_target_that_it_satisfies_and_the_finest_decides_the_rest() -> None:
    assert ranking(CANDIDATES, [SECTION, DOCUMENT]) == [("b.md", "b/x"), ("b.md", "b/y"), target_unit(SECTION), target_unit(DOCUMENT)]


def test_a_section_is_not_its_namesake_with_a_longer_name() -> None:
    assert not Target("a.md#a", "a.md", "a").holds(Place("a.md", "a-2", 1))
    assert not Target("a.md#", "a.md", "").holds(Place("a.md", "a", 1))
    assert not SECTION.holds(Place("b.md", "a/x", 1))


def test_the_measures_are_those_of_the_textbook() -> None:
    missed = Target("c.md", "c.md")
    ranked = [("x.md",), target_unit(DOCUMENT), ("y.md",)]
    [found] = ranked_measures([ranked], [[DOCUMENT, missed]])
    gain = 1 / log2(3)
    assert found == {"nDCG@10": round(gain / (1 + gain), 6), "R@5": 0.5, "RR@10": 0.5, "P@1": 0.0}


@pytest.mark.parametrize(("before", "expected"), [(9, (round(1 / log2(11), 6), 0.1)), (10, (0.0, 0.0))])
def test_measures_look_at_ten_places(before: int, expected: tuple[float, float]) -> None:
    ranked = [*((f"{at}.md",) for at in range(before)), target_unit(DOCUMENT)]
    [found] = ranked_measures([ranked], [[DOCUMENT]])
    assert (found["nDCG@10"], found["RR@10"], found["R@5"]) == (*expected, 0.0)
    assert first_rank(ranked, [DOCUMENT]) == before + 1


def test_a_question_without_candidates_has_zeros_and_one_without_expectation_has_none() -> None:
    found = ranked_measures([[], [("x.md",)], [target_unit(DOCUMENT)]], [[DOCUMENT], [], [DOCUMENT]])
    assert found == [dict.fromkeys(found[0], 0.0), {}, dict.fromkeys(found[0], 1.0)]
    assert list(found[0]) == ["nDCG@10", "R@5", "RR@10", "P@1"]
    assert first_rank([("x.md",)], [DOCUMENT]) is None
