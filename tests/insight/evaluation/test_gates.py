"""Gates: read before anything is asked, judged by the mean, and never passed by what was not measured."""

from __future__ import annotations

import pytest

from engine import BadInput
from engine.insight.evaluation.gates import held_against, read_demands, require_judgeable
from engine.insight.evaluation.measures import MEASURES, applies
from tests.insight.evaluation.golden import case, outcome, refused, run_of

RUN = run_of([outcome("a"), outcome("b", packed=False), outcome("c"), outcome("d")])


@pytest.mark.parametrize(
    ("demand", "passed"),
    [
        ("hit@packed>=0.75", True),
        ("hit@packed>0.75", False),
        ("hit@packed<=0.75", True),
        ("hit@packed<0.75", False),
        ("nDCG@10 >= .8", True),
        ("refused_answerable<=0", True),
        ("P@1<1", False),
    ],
)
def test_a_gate_compares_the_mean(demand: str, passed: bool) -> None:
    [gate] = held_against(RUN, read_demands([demand]))
    assert (gate.demand, gate.passed) == (demand, passed)


def test_what_was_measured_is_said() -> None:
    assert [gate.measured for gate in held_against(RUN, read_demands(["hit@packed>0", "P@1>0"]))] == [0.75, 1.0]


@pytest.mark.parametrize(
    "demand", ["", "nDCG@10", "nDCG@10=0.8", "nDCG@10>=", "nDCG@10>=80", "nDCG@10>=0.8.1", ">=0.8", "nDCG@10>=nan", "nDCG@10>=-1"]
)
def test_what_is_no_demand_is_refused_with_the_form(demand: str) -> None:
    with pytest.raises(BadInput, match=r"is no demand; write MEASURE, one of >=, >, <= and <, and a number from 0 to 1, as in nDCG@10>=0.80"):
        read_demands([demand])


@pytest.mark.parametrize(
    ("demand", "meant"),
    [("ndcg@10>=0.8", "did you mean nDCG@10? "), ("hit@pack>0", "did you mean hit@packed? "), ("accuracy@3>0", "")],
)
def test_an_unknown_measure_is_refused_with_the_known_ones(demand: str, meant: str) -> None:
    with pytest.raises(BadInput) as failure:
        read_demands([demand])
    assert f"{meant}known are nDCG@10, R@5, RR@10, P@1, hit@packed, refused_unanswerable" in str(failure.value)


def test_a_measure_that_no_question_measures_is_no_pass() -> None:
    with pytest.raises(BadInput, match="gate 'must_not<=0' cannot be judged: no question measures must_not; measured are nDCG@10"):
        held_against(RUN, read_demands(["must_not<=0"]))


def test_what_cannot_be_judged_is_known_from_the_questions() -> None:
    require_judgeable(read_demands(["hit@packed>0", "filtered>0"]), [case("a", "a.md"), case("b")])
    for demand, questions in (("hit@packed>0", [case("b")]), ("refused_unanswerable>0", [case("a", "a.md")]), ("must_not<=0", [case("a", "a.md")])):
        with pytest.raises(BadInput, match=f"gate '{demand}' cannot be judged: no question measures .*; measured are .*filtered, fallback$"):
            require_judgeable(read_demands([demand]), questions)


def test_the_questions_and_what_came_of_them_agree_on_what_is_measured() -> None:
    outcomes = [outcome("a", must_not=("x.md",)), outcome("anything", expected=(), measures={}, packed=None), refused("c")]
    for one in outcomes:
        asked = case(one.question, *one.expected, must_not=one.must_not, answerable=one.answerable)
        assert set(run_of([one]).estimates) == {measure for measure in MEASURES if applies(measure, asked)}
