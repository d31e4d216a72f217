"""How L0 read the question: hints that may filter, order and explain, drawn apart from evidence."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.contracts.codes import FilterCode
from engine.contracts.lookup_trace import FilterDecision, Hints, RetrievalTrace
from pages.ui.safe import badge, markdown

FILTER_WORDS = {
    FilterCode.APPLIED: ":material/filter_alt: **Filter applied.**",
    FilterCode.NO_MATCH: ":material/filter_alt_off: **No filter: nothing matched.**",
    FilterCode.AMBIGUOUS: ":material/filter_alt_off: **No filter: the votes are divided.**",
    FilterCode.COVERS_EVERYTHING: ":material/filter_alt_off: **No filter: it would cover everything.**",
    FilterCode.DISABLED: ":material/filter_alt_off: **Filter switched off.**",
}


def hints_panel(trace: RetrievalTrace) -> None:
    """Draw what L0 matched, the votes on a category, what became of the filter, and each step of the question."""
    st.subheader("1. Reading the question", anchor="hints")
    with st.container(border=True, key="ask_hints"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown("**L0 hints**", width="content")
            st.badge("Hints only, never evidence", color="violet", icon=":material/lightbulb:")
        left, right = st.columns([3, 2], gap="medium")
        with left:
            _matches(trace.hints)
            _entities(trace.hints)
        with right:
            _votes(trace.filter_decision)
        st.markdown(f"{FILTER_WORDS[trace.filter_decision.code]} {markdown(trace.filter_decision.note)} `{trace.filter_decision.code}`")
    with st.expander("From the question to the query, step by step", key="ask_steps", icon=":material/format_list_numbered:"):
        rows = [{"Step": step.code, "Before": step.before, "After": step.after, "Note": step.note} for step in trace.steps]
        st.dataframe(pd.DataFrame(rows), key="ask_steps_table", hide_index=True, alt="Steps that turned the question into the query")


def _matches(hints: Hints) -> None:
    st.caption("Matched titles and keywords")
    matches = (*hints.matched_titles, *hints.matched_keywords)
    if not matches:
        st.text("No title, keyword or alias of the knowledge base stands in the question.")
        return
    rows = [
        {
            "Entry": match.text if match.canonical is None else f"{match.text} (stands for {match.canonical})",
            "Kind": match.kind,
            "Documents": match.documents,
            "Categories": list(match.categories),
            "Votes": match.votes,
            "First sources": list(match.sources),
        }
        for match in matches
    ]
    st.dataframe(pd.DataFrame(rows), key="ask_matches", hide_index=True, alt="L0 entries that stand in the question")


def _entities(hints: Hints) -> None:
    st.caption("Entity terms")
    if not hints.entity_terms:
        st.text("No error code, alert, service or identifier recognised.")
        return
    with st.container(horizontal=True, gap="xsmall"):
        for term in hints.entity_terms:
            known = "" if term.known else ", in no document"
            st.badge(f"{badge(term.text)} ({term.kind.replace('_', ' ')}{known})", color="violet" if term.known else "gray")


def _votes(decision: FilterDecision) -> None:
    st.caption("Categories with votes")
    if not decision.votes:
        st.text("No votes.")
        return
    rows = [{"Category": vote.category, "Votes": vote.votes, "Share": vote.share} for vote in decision.votes]
    st.dataframe(
        pd.DataFrame(rows),
        key="ask_votes",
        hide_index=True,
        column_config={"Share": st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)},
        alt="Votes of the L0 entries for each category",
    )
