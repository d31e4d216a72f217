"""The questions that went wrong, worst first, each with its own details and a way to see it on the Ask page."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import streamlit as st

from engine.contracts.evaluation import CaseOutcome, EvaluationRun
from engine.insight.evaluation.measures import not_all_found, wrongly_answered
from engine.insight.evaluation.run_settings import gone
from engine.settings import Settings
from pages.ui.address import LOCAL_SETTINGS, question_parameters
from pages.ui.safe import markdown

QUESTION_PIXELS = 320  # leaves room for what is wrong on a narrow page
RANK_HELP = "Place of the first expected target; the passages of a document or section count as one where a document or section is expected."
LAST = 10**6  # behind every place that a candidate can have


class Miss(NamedTuple):
    """A question that went wrong, and in which ways."""

    outcome: CaseOutcome
    faults: tuple[str, ...]


def misses(run: EvaluationRun) -> list[Miss]:
    """Questions that miss what is expected or have misleading evidence, worst first; then those that should have been refused."""
    found = [Miss(outcome, faults) for outcome in run.outcomes if (faults := _faults(outcome))]
    return sorted(found, key=lambda miss: _badness(miss.outcome))


def _faults(outcome: CaseOutcome) -> tuple[str, ...]:
    faults = {
        "nothing found": outcome.answerable and not outcome.found,
        "not a candidate": bool(outcome.expected) and outcome.first_rank is None,
        "not first": outcome.first_rank is not None and outcome.first_rank > 1,
        "not all found": not_all_found(outcome),
        "not packed": outcome.packed is False and outcome.found and outcome.first_rank is not None,
        "answered": wrongly_answered(outcome),
        "misleading evidence": bool(outcome.violations),
    }
    return tuple(word for word, holds in faults.items() if holds)


def _badness(outcome: CaseOutcome) -> tuple[bool, int, bool, float, str]:
    place = outcome.first_rank or LAST
    return (not outcome.answerable, -place, outcome.packed is True, -(outcome.top_similarity or 0), outcome.id)


def misses_table(found: list[Miss]) -> pd.DataFrame:
    """One row a miss, as the page lists them."""
    rows = [
        {
            "Question": outcome.question,
            "What is wrong": ", ".join(faults),
            "Rank": outcome.first_rank,
            "Packed": _packed(outcome),
            "Relevance": outcome.relevance_level.value,
            "Expected": _expected(outcome),
            "Came first": outcome.first_found or "nothing",
        }
        for outcome, faults in found
    ]
    return pd.DataFrame(rows).astype({"Rank": "Int64"}) if rows else pd.DataFrame()


def _expected(outcome: CaseOutcome) -> str:
    return ", ".join(outcome.expected) or ("anything" if outcome.answerable else "no answer")


def _packed(outcome: CaseOutcome) -> str:
    return "" if outcome.packed is None else "yes" if outcome.packed else "no"


def misses_panel(run: EvaluationRun) -> CaseOutcome | None:
    """Draw the table of misses; the question that is selected in it."""
    found = misses(run)
    st.header("Misses", anchor="misses")
    if not found:
        st.success(
            "Every question with an answer was answered; where something is expected, a target of it came first, the others were among the first "
            "five as far as there is room, and one was packed. Nothing misleads, and no question without an answer was answered at medium or high "
            "relevance.",
            icon=":material/verified:",
        )
        return None
    st.caption(
        f"{len(found)} of {len(run.outcomes)} questions, worst first: expected targets that did not come first, were not all found or not packed, "
        "or misleading evidence; then questions without an answer that were answered at medium or high relevance. Select a row to see more."
    )
    event = st.dataframe(
        misses_table(found),
        key=f"evaluate_misses_{run.run_id}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Question": st.column_config.TextColumn(width=QUESTION_PIXELS),
            "What is wrong": st.column_config.TextColumn(width="medium"),
            "Rank": st.column_config.NumberColumn(width="small", help=RANK_HELP),
            "Packed": st.column_config.TextColumn(width="small", help="Whether an expected passage is in the packed context."),
            "Relevance": st.column_config.TextColumn(width="small"),
        },
        alt=f"{len(found)} questions that went wrong, worst first",
    )
    rows = event["selection"]["rows"]
    return found[rows[0]].outcome if rows and rows[0] < len(found) else None


def outcome_card(outcome: CaseOutcome, run: EvaluationRun, base: Settings, snapshot_id: str) -> None:
    """Draw what came of one question, and the link that asks it again with the settings of its run."""
    lost = gone(run.settings)
    carried = {name: value for name, value in run.settings.items() if name not in (*LOCAL_SETTINGS, *lost)}
    with st.container(border=True, key="evaluate_outcome"):
        st.markdown(f"**{markdown(outcome.question)}**")
        facts = {
            "Case": f"{outcome.id}, {outcome.split}",
            "Scope": ", ".join(outcome.scope) or "whole knowledge base",
            "Expected": _expected(outcome),
            "Came first": outcome.first_found or "nothing",
            "Place of the first expected": str(outcome.first_rank or "no candidate") if outcome.expected else "none is expected",
            "Measures": ", ".join(f"{name} {value:.3f}" for name, value in outcome.measures.items()) or "none",
            "Packed": _packed(outcome) or "none is expected",
            "Misleading evidence": ", ".join(outcome.violations) or "nothing",
            "mustNot in the packed context": ", ".join(outcome.packed_must_not) or "nothing",
            "Verdict": f"{outcome.reason_code}, relevance {outcome.relevance_level}, top similarity {_similarity(outcome)}",
            "Filter": f"{outcome.filter_code}{f', category {outcome.filter_category}' if outcome.filter_category else ''}",
            "Asked again": outcome.fallback_reason or "no",
        }
        st.table({name: markdown(value) for name, value in facts.items()}, border="horizontal", alt=f"What came of the case {outcome.id}")
        st.page_link(
            "pages/ask.py",
            label="Open in Ask",
            icon=":material/travel_explore:",
            query_params=question_parameters(outcome.question, outcome.scope, carried, base),
            help="Ask this question again, with the settings of this run, and see each step.",
        )
        if lost:
            words = f"{', '.join(lost)} had a value in this run and is no setting any more, so the answer may differ."
            st.caption(f":material/warning: {markdown(words)}")
        if run.snapshot_id != snapshot_id:
            st.caption(":material/warning: The index has changed since this run, so the answer may differ.")


def _similarity(outcome: CaseOutcome) -> str:
    return "none" if outcome.top_similarity is None else f"{outcome.top_similarity:.6f}"
