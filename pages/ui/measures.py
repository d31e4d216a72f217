"""What an evaluation measured: the order of the candidates, and what was refused, each with its confidence interval."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from engine.contracts.evaluation import FEWER_IS_BETTER, RANKED, SHARES, Estimate, EvaluationRun
from pages.ui.palette import AMBER, BLUE, FAINT, GRAY, TEAL

ROW_PIXELS = 54  # a line of text above each bar, so that names never squeeze the bars
RANKED_WORDS = {
    "nDCG@10": "how near the first ten candidates are to the ideal order",
    "R@5": "share of the expected targets among the first five",
    "RR@10": "one divided by the place of the first expected target, zero beyond ten",
    "P@1": "questions whose first candidate is expected",
}
ORDER = (*RANKED, "hit@packed")
REFUSALS = {
    "refused_unanswerable": "Unanswerable, nothing found",
    "refused_or_low_unanswerable": "Unanswerable, nothing found or low",
    "refused_answerable": "Answerable, nothing found",
    "refused_or_low_answerable": "Answerable, nothing found or low",
}
PATHS = {"filtered": "Narrowed to one category", "fallback": "Asked again without the filter", "must_not": "With evidence that must not be there"}


def measures_panel(run: EvaluationRun) -> None:
    """Draw the measures of a run, what it refused, and which paths its questions took."""
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, height="stretch", key="evaluate_order"):
        st.markdown("**Order of the candidates**")
        st.caption("Answerable questions; more is better. The thin line is the 95 % confidence interval.")
        _chart(measures_figure(run), run, ORDER, key="evaluate_measures")
    with right.container(border=True, height="stretch", key="evaluate_refused"):
        st.markdown("**What was refused**")
        st.caption("Green: more is better. Amber: less is better, an answer was there.")
        _chart(refusals_figure(run), run, tuple(REFUSALS), key="evaluate_refusals")
    shares = [(word, run.estimates[name]) for name, word in PATHS.items() if name in run.estimates]
    for column, (word, estimate) in zip(st.columns(len(PATHS), gap="medium"), shares, strict=False):
        column.metric(
            word, f"{estimate.mean:.1%}", border=True, help=f"Share of {estimate.questions} questions; 95 % interval {_interval(estimate, '.1%')}."
        )


def _chart(figure: go.Figure, run: EvaluationRun, names: tuple[str, ...], key: str) -> None:
    known = [f"{name} {run.estimates[name].mean:.3f}" for name in names if name in run.estimates]
    if not known:
        st.text("No question of this kind was asked.")
        return
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=", ".join(known))


def measures_figure(run: EvaluationRun) -> go.Figure:
    """One bar a measure of the order, 0 to 1, with its interval."""
    words = {**RANKED_WORDS, **SHARES}
    return _bars([(name, name, words[name], BLUE, run.estimates[name]) for name in ORDER if name in run.estimates])


def refusals_figure(run: EvaluationRun) -> go.Figure:
    """One bar a share of refused questions, coloured by whether more or less of it is better."""
    rows = [
        (name, title, SHARES[name], AMBER if name in FEWER_IS_BETTER else TEAL, run.estimates[name])
        for name, title in REFUSALS.items()
        if name in run.estimates
    ]
    return _bars(rows)


def _bars(rows: list[tuple[str, str, str, str, Estimate]]) -> go.Figure:
    figure = go.Figure()
    for row, (name, title, words, color, estimate) in enumerate(rows):
        figure.add_bar(
            name=name,
            orientation="h",
            y=[-row],
            x=[estimate.mean],
            width=0.3,
            marker={"color": color, "line": {"width": 0}},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [max(estimate.high - estimate.mean, 0)],
                "arrayminus": [max(estimate.mean - estimate.low, 0)],
                "color": GRAY,
                "thickness": 1.5,
                "width": 5,
            },
            hovertext=[f"<b>{name} {estimate.mean:.6f}</b><br>{words}<br>{estimate.questions} questions, {_interval(estimate, '.3f')}"],
            hoverinfo="text",
        )
        label = f"{title} <b>{estimate.mean:.3f}</b>  <i>{_interval(estimate, '.2f')}</i>"
        figure.add_annotation(x=0, xref="paper", y=-row, yshift=20, text=label, showarrow=False, xanchor="left", font={"size": 13})
    figure.update_layout(
        height=ROW_PIXELS * len(rows) + 44, margin={"l": 4, "r": 8, "t": 8, "b": 26}, showlegend=False, hovermode="closest", barmode="overlay"
    )
    figure.update_xaxes(range=[0, 1.01], dtick=0.2, gridcolor=FAINT, zeroline=False, fixedrange=True)
    figure.update_yaxes(range=[0.35 - len(rows), 0.75], visible=False, fixedrange=True)
    return figure


def _interval(estimate: Estimate, form: str) -> str:
    return f"{estimate.low:{form}} to {estimate.high:{form}}"
