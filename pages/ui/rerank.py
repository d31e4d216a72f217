"""How similarity and rules add up to the order: one bar a candidate, one colour a signal."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import RerankEntry, RerankTrace
from pages.ui.palette import SIGNALS
from pages.ui.safe import markdown, plotly, shorten

SHOWN = 10
ROW_PIXELS = 46  # a line of text above each bar, so that long names never squeeze the bars


def rerank_panel(result: LookupResult) -> None:
    """Draw the order of the selected attempt, the rules in force, every part as a number, and what was dropped."""
    trace = result.rerank_trace
    st.subheader("3. Ordering the candidates", anchor="rerank")
    if not trace.entries:
        st.text("Nothing to order: no attempt returned a candidate.")
        return
    st.caption("The score only orders. What can be evidence is decided by similarity against the floor; a faded bar became none, and says why.")
    evidence = {chunk for block in result.evidence_blocks for chunk in block.chunk_ids}
    first = trace.entries[0]
    st.plotly_chart(
        score_figure(trace, evidence),
        key="ask_scores",
        config={"displayModeBar": False},
        alt=f"Scores of the first {min(SHOWN, len(trace.entries))} candidates stacked by signal; the first has {first.score:.6f}",
    )
    with st.expander(f"The signals of the first {len(trace.entries)} as numbers", key="ask_parts", icon=":material/calculate:"):
        _parts_table(trace, evidence)
    if trace.dropped:
        with st.expander("Candidates that became no block of their own", key="ask_dropped", icon=":material/filter_list_off:"):
            st.caption(", ".join(f"{count} × `{code}`" for code, count in trace.dropped_counts.items()))
            _dropped_table(trace)


def score_figure(trace: RerankTrace, evidence: set[str], limit: int = SHOWN) -> go.Figure:
    """Horizontal bars stacked by signal, first rank on top; the points of a bar add up to the score printed at its end."""
    entries = trace.entries[:limit]
    rows = [len(entries) - position for position in range(len(entries))]
    faint = [1.0 if entry.chunk_id in evidence else 0.38 for entry in entries]
    figure = go.Figure()
    titles = {"similarity": "Similarity", **{rule.code: rule.title for rule in trace.rules}}
    for number, (code, title) in enumerate(titles.items()):
        points = [_points(entry, code) for entry in entries]
        figure.add_bar(
            name=plotly(title),
            orientation="h",
            y=rows,
            x=points,
            marker={"color": SIGNALS[number % len(SIGNALS)], "opacity": faint, "line": {"width": 0}},
            showlegend=any(points),
            hovertext=[f"{plotly(title)}: <b>{value:.6f}</b>" for value in points],
            hoverinfo="text",
            width=0.42,
        )
    _print_scores(figure, rows, entries)
    _name_rows(figure, rows, entries, evidence, {drop.chunk_id: drop.code.value for drop in trace.dropped})
    figure.update_layout(
        barmode="relative",
        height=ROW_PIXELS * len(entries) + 90,
        margin={"l": 4, "r": 64, "t": 12, "b": 8},
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "x": 0, "traceorder": "normal"},
        hovermode="closest",
    )
    figure.update_xaxes(rangemode="tozero", showgrid=False, zeroline=False, showticklabels=False, fixedrange=True)
    figure.update_yaxes(range=[0.4, len(entries) + 0.75], visible=False, fixedrange=True)
    return figure


def _print_scores(figure: go.Figure, rows: list[int], entries: tuple[RerankEntry, ...]) -> None:
    """Write each score at the end of its bar."""
    figure.add_scatter(
        name="Score",
        mode="text",
        x=[entry.score for entry in entries],
        y=rows,
        text=[f" <b>{entry.score:.3f}</b>" for entry in entries],
        textposition="middle right",
        hovertext=[f"Score {entry.score:.6f}" for entry in entries],
        hoverinfo="text",
        showlegend=False,
        cliponaxis=False,
    )


def _name_rows(figure: go.Figure, rows: list[int], entries: tuple[RerankEntry, ...], evidence: set[str], codes: dict[str, str]) -> None:
    """Write each passage above its bar, with its move and, where it became no evidence, the code that says why."""
    for row, entry in zip(rows, entries, strict=True):
        mark = "" if entry.chunk_id in evidence else f"  not evidence{': ' + codes[entry.chunk_id] if entry.chunk_id in codes else ''}"
        moved = "" if entry.base_rank == entry.final_rank else f"  (by similarity {entry.base_rank}.)"
        text = f"<b>{entry.final_rank}.</b> {plotly(shorten(entry.chunk_id, 72))}<i>{moved}{mark}</i>"
        figure.add_annotation(x=0, xref="paper", y=row, yshift=17, text=text, showarrow=False, xanchor="left", font={"size": 12})


def _points(entry: RerankEntry, code: str) -> float:
    return next((part.points for part in entry.parts if part.code == code), 0.0)


def _parts_table(trace: RerankTrace, evidence: set[str]) -> None:
    st.caption(f"Rules in force: {', '.join(f'{markdown(rule.title)} × {rule.weight:g}' for rule in trace.rules)}")
    rows = [
        {
            "Rank": entry.final_rank,
            "By similarity": entry.base_rank,
            "Evidence": entry.chunk_id in evidence,
            "Signal": part.code,
            "Raw": part.raw,
            "Weight": part.weight,
            "Points": part.points,
            "Score": entry.score,
            "Passage": entry.chunk_id,
        }
        for entry in trace.entries
        for part in entry.parts
    ]
    numbers = {name: st.column_config.NumberColumn(format="%.6f") for name in ("Raw", "Points", "Score")}
    st.dataframe(
        pd.DataFrame(rows), key="ask_parts_table", hide_index=True, column_config=numbers, alt="Raw value, weight and points of every signal"
    )


def _dropped_table(trace: RerankTrace) -> None:
    rows = [
        {
            "Passage": drop.chunk_id,
            "Similarity": drop.similarity,
            "Stage": drop.stage,
            "Why": drop.code.value,
            "Kept instead": drop.kept_instead or "",
        }
        for drop in trace.dropped
    ]
    numbers = {"Similarity": st.column_config.NumberColumn(format="%.6f")}
    st.dataframe(pd.DataFrame(rows), key="ask_dropped_table", hide_index=True, column_config=numbers, alt="Candidates that became no block, and why")
