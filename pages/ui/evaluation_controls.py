"""Which golden questions are asked, the click that asks them, and the way to the first ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

import streamlit as st

from engine.contracts.evaluation import Split
from engine.contracts.reports import Case, SyncReport
from engine.settings import Settings
from pages.ui.address import Address, put_view
from pages.ui.controls import seed
from pages.ui.desk import Desk, progress_panel
from pages.ui.runs import ALL
from pages.ui.safe import markdown

SPLITS: dict[str, Split | None] = {ALL: None, **{part: part for part in get_args(Split)}}


def evaluation_controls(desk: Desk, cases: Sequence[Case], here: Address, settings: Settings) -> None:
    """Draw the choice of questions, the button, and how far a run is."""
    wanted = here.view.get("split", ALL)
    chosen = wanted if wanted in SPLITS else ALL
    seed("evaluate_split", chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", key="evaluate_controls"):
        st.segmented_control(
            "Golden questions",
            list(SPLITS),
            key="evaluate_split",
            required=True,
            format_func=lambda name: _titled(name, cases),
            on_change=lambda: put_view(split=None if st.session_state.evaluate_split == ALL else st.session_state.evaluate_split),
            help="Tune with dev and judge with test, so that settings do not merely fit the questions that they were made with.",
        )
        st.button(
            "Evaluate",
            key="evaluate_start",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_start,
            args=(desk, settings, SPLITS[chosen]),
            disabled=desk.evaluation.is_running,
            help="Ask these questions with the settings in the sidebar and save the run. What a question pins for its demonstration is left aside.",
        )
    if here.values:
        changed = ", ".join(f"{name}={value}" for name, value in here.values.items())
        st.caption(f"With the settings of the knowledge base, but for {markdown(changed)}.")
    else:
        st.caption("With the settings of the knowledge base. Change some in the sidebar to try others.")
    progress_panel(desk.evaluation, "Evaluation", key="evaluation")


def _start(desk: Desk, settings: Settings, split: Split | None) -> None:
    put_view(run=None)  # the newest is shown
    desk.evaluate(settings, split)


def _titled(name: str, cases: Sequence[Case]) -> str:
    count = len([case for case in cases if name in (ALL, case.split)])
    return f"{name.capitalize()} ({count})"


def no_cases(report: SyncReport) -> None:
    """Say what a golden question is, with one to copy that fits this knowledge base."""
    st.info(
        "This knowledge base has no golden questions yet. Write some into a file cases.yaml beside the documents: each with the document or "
        "section that answers it, and some that nothing here answers. Then come back and evaluate.",
        title="No golden questions",
        icon=":material/edit_note:",
    )
    expected = json.dumps(report.indexed[0] if report.indexed else "folder/document.md", ensure_ascii=False)
    st.code(
        f"- id: first\n  question: What does a reader ask that this document answers?\n  expected: [{expected}]\n"
        "- id: unanswerable\n  question: What does nothing in this knowledge base answer?\n  answerable: false\n  split: test\n",
        language="yaml",
    )
