"""The pictures and tables of the Evaluate page, read from their own data."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contracts.evaluation import FEWER_IS_BETTER, OutcomeChange
from engine.insight.evaluation.run_settings import written
from engine.settings import Settings
from pages.ui.comparison import changes_table, measures_table, settings_table
from pages.ui.measures import measures_figure, refusals_figure
from pages.ui.misses import misses, misses_table
from pages.ui.palette import AMBER
from pages.ui.runs import differing, history_table, run_label
from pages.ui.thresholds import curve_figure, proposal_table
from tests.pages.evaluation_samples import PRESENT, PROPOSED, calibration, comparison, outcome, run, saved
from tests.pages.samples import HOSTILE
from tests.pages.test_figures import texts


def test_each_measure_of_the_order_is_a_bar_with_its_interval() -> None:
    sample = run()
    bars = measures_figure(sample).data
    assert [bar.name for bar in bars] == ["nDCG@10", "R@5", "RR@10", "P@1", "hit@packed"]
    for bar in bars:
        estimate = sample.estimates[bar.name]
        assert bar.x[0] == estimate.mean
        assert bar.x[0] + bar.error_x.array[0] == pytest.approx(estimate.high)
        assert bar.x[0] - bar.error_x.arrayminus[0] == pytest.approx(estimate.low)
        assert f"{estimate.mean:.6f}" in bar.hovertext[0]
    assert "nDCG@10 <b>0.500</b>  <i>0.40 to 0.55</i>" in texts(measures_figure(sample))
    rows = [bar.y[0] for bar in bars]
    assert rows == sorted(rows, reverse=True)  # the first on top


def test_of_refusals_those_that_should_be_few_have_another_colour() -> None:
    bars = refusals_figure(run()).data
    assert len(bars) == 4
    assert {bar.name for bar in bars if bar.marker.color == AMBER} == {bar.name for bar in bars} & FEWER_IS_BETTER


def test_a_measure_that_no_question_measures_has_no_bar() -> None:
    sample = run()
    known = {name: estimate for name, estimate in sample.estimates.items() if not name.endswith("unanswerable")}
    assert [bar.name for bar in refusals_figure(sample.model_copy(update={"estimates": known})).data] == [
        "refused_answerable",
        "refused_or_low_answerable",
    ]


def test_misses_stand_worst_first_and_say_what_is_wrong() -> None:
    assert [(miss.outcome.id, miss.faults) for miss in misses(run())] == [
        ("lost", ("not a candidate",)),
        ("ninth", ("not first",)),
        ("second-unpacked", ("not first", "not packed")),
        ("second", ("not first",)),
        ("unpacked", ("not packed",)),
        ("misleading", ("misleading evidence",)),
        ("half", ("not all found",)),
        ("high", ("answered",)),
        ("medium", ("answered",)),
    ]
    assert misses(run(outcomes=(outcome("right"),))) == []


def test_the_table_of_misses_has_a_place_only_where_there_is_one() -> None:
    table = misses_table(misses(run()))
    assert table["Rank"].isna().tolist() == [True, False, False, False, False, False, False, True, True]
    assert table["Rank"].dropna().tolist() == [9, 2, 2, 1, 1, 1]
    assert table["Packed"].tolist() == ["no", "yes", "no", "yes", "no", "yes", "yes", "", ""]
    assert table["Expected"].iloc[-1] == "no answer"


def test_a_comparison_says_for_each_measure_how_many_questions_got_better_and_worse() -> None:
    table = measures_table(comparison())
    assert table[["Measure", "Aim", "Better", "Worse", "Same", "p"]].to_numpy().tolist() == [
        ["nDCG@10", "more", 3, 1, 6, 0.25],
        ["refused_answerable", "less", 0, 1, 9, 1.0],
    ]
    assert settings_table(comparison()).to_numpy().tolist() == [
        ["max_blocks", "8", "3"],
        ["use_l0_filter", "true", "false"],
        ["embedding_model", "hash", "other"],
    ]
    older = comparison(changed_settings={"rule_weights.entity": (0.05, None)})
    assert settings_table(older).to_numpy().tolist() == [["rule_weights.entity", "0.05", "no such setting"]]


def test_a_question_that_changed_has_an_arrow_where_it_did() -> None:
    [row] = changes_table(comparison()).to_dict("records")
    assert (row["Rank"], row["Packed"], row["Relevance"], row["mustNot"]) == ("1 → none", "yes → no", "high", "")
    kinds: tuple[dict[str, Any], ...] = ({}, {"packed_must_not": (HOSTILE,)}, {"packed_must_not": (HOSTILE,), "violations": (HOSTILE,)})
    states = [outcome("q", must_not=(HOSTILE,), **kind) for kind in kinds]
    pairs = [OutcomeChange(id="q", question="q", first=states[0], second=second) for second in states[1:]]
    assert changes_table(comparison(changes=tuple(pairs)))["mustNot"].tolist() == ["no → packed", "no → misleads"]


def test_the_curve_has_both_lines_and_all_eight_thresholds() -> None:
    figure = curve_figure(calibration())
    unanswerable, answerable = figure.data
    assert (unanswerable.x[50], unanswerable.y[50], answerable.y[50]) == (0.5, 0.5, 0.25)
    lines = sorted(shape.x0 for shape in figure.layout.shapes)
    assert lines == sorted([*PRESENT.values(), *PROPOSED.values()])
    assert {"<b>floor 0.32</b>", "<b>high 0.97</b>", "reference 0.45 now", "high 0.65 now"} <= set(texts(figure))
    table = proposal_table(calibration())
    assert table["Proposed"].tolist() == ["**0.32**", "**0.33**", "**0.90**", "**0.97**"]
    assert table["Why"].iloc[0] == "Because \\<b\\>of\\<\\/b\\> \\$this\\$\\."


def test_the_history_names_the_shown_run_and_the_settings_that_are_not_the_defaults() -> None:
    runs = (saved("b" * 12, 2, max_blocks=3, title_fields=["name"]), saved("a" * 12, 1))
    table = history_table(runs, shown="a" * 12)
    assert table["Shown"].tolist() == [False, True]
    assert table["Saved (UTC)"].tolist() == ["2026-01-02 10:20:30", "2026-01-01 10:20:30"]
    assert table["Settings that are not the defaults"].tolist() == ['max_blocks=3, title_fields=["name"]', "none"]
    assert table["nDCG@10"].tolist() == [0.5, 0.5]
    assert run_label(runs[0], Settings()) == '2026-01-02 10:20:30 · all, 13 questions · max_blocks=3, title_fields=["name"]'


def test_settings_are_written_as_the_command_line_takes_them() -> None:
    assert written({"use_l1": False, "embedding_model": "hash", "evidence_floor": 0.3}) == "use_l1=false, embedding_model=hash, evidence_floor=0.3"
    old = {"rule_weights.entity": 0.05, "max_bloks": 2, "max_blocks": 3}
    assert written(old) == "max_blocks=3, rule_weights.entity=0.05 (no setting any more), max_bloks=2 (no setting any more)"
    assert differing({"use_l1": True, "rule_weights.title": 0.3}, Settings()) == {"rule_weights.title": 0.3}
