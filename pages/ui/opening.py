"""The one engine of this process: opened once in the background, shared by every session, synchronised on request."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from engine import KnowledgeEngine, Settings
from engine.contracts.reports import Freshness, SyncReport
from engine.errors import Stopped
from pages.ui.job import Job
from pages.ui.safe import markdown

FRESHNESS_SECONDS = 10  # long enough that a slider never walks the folder, short enough to notice an edit


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
        st.info(_sentence(stopped), title="The index is not built", icon=":material/pause_circle:")
        st.button("Go on", key="ask_opening_go_on", icon=":material/play_arrow:", on_click=job.go_on)
        st.stop()
    finally:
        if job.failed and not job.stopped:
            _opening.clear(kb, settings)  # the next run tries again
    _warming(engine)
    return engine


def _sentence(stopped: Stopped) -> str:
    """What was stopped, as a sentence of its own."""
    told = str(stopped)
    return markdown(f"{told[:1].upper()}{told[1:]}.")


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


@st.cache_data(ttl=FRESHNESS_SECONDS, show_spinner=False, hash_funcs={KnowledgeEngine: id})
def _freshness(engine: KnowledgeEngine) -> Freshness:
    engine.refresh()  # a snapshot that `evidence sync` built meanwhile
    return engine.freshness()


def freshness_notice(engine: KnowledgeEngine) -> None:
    """Say how many files changed since the index was built, and offer to bring it up to date."""
    if "ask_sync_job" in st.session_state:
        _finish_sync()
    state = _freshness(engine)
    if state.fresh:
        return
    if stopped := st.session_state.get("ask_sync_stopped"):
        st.info(markdown(stopped), title="The index was not brought up to date", icon=":material/pause_circle:")
    with st.container(horizontal=True, vertical_alignment="center", key="ask_stale"):
        changes = {"added": state.added, "changed": state.changed, "deleted": state.deleted}
        counted = ", ".join(f"{len(files)} {word}" for word, files in changes.items() if files)
        st.caption(f":material/update: Files have changed since this index was built: {counted}. Answers come from the index.", width="content")
        st.button(
            "Go on" if stopped else "Sync now",
            key="ask_sync",
            icon=":material/sync:",
            on_click=_start_sync,
            args=(engine,),
            help="Read the changed files and switch to the new index.",
        )


def _start_sync(engine: KnowledgeEngine) -> None:
    st.session_state.pop("ask_sync_stopped", None)
    st.session_state.ask_sync_job = Job(lambda progress: engine.sync(progress=progress))


def _finish_sync() -> None:
    job: Job[SyncReport] = st.session_state.ask_sync_job
    try:
        report = job.watch("Bringing the index up to date", stop_key="ask_sync_stop")
    except Stopped as stopped:
        st.session_state.ask_sync_stopped = str(stopped)
        return
    finally:
        if job.done:
            del st.session_state.ask_sync_job
            _freshness.clear()
    skipped = f" {len(report.skipped)} files were skipped; the start page lists them." if report.skipped else ""
    st.toast(f"Indexed {report.documents} documents, {report.chunks} passages.{skipped}", icon=":material/check:")
