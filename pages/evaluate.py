"""Ask the golden questions, see what the settings are worth, and find better ones."""

import streamlit as st

from engine.errors import BadSettings, EvidenceError
from engine.settings_sources import load_settings
from pages.ui import address
from pages.ui.calibration import calibration_panel
from pages.ui.comparison import comparison_panel, pick_two
from pages.ui.controls import settings_panel
from pages.ui.desk import desk_of
from pages.ui.evaluation_controls import evaluation_controls, no_cases
from pages.ui.freshness import freshness_notice
from pages.ui.measures import measures_panel
from pages.ui.misses import misses_panel, outcome_card
from pages.ui.nav import framed
from pages.ui.opening import knowledge_base, open_engine
from pages.ui.runs import history_panel, run_heading, shown_run
from pages.ui.safe import markdown

framed()
kb = knowledge_base()
here = address.read()

st.title("Evaluate the settings", anchor=False)
st.caption("Asks the golden questions of cases.yaml, measures what comes first and what is refused, and shows every question that went wrong.")

try:
    base = load_settings(kb)
    with st.sidebar:
        settings_panel("evaluate", here, base)
    engine = open_engine(kb, base)
    freshness_notice(engine)
    settings = here.settings(base)
    desk, cases, report = desk_of(engine), engine.cases(), engine.report()
    if cases:
        evaluation_controls(desk, cases, here, settings)
    else:
        no_cases(report)
    runs = engine.runs()
    shown = shown_run(runs, here)
    if cases and not runs and not desk.evaluation.is_running:
        st.info("No evaluation has been saved yet. Press Evaluate to make the first one.", icon=":material/play_arrow:")
    if shown:
        run_heading(shown, base)
        measures_panel(shown.run)
        selected = misses_panel(shown.run)
        if selected:
            outcome_card(selected, shown.run, base, report.snapshot_id)
    pair = pick_two(runs, here, base)
    if pair:
        comparison_panel(*pair)
    if cases:
        calibration_panel(desk, kb, settings, report.snapshot_id)
    if runs:
        history_panel(runs, shown.run.run_id if shown else None)
except BadSettings as failure:
    st.error(markdown(str(failure)), title="These settings cannot be used", icon=":material/tune:")
except EvidenceError as failure:
    st.error(markdown(str(failure)), title="No evaluation", icon=":material/error:")
