"""Ask the knowledge base, see the evidence, and see how each step came to it."""

import streamlit as st

from engine.errors import BadSettings, EvidenceError
from engine.settings_sources import load_settings
from pages.ui import address
from pages.ui.attempts import attempts_panel
from pages.ui.controls import scope_picker, settings_panel, start_button
from pages.ui.evidence import closest_candidates, evidence_list
from pages.ui.examples import example_cards
from pages.ui.freshness import freshness_notice
from pages.ui.hints import hints_panel
from pages.ui.nav import framed
from pages.ui.opening import knowledge_base, open_engine, wait_for_model
from pages.ui.pack import pack_panel
from pages.ui.record import record_panel
from pages.ui.rerank import rerank_panel
from pages.ui.safe import markdown
from pages.ui.verdict import verdict_banner

framed()
kb = knowledge_base()
here = address.read()

st.title("Ask the knowledge base", anchor=False)
if st.session_state.get("ask_question") != (here.question or ""):
    st.session_state.ask_question = here.question or ""
st.text_input(
    "Question",
    key="ask_question",
    type="search",
    label_visibility="collapsed",
    placeholder="Type a question and press Enter",
    on_change=lambda: address.put_question(st.session_state.ask_question),
)

try:
    base = load_settings(kb)
    with st.sidebar:
        settings_panel("ask", here, base)
        start_button(here)
        scope_place = st.container()
    engine = open_engine(kb, base)
    with scope_place:
        scope_picker(here, engine.scope_fields())
    verdict_place, notice_place = st.container(key="ask_verdict"), st.container()
    with notice_place:
        freshness_notice(engine)
    settings = here.settings(base)
    if here.question is None:
        example_cards(engine.examples(), base, engine.report())
        st.stop()
    wait_for_model(engine)
    result = engine.with_settings(settings).lookup_knowledge(here.question, scope=here.scope)
except BadSettings as failure:
    st.error(markdown(str(failure)), title="These settings cannot be used", icon=":material/tune:")
    st.stop()
except EvidenceError as failure:
    st.error(markdown(str(failure)), title="No answer", icon=":material/error:")
    st.stop()

with verdict_place:
    verdict_banner(result)
if result.found:
    evidence_list(result)
else:
    closest_candidates(result)

st.header("How it came about", anchor="trace")
hints_panel(result.retrieval_trace)
attempts_panel(result.retrieval_trace)
rerank_panel(result)
pack_panel(result)
record_panel(result, here)
