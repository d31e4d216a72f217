"""Where thresholds would separate questions that have an answer from those that have none."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.contracts.evaluation import Calibration
from engine.settings import THRESHOLDS
from pages.ui.palette import AMBER, BLUE, FAINT, GRAY, ROSE
from pages.ui.safe import markdown, sentence

NAMES = dict(zip(THRESHOLDS, ("floor", "reference", "medium", "high"), strict=True))
STEP = 0.1  # of the picture's height, between two names of thresholds


def thresholds_panel(calibration: Calibration) -> None:
    """Draw the curve of a calibration, its four thresholds with their reasons, and what speaks against them."""
    for warning in calibration.warnings:
        st.warning(sentence(warning.removesuffix(".")), icon=":material/warning:")
    st.plotly_chart(
        curve_figure(calibration),
        key="evaluate_curve",
        config={"displayModeBar": False},
        alt="Share of questions below each similarity; proposed "
        + ", ".join(f"{word} {calibration.thresholds[name]:.2f}" for name, word in NAMES.items()),
    )
    st.table(proposal_table(calibration), border="horizontal", alt="The four thresholds as they are and as they are proposed, with reasons")
    st.caption(
        f"Found with {calibration.answerable} answerable and {calibration.unanswerable} unanswerable questions, "
        f"for {markdown(calibration.embedding_model)}."
    )


def proposal_table(calibration: Calibration) -> pd.DataFrame:
    """One row a threshold: now, proposed, and why."""
    rows = {
        markdown(name): {
            "Now": f"{calibration.present[name]:.2f}",
            "Proposed": f"**{calibration.thresholds[name]:.2f}**",
            "Why": sentence(calibration.reasons.get(name, "")),
        }
        for name in NAMES
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def curve_figure(calibration: Calibration) -> go.Figure:
    """Two rising lines over the similarity, with the proposed thresholds as named lines above and the present ones as named dots below."""
    figure = go.Figure()
    similarities = [point.threshold for point in calibration.curve]
    shares = {
        "Unanswerable questions below (rightly refused)": (BLUE, [point.unanswerable_below for point in calibration.curve]),
        "Answerable questions below (wrongly refused)": (ROSE, [point.answerable_below for point in calibration.curve]),
    }
    for name, (color, values) in shares.items():
        figure.add_scatter(
            name=name,
            mode="lines",
            x=similarities,
            y=values,
            line={"color": color, "width": 2.5},
            hovertext=[f"{value:.1%} below {similarity:.2f}" for similarity, value in zip(similarities, values, strict=True)],
            hoverinfo="text+name",
        )
    for steps, (name, word) in enumerate(reversed(NAMES.items())):  # the highest threshold stands nearest, so no line crosses a name
        proposed, present = calibration.thresholds[name], calibration.present[name]
        _mark(figure, proposed, 1.04 + STEP * steps, f"<b>{word} {proposed:.2f}</b>", AMBER)
        _mark(figure, present, -0.2 - STEP * steps, f"{word} {present:.2f} now", GRAY)
    figure.update_layout(
        height=470, margin={"l": 8, "r": 8, "t": 100, "b": 150}, legend={"orientation": "h", "y": -0.68, "x": 0}, hovermode="closest"
    )
    figure.update_xaxes(range=[0, 1], dtick=0.1, showgrid=False, zeroline=False, title=None, fixedrange=True)
    figure.update_yaxes(range=[0, 1.01], dtick=0.25, tickformat=".0%", gridcolor=FAINT, zeroline=False, fixedrange=True)
    return figure


def _mark(figure: go.Figure, x: float, end: float, text: str, color: str) -> None:
    """A line over the whole height that goes on to its name, above the picture or below it."""
    above = end > 0
    dash = "solid" if above else "dot"
    low, high = (0, end) if above else (end, 1)
    figure.add_shape(type="line", x0=x, x1=x, y0=low, y1=high, yref="paper", line={"color": color, "width": 1.5, "dash": dash})
    side = "right" if x > 0.8 else "left"
    figure.add_annotation(
        x=x,
        y=end,
        yref="paper",
        text=text,
        showarrow=False,
        xanchor=side,
        xshift=-4 if side == "right" else 4,
        yanchor="middle",
        font={"color": color, "size": 12},
    )
