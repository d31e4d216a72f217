"""Before the first question: what this knowledge base can be asked, one click each."""

from __future__ import annotations

import streamlit as st

from engine.contracts.reports import Case, SyncReport
from engine.settings import Settings
from pages.ui.address import put_case
from pages.ui.files import file_notes
from pages.ui.safe import markdown


def example_cards(cases: tuple[Case, ...], base: Settings, report: SyncReport) -> None:
    """Draw each example with the one sentence on what it shows."""
    st.caption(f"{report.documents:,} documents, {report.chunks:,} passages. Every answer shows its evidence and how each step came to it.")
    file_notes(report)
    if not report.documents:
        st.info("This knowledge base is empty. Add Markdown files to its folder, then sync.", icon=":material/folder_open:")
        return
    if not cases:
        st.info("This knowledge base has no example questions. Type one above, or add some to its cases.yaml.", icon=":material/edit_note:")
        return
    st.subheader("Try one of these", anchor=False)
    with st.grid(2, min_column_width=320, key="ask_examples"):
        for case in cases:
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.button(
                    markdown(case.question),
                    key=f"ask_example_{case.id}",
                    icon=":material/search:",
                    type="tertiary",
                    wrap=True,
                    on_click=put_case,
                    args=(case, base),
                )
                st.caption(markdown(case.shows))
