"""The retrieval attempts side by side, each with its similarities against floor and reference as a picture."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from engine.contracts.codes import AttemptName, Verdict
from engine.contracts.lookup_trace import AttemptTrace, CandidateTrace, RetrievalTrace
from pages.ui.evidence import candidate_table
from pages.ui.palette import AMBER, BLUE, FAINT, GRAY, TEAL, BadgeColor
from pages.ui.safe import markdown, plotly, shorten

TITLES = {AttemptName.FILTERED: "Filtered attempt", AttemptName.UNFILTERED: "Unfiltered attempt"}
VERDICTS: dict[Verdict, tuple[str, BadgeColor, str]] = {
    Verdict.OK: ("OK", "green", ":material/check_circle:"),
    Verdict.FILTERED_NO_EVIDENCE: ("No evidence behind the filter", "orange", ":material/redo:"),
    Verdict.FILTERED_LOW_QUALITY: ("Below the reference", "orange", ":material/redo:"),
    Verdict.LOW_QUALITY: ("Below the reference", "orange", ":material/trending_down:"),
    Verdict.NO_EVIDENCE: ("No evidence", "gray", ":material/block:"),
}
ROWS = (0.35, 0.5, 0.65)  # three heights, so that neighbours with nearly equal similarity stay apart


def attempts_panel(trace: RetrievalTrace) -> None:
    """Draw both attempts next to each other, and which one was selected and why."""
    st.subheader("2. Searching the passages", anchor="attempts")
    if trace.attempts:
        columns = st.columns(2, gap="medium")
        for column, attempt in zip(columns, trace.attempts, strict=False):
            with column.container(border=True, height="stretch", key=f"ask_attempt_{attempt.name}"):
                _attempt(attempt, selected=attempt.name == trace.selected_attempt)
        if len(trace.attempts) == 1:
            with columns[1].container(border=True, key="ask_attempt_none"):
                st.markdown("**No second attempt**")
                st.caption(markdown(trace.selection_reason))
    selected = f"Selected: {trace.selected_attempt}." if trace.selected_attempt else "Selected: none."
    fallback = f" Fallback: `{trace.fallback_reason}`." if trace.fallback_reason else ""
    st.markdown(f":material/alt_route: **{selected}** {markdown(trace.selection_reason)}{fallback}")
    with st.expander("The candidates as a table", key="ask_candidates", icon=":material/table_rows:"):
        for attempt in trace.attempts:
            st.caption(f"{TITLES[attempt.name]}: {len(attempt.candidates)} of {attempt.candidate_count} (the first ones, and all evidence)")
            candidate_table(attempt, key=f"ask_candidates_{attempt.name}", alt=f"Candidates of the {attempt.name} attempt")


def _attempt(attempt: AttemptTrace, selected: bool) -> None:
    word, color, icon = VERDICTS[attempt.verdict]
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(f"**{TITLES[attempt.name]}**", width="content")
        st.badge(word, color=color, icon=icon, help=f"Verdict `{attempt.verdict}`")
        if selected:
            st.badge("Selected", color="blue", icon=":material/done_all:")
    top = "none" if attempt.top_similarity is None else f"{attempt.top_similarity:.6f}"
    facts = {
        "Filter": f"category = {attempt.filter}" if attempt.filter else "none",
        "Query": attempt.query,
        "Passages searched": f"{attempt.searched_chunks:,}",
        "Candidates": f"{attempt.candidate_count:,}" + (f", {attempt.lexical_count:,} by words" if attempt.lexical_count else ""),
        "Evidence blocks": f"{attempt.evidence_count:,}",
        "Top similarity": f"{top}, reference {attempt.reference_threshold:.2f}",
    }
    st.table({name: markdown(value) for name, value in facts.items()}, border="horizontal", alt=f"Facts of the {attempt.name} attempt")
    st.plotly_chart(
        similarity_figure(attempt),
        key=f"ask_similarity_{attempt.name}",
        config={"displayModeBar": False},
        alt=f"Similarities of the {attempt.name} attempt: top {top}, reference {attempt.reference_threshold}, floor {attempt.evidence_floor}",
    )


def similarity_figure(attempt: AttemptTrace) -> go.Figure:
    """Candidates as dots on a similarity axis from 0 to 1, with floor and reference marked and the top one named."""
    figure = go.Figure()
    groups = {
        "Evidence": (TEAL, [candidate for candidate in attempt.candidates if candidate.evidence]),
        "Candidate": (GRAY, [candidate for candidate in attempt.candidates if not candidate.evidence]),
    }
    for name, (color, candidates) in groups.items():
        figure.add_scatter(
            name=name,
            mode="markers",
            x=[candidate.similarity for candidate in candidates],
            y=[ROWS[candidate.rank % len(ROWS)] for candidate in candidates],
            marker={"color": color, "size": 10, "opacity": 0.75, "line": {"width": 1, "color": "rgba(255,255,255,0.5)"}},
            hovertext=[_hover(candidate) for candidate in candidates],
            hoverinfo="text",
        )
    figure.add_vrect(x0=0, x1=attempt.evidence_floor, fillcolor=FAINT, line_width=0, layer="below")
    figure.add_vline(x=attempt.evidence_floor, line={"color": GRAY, "width": 1.5, "dash": "dot"})
    figure.add_vline(x=attempt.reference_threshold, line={"color": AMBER, "width": 2, "dash": "dash"})
    _mark(figure, attempt.evidence_floor, 1.0, f"floor {attempt.evidence_floor:.2f}", GRAY)
    _mark(figure, attempt.reference_threshold, 1.16, f"reference {attempt.reference_threshold:.2f}", AMBER)
    if attempt.top_similarity is not None:
        row = ROWS[1 % len(ROWS)]
        ring = {"color": "rgba(0,0,0,0)", "size": 17, "line": {"color": BLUE, "width": 2.5}}
        figure.add_scatter(name="Top", mode="markers", x=[attempt.top_similarity], y=[row], marker=ring, hoverinfo="skip")
        side = "left" if attempt.top_similarity >= attempt.reference_threshold else "right"  # away from the reference line
        _mark(figure, attempt.top_similarity, 0.02, f"<b>top {attempt.top_similarity:.3f}</b>", BLUE, side)
    figure.update_layout(height=190, margin={"l": 8, "r": 8, "t": 44, "b": 56}, legend={"orientation": "h", "y": -0.45, "x": 0}, hovermode="closest")
    figure.update_xaxes(range=[-0.02, 1.02], dtick=0.2, showgrid=False, zeroline=False, title=None, fixedrange=True)
    figure.update_yaxes(range=[0, 1], visible=False, fixedrange=True)
    return figure


def _mark(figure: go.Figure, x: float, y: float, text: str, color: str, side: str = "center") -> None:
    side = "right" if x > 0.85 else "left" if x < 0.15 else side  # inside the picture
    figure.add_annotation(x=x, y=y, yref="paper", text=text, showarrow=False, xanchor=side, yanchor="bottom", font={"color": color, "size": 12})


def _hover(candidate: CandidateTrace) -> str:
    place = plotly(shorten(candidate.breadcrumb or candidate.source, 60))
    why = "evidence" if candidate.evidence else plotly(candidate.code or "not evidence")
    return f"<b>{candidate.rank}. {candidate.similarity:.6f}</b>, {why}<br>{place}<br>{plotly(shorten(candidate.source, 60))}"
