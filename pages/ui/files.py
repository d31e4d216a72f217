"""What the reader of the files could not take, or took with a complaint."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.contracts.reports import SyncReport

_HARMLESS = ("hidden", "not_markdown")  # listed last: hardly a document


def file_notes(report: SyncReport) -> None:
    """List the skipped files and the problems of indexed ones, where there are any."""
    if not (report.skipped or report.problems):
        return
    rows: list[dict[str, str | int | None]]
    rows = [{"Code": file.code, "Why and what to do": file.reason, "File": file.source, "Line": file.line} for file in report.skipped]
    rows += [{"Code": one.code, "Why and what to do": one.message, "File": one.source, "Line": one.line} for one in report.problems]
    rows.sort(key=lambda row: row["Code"] in _HARMLESS)
    label = f"Files to look at: {len(report.skipped)} skipped, {len(report.problems)} with a problem"
    with st.expander(label, key="ask_files", icon=":material/rule:"):
        st.dataframe(
            pd.DataFrame(rows).astype({"Line": "Int64"}),
            key="ask_files_table",
            hide_index=True,
            column_config={"Why and what to do": st.column_config.TextColumn(width="large")},
            alt="Skipped files and problems, each with what to do",
        )
