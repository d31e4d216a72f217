"""Beside the result: which files have changed since the index was built, and the sync that brings it up to date."""

from __future__ import annotations

import time
from threading import Lock

import pandas as pd
import streamlit as st

from engine import EnvironmentProblem, EvidenceError, Freshness, KnowledgeEngine, SyncReport
from pages.ui.job import Job
from pages.ui.safe import sentence

LOOK_SECONDS = 5  # until an edit is noticed
MOST_SHARE = 0.05  # of the time that may go into looking, where a folder is large
SYNC_SECONDS = 1  # between two pictures of a sync
TABLE_PIXELS = 520  # room for a path; the list opens no wider than what is in it
MOST_ROWS = 200  # of changed files; they are sent to the browser with every look


class Upkeep:
    """The state of the files and the sync of them, one for all sessions: a slider never walks the folder, and one click is enough."""

    def __init__(self, engine: KnowledgeEngine) -> None:
        self._engine = engine
        self._starting = Lock()
        self._looking = Lock()
        self._next_look = 0.0
        self.job: Job[SyncReport] | None = None  # the last sync
        self.state: Freshness | None = None
        self.trouble: EvidenceError | None = None  # why the last look failed

    @property
    def is_syncing(self) -> bool:
        """Whether a sync runs now."""
        job = self.job
        return job is not None and not job.done

    def start(self) -> None:
        """Begin a sync, unless one runs."""
        with self._starting:
            if not self.is_syncing:
                self.job = Job(lambda progress: self._engine.sync(progress))
                self._next_look = 0.0  # at its end

    def look(self) -> None:
        """Move to a snapshot that another process has built, and compare the files with it, unless that was done a moment ago or goes on now."""
        begun = time.monotonic()
        if self.is_syncing or begun < self._next_look or not self._looking.acquire(blocking=False):
            return
        job = self.job
        try:
            self._engine.refresh()
            self.state, self.trouble = self._engine.freshness(), None
        except EvidenceError as failure:
            self.trouble = failure
        finally:
            with self._starting:
                if self.job is not job:
                    self._next_look = 0.0  # a sync has begun meanwhile, so this was a look at what is no more
                else:
                    self._next_look = time.monotonic() + max(LOOK_SECONDS, (time.monotonic() - begun) / MOST_SHARE)
                    self.job = None if self.state and self.state.fresh and not self.trouble else job  # how it ended is of no interest any more
            self._looking.release()


@st.cache_resource(show_spinner=False, hash_funcs={KnowledgeEngine: id})
def _upkeep(engine: KnowledgeEngine) -> Upkeep:
    return Upkeep(engine)


def freshness_notice(engine: KnowledgeEngine) -> None:
    """Say which files have changed since the index was built, and offer to bring it up to date; noticed without a click.

    The notice is a fragment that runs by itself and starts the page again where what the page shows is no longer what there is.
    """
    upkeep = _upkeep(engine)
    upkeep.look()
    syncing, snapshot_id = shown = _shown(upkeep)
    former = st.session_state.get("ask_shown")
    st.session_state.ask_shown = shown
    if former and former[1] not in (None, snapshot_id):
        _say_new_index(engine.report())
    st.fragment(run_every=SYNC_SECONDS if syncing else LOOK_SECONDS)(_notice)(upkeep)


def _shown(upkeep: Upkeep) -> tuple[bool, str | None]:
    return upkeep.is_syncing, upkeep.state.snapshot_id if upkeep.state else None


def _say_new_index(report: SyncReport) -> None:
    skipped = f" {len(report.skipped)} files were skipped; the start page lists them." if report.skipped else ""
    st.toast(f"Indexed {report.documents} documents, {report.chunks} passages.{skipped}", icon=":material/check:")


def _notice(upkeep: Upkeep) -> None:
    upkeep.look()
    if _shown(upkeep) != st.session_state.ask_shown:
        st.rerun()
    job, state, trouble = upkeep.job, upkeep.state, upkeep.trouble  # another session may change them
    if job and not job.done:
        job.show("Bringing the index up to date", stop_key="ask_sync_stop")
    elif trouble:
        st.warning(sentence(str(trouble)), title="The files and the index cannot be compared", icon=":material/sync_problem:")
        if isinstance(trouble, EnvironmentProblem):
            _sync_button(upkeep, "Sync now")
    elif state and not state.fresh:
        if job and job.failure:
            draw, icon = (st.info, ":material/pause_circle:") if job.stopped else (st.error, ":material/error:")
            draw(sentence(str(job.failure)), title="The index was not brought up to date", icon=icon)
        with st.container(horizontal=True, vertical_alignment="center", key="ask_stale"):
            st.caption(
                f":material/update: Files have changed since this index was built: {state.counted}. Answers come from the index.", width="content"
            )
            _changed_files(state)
            _sync_button(upkeep, "Go on" if job and job.stopped else "Sync now")


def _changed_files(state: Freshness) -> None:
    rows = [{"Change": word, "File": source} for word, files in state.by_kind.items() for source in files]
    with st.popover("Which files", key="ask_changed", icon=":material/difference:"):
        st.dataframe(
            pd.DataFrame(rows[:MOST_ROWS]),
            key="ask_changed_table",
            width=TABLE_PIXELS,
            hide_index=True,
            column_config={"Change": st.column_config.TextColumn(width="small")},
            alt="Changed files, each with its kind of change",
        )
        if len(rows) > MOST_ROWS:
            st.caption(f"The first {MOST_ROWS} of {len(rows):,} files.")


def _sync_button(upkeep: Upkeep, label: str) -> None:
    help_text = "Read the changed files and switch to the new index."
    st.button(label, key="ask_sync", icon=":material/sync:", on_click=upkeep.start, help=help_text)
