"""What the reader of the files could not take, or took with a complaint."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.contracts.reports import SyncReport


def file_notes(report: SyncReport) -> None:
    """List the skipped files and the problems of indexed ones, where there are any."""
    if not (report.skipped or report.problems):
        return
    rows: list[dict[str, str | int | None]]
    rows = [{"File": file.source, "Line": None, "What": f"skipped, {file.code}", "Why and what to do": file.reason} for file in report.skipped]
    rows += [{"File": one.source, "Line": one.line, "What": one.code, "Why and what to do": one.message} for one in report.problems]
    label = f"Files to look at: {len(report.skipped)} skipped, {len(report.problems)} with a problem"
    with st.expander(label, key="ask_files", icon=":material/rule:"):
        st.dataframe(pd.DataFrame(rows), key="ask_files_table", hide_index=True, alt="Skipped files and problems, each with what to do")
