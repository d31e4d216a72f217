"""The run as a whole: its JSON, its link, and the three names that make it repeatable."""

from __future__ import annotations

import streamlit as st

from engine.contracts.lookup import LookupResult
from pages.ui.address import Address


def record_panel(result: LookupResult, address: Address) -> None:
    """Draw the link, the JSON to copy, and the ids of trace, snapshot and settings."""
    st.subheader("The whole run", anchor="record")
    with st.expander("Link to this run", key="ask_link", icon=":material/link:"):
        st.caption("Question, scope and changed settings are in the address: a colleague who opens it sees the same run.")
        st.code(address.link(), language=None, wrap_lines=True)
    with st.expander("Result as JSON", key="ask_json", icon=":material/data_object:"):
        st.caption("Exactly what `import engine` and the command line return, timings aside.")
        st.code(result.canonical_json(), language=None, wrap_lines=True, height=320)
        st.json(result.canonical_json(), expanded=1)
    st.caption(
        f"Trace `{result.trace_id}` · snapshot `{result.snapshot_id}` · settings `{result.settings_fingerprint}` · schema {result.schema_version}"
    )
