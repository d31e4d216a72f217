"""The pictures, read from their own data."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pages.ui.attempts import similarity_figure
from pages.ui.pack import budget_figure
from pages.ui.rerank import score_figure
from tests.pages.samples import HOSTILE, attempt, rerank, result


def texts(figure: Any) -> list[str]:
    """Every label that Plotly draws or shows on hover."""
    annotations = [annotation.text for annotation in figure.layout.annotations]
    traces = [text for trace in figure.data for texts in (trace.text, trace.hovertext, (trace.name,)) for text in texts or () if text]
    return [*annotations, *traces]


def shapes(figure: Any) -> list[float]:
    """Where vertical lines stand."""
    return [shape.x0 for shape in figure.layout.shapes if shape.type == "line"]


@pytest.mark.parametrize("count", [1, 10, 100])
def test_the_bars_of_a_candidate_add_up_to_its_score(count: int) -> None:
    trace = rerank(count)
    figure = score_figure(trace, evidence=set())
    bars = [trace for trace in figure.data if trace.type == "bar"]
    shown = trace.entries[:10]
    assert [round(sum(bar.x[row] for bar in bars), 6) for row in range(len(shown))] == [entry.score for entry in shown]
    assert [bar.name for bar in bars] == ["Similarity", "Words &lt;i&gt;in&lt;/i&gt; the text", "Title"]
    assert len({bar.marker.color for bar in bars}) == len(bars)


def test_a_candidate_that_became_no_evidence_is_faint_and_says_so() -> None:
    trace = rerank(2)
    figure = score_figure(trace, evidence={trace.entries[0].chunk_id})
    assert figure.data[0].marker.opacity[0] == 1 > figure.data[0].marker.opacity[1]
    assert [("not evidence" in annotation.text) for annotation in figure.layout.annotations] == [False, True]


@pytest.mark.parametrize("count", [1, 3, 100])
def test_similarities_stand_on_an_axis_from_0_to_1_with_floor_and_reference(count: int) -> None:
    values = [round(0.9 - step / 200, 6) for step in range(count)]
    figure = similarity_figure(attempt(values, floor=0.31, reference=0.47))
    dots = [x for trace in figure.data if trace.name in ("Evidence", "Candidate") for x in trace.x]
    assert sorted(dots, reverse=True) == values
    assert shapes(figure) == [0.31, 0.47]
    assert [trace.x[0] for trace in figure.data if trace.name == "Top"] == [0.9]
    assert {"floor 0.31", "reference 0.47", "<b>top 0.900</b>"} <= set(texts(figure))
    assert figure.layout.xaxis.range[0] <= 0
    assert figure.layout.xaxis.range[1] >= 1


def test_an_attempt_without_candidates_still_shows_its_thresholds() -> None:
    figure = similarity_figure(attempt([]))
    assert shapes(figure) == [0.3, 0.45]
    assert not [trace for trace in figure.data if trace.name == "Top"]


def test_the_budget_shows_packed_cut_free_and_left_out_to_one_scale() -> None:
    figure = budget_figure(result())
    packed = [(bar.base[0], bar.x[0], bar.text[0], bool(bar.marker.pattern.shape)) for bar in figure.data if bar.y[0] == 1]
    assert packed == [(0, 300, "1", False), (300, 165, "3", True), (470, 30, "", False)]
    left_out = [(bar.base[0], bar.x[0], bar.text[0]) for bar in figure.data if bar.y[0] == 0]
    assert left_out == [(0, 400, "2"), (400, 250, "4")]
    assert shapes(figure) == [500]
    assert figure.layout.xaxis.range[1] >= 650


def test_no_label_of_a_picture_carries_foreign_markup() -> None:
    for figure in (similarity_figure(attempt([0.7, 0.2])), score_figure(rerank(12), set()), budget_figure(result())):
        for text in texts(figure):
            assert "$" not in text
            assert re.sub(r"</?[bi]>|<br>", "", text).find("<") == -1
            assert HOSTILE not in text  # shortened
