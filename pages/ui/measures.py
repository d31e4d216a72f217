"""What an evaluation measured: the order of the candidates, and what was refused, each with its confidence interval."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from engine.contracts.evaluation import FEWER_IS_BETTER, RANKED, RANKED_MEANINGS, SHARES, Estimate, EvaluationRun
from pages.ui.palette import AMBER, BLUE, FAINT, GRAY, TEAL
from pages.ui.safe import markdown

ROW_PIXELS = 54  # a line of text above each bar, so that names never squeeze the bars
MEANINGS = {**RANKED_MEANINGS, **SHARES}
ORDER = (*RANKED, "hit@packed")
REFUSALS = {
    "refused_unanswerable": "Unanswerable, nothing found",
    "refused_or_low_unanswerable": "Unanswerable, nothing found or low",
    "refused_answerable": "Answerable, nothing found",
    "refused_or_low_answerable": "Answerable, nothing found or low",
}
SHARES_SHOWN = {"must_not": "Misleading evidence", "must_not_packed": "mustNot packed", "filtered": "One category only", "fallback": "Asked again"}
CHART_PIXELS, SHARE_PIXELS = 380, 200  # what the labels need; narrower, the boxes stand below each other


def measures_panel(run: EvaluationRun) -> None:
    """Draw the measures of a run, what it refused, and which paths its questions took."""
    with st.grid(2, min_column_width=CHART_PIXELS, key="evaluate_charts"):
        with st.container(border=True, height="stretch", key="evaluate_order"):
            st.markdown("**Order of the candidates**")
            st.caption("Questions that expect something; more is better. The thin line is the 95 % confidence interval.")
            _chart(measures_figure(run), run, ORDER, key="evaluate_measures")
        with st.container(border=True, height="stretch", key="evaluate_refused"):
            st.markdown("**What was refused**")
            st.caption("Green: more is better. Amber: less is better, since there was an answer.")
            _chart(refusals_figure(run), run, tuple(REFUSALS), key="evaluate_refusals")
    with st.grid(len(SHARES_SHOWN), min_column_width=SHARE_PIXELS, key="evaluate_shares"):
        for name, word in SHARES_SHOWN.items():
            if name in run.estimates:
                _share(word, SHARES[name], run.estimates[name])


def _share(word: str, meaning: str, estimate: Estimate) -> None:
    interval = markdown(f"{meaning[:1].upper()}{meaning[1:]}; 95 % interval {_interval(estimate, '.1%')}.")
    st.metric(f"{word} (of {estimate.questions})", f"{estimate.mean:.1%}", border=True, help=interval)


def _chart(figure: go.Figure, run: EvaluationRun, names: tuple[str, ...], key: str) -> None:
    known = [f"{REFUSALS.get(name, name)} {run.estimates[name].mean:.3f}" for name in names if name in run.estimates]
    if not known:
        st.text("No question of this kind was asked.")
        return
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=", ".join(known))


def measures_figure(run: EvaluationRun) -> go.Figure:
    """One bar a measure of the order, 0 to 1, with its interval."""
    return _bars([(name, name, MEANINGS[name], BLUE, run.estimates[name]) for name in ORDER if name in run.estimates])


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
            marker={"color": color, "opacity": 0.65, "line": {"width": 0}},  # the interval is seen on the bar too
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [max(estimate.high - estimate.mean, 0)],
                "arrayminus": [max(estimate.mean - estimate.low, 0)],
                "color": GRAY,
                "thickness": 2,
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
