"""The one engine of this process: opened once in the background, shared by every session."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from engine import KnowledgeEngine, Settings
from engine.errors import Stopped
from pages.ui.job import Job
from pages.ui.safe import markdown, sentence


def knowledge_base() -> Path:
    """The folder that is shown: EVIDENCE_KB, else `kb` beside app.py."""
    return Path(os.environ.get("EVIDENCE_KB") or Path(__file__).parents[2] / "kb").absolute()


def open_engine(kb: Path, settings: Settings) -> KnowledgeEngine:
    """The engine of a knowledge base and its build settings; the first call builds a missing index, under a visible status.

    Where somebody stopped that, the page ends here, for every session, until somebody goes on.
    """
    job = _opening(kb, settings)
    try:
        engine = job.watch(f"Opening {markdown(kb.name)}", stop_key="ask_opening_stop")
    except Stopped as stopped:
        st.info(sentence(str(stopped)), title="The index is not built", icon=":material/pause_circle:")
        st.button("Go on", key="ask_opening_go_on", icon=":material/play_arrow:", on_click=job.go_on)
        st.stop()
    finally:
        if job.failed and not job.stopped:
            _opening.clear(kb, settings)  # the next run tries again
    _warming(engine)
    return engine


def wait_for_model(engine: KnowledgeEngine) -> None:
    """Show a status until the model is loaded, which began when the engine was opened."""
    job = _warming(engine)
    try:
        job.watch("Loading the embedding model")
    finally:
        if job.failed:
            _warming.clear(engine)


@st.cache_resource(show_spinner=False, hash_funcs={Settings: lambda settings: [*settings.build_key.values(), settings.index_dir]})
def _opening(kb: Path, settings: Settings) -> Job[KnowledgeEngine]:
    return Job(lambda progress: KnowledgeEngine.open(kb, settings=settings, progress=progress))


@st.cache_resource(show_spinner=False, hash_funcs={KnowledgeEngine: id})
def _warming(engine: KnowledgeEngine) -> Job[None]:
    return Job(lambda _: engine.warm_up())
