"""The search for thresholds, and the click that writes them to the knowledge base."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from engine.contracts.evaluation import Calibration
from engine.errors import EvidenceError
from engine.insight.calibration.evidence_toml import write_thresholds
from engine.settings import Settings
from engine.settings_sources import overruling_variables
from pages.ui.address import drop_settings, own_value
from pages.ui.desk import Desk, progress_panel
from pages.ui.safe import markdown, sentence
from pages.ui.thresholds import NAMES, thresholds_panel

_WHY_NOT = "No threshold tells these answerable and unanswerable questions apart. Write more of both."
_IN_USE = "They are in use."
_WHAT = "Set the four thresholds in the evidence.toml of this knowledge base; the rest of it stays."
NEWS = "evaluate_written"  # what the last click wrote, or why it could not


def calibration_panel(desk: Desk, kb: Path, settings: Settings, snapshot_id: str) -> None:
    """Draw the button that looks for thresholds, what it found, and the button that writes them."""
    st.header("Thresholds", anchor="thresholds")
    st.caption(
        "A good evidence floor keeps what has no answer below it and what has one above. The thresholds that fit depend on the embedding model, "
        "and are found with the dev questions."
    )
    st.button(
        "Find thresholds",
        key="evaluate_calibrate",
        icon=":material/straighten:",
        on_click=desk.calibrate,
        args=(settings,),
        disabled=desk.calibration.is_running,
        help="Ask the dev questions without filter and floor, and look for the similarities that separate those with an answer from those without.",
    )
    progress_panel(desk.calibration, "Calibration", key="calibration")
    _say_news()
    found = desk.calibration.job.value if desk.calibration.job else None
    if found is None:
        return
    present = {name: own_value(name, settings) for name in NAMES}
    if found.snapshot_id != snapshot_id:
        st.warning("The index has changed since these thresholds were found. Find them again.", icon=":material/update:")
    thresholds_panel(found.model_copy(update={"present": present}))  # they may have been changed since
    in_use = present == found.thresholds
    st.button(
        "Write them to evidence.toml",
        key="evaluate_write",
        icon=":material/save:",
        on_click=_write,
        args=(kb, found),
        disabled=in_use or not found.separates,
        help=_WHY_NOT if not found.separates else _IN_USE if in_use else _WHAT,
    )


def _write(kb: Path, found: Calibration) -> None:
    drop_settings(*NAMES)  # else the address would still decide
    try:
        write_thresholds(kb, found.thresholds)
    except (EvidenceError, OSError) as failure:
        st.session_state[NEWS] = ("error", sentence(str(failure)))
        return
    values = ", ".join(f"{name} = {found.thresholds[name]:g}" for name in NAMES)
    if deciding := overruling_variables(found.thresholds):
        told = f"{values}. But {', '.join(deciding)} of the environment still decide; unset them to use what was written."
        st.session_state[NEWS] = ("warning", markdown(told))
    else:
        st.session_state[NEWS] = ("success", markdown(f"{values}. This page uses them from now on."))


def _say_news() -> None:
    kind, words = st.session_state.pop(NEWS, (None, ""))
    if kind == "error":
        st.error(words, title="The thresholds were not written", icon=":material/error:")
    elif kind:
        (st.success if kind == "success" else st.warning)(words, title="Written to evidence.toml", icon=":material/save:")
