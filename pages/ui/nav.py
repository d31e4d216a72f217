"""The pages of the explorer, and the guard that each of them starts with."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

ICON = Path(__file__).with_name("icon.svg")  # a file: the browser fetches a Material icon for the tab from fonts.gstatic.com


def navigation() -> Page:
    """Register the pages and return the one that the address asks for; title and icon come first, else the browser shows those of the page."""
    st.set_page_config(page_title="Evidence Explorer", page_icon=ICON, layout="wide")
    ask = st.Page(
        "pages/ask.py",
        title="Ask",
        icon=":material/travel_explore:",
        default=True,
        help="Ask the knowledge base a question and see the evidence, and how each step of the lookup came to it.",
    )
    evaluate = st.Page(
        "pages/evaluate.py",
        title="Evaluate",
        icon=":material/monitoring:",
        help="Ask the golden questions, see which go wrong, compare settings, and find thresholds.",
    )
    return st.navigation([ask, evaluate], position="top")


def framed() -> None:
    """Re-enter through app.py where Streamlit's own routing of `pages/` ran a page alone, as it does on a server nobody has visited."""
    if not st.session_state.get("framed"):
        navigation()
        st.rerun()
