"""The long work of the Evaluate page, one of each kind for all sessions: a reload of the page or a click elsewhere never loses it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

import streamlit as st

from engine import KnowledgeEngine
from engine.contracts.evaluation import Calibration, EvaluationRun, Split
from engine.progress import Progress
from engine.settings import Settings
from pages.ui.job import Job
from pages.ui.safe import sentence

T = TypeVar("T")
LOOK_SECONDS = 0.5  # between two pictures of the work


class Task(Generic[T]):
    """A kind of work that goes on at most once; its last outcome is kept."""

    def __init__(self) -> None:
        self._starting = Lock()
        self.job: Job[T] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the work goes on now."""
        job = self.job
        return job is not None and not job.done

    def start(self, work: Callable[[Progress], T]) -> None:
        """Begin, unless the work goes on."""
        with self._starting:
            if not self.is_running:
                self.job = Job(work)


class Desk:
    """What is evaluated and calibrated in one knowledge base."""

    def __init__(self, engine: KnowledgeEngine) -> None:
        self._engine = engine
        self.evaluation: Task[EvaluationRun] = Task()
        self.calibration: Task[Calibration] = Task()

    def evaluate(self, settings: Settings, split: Split | None) -> None:
        """Begin to ask the golden questions; the run is saved at its end."""
        view = self._engine.with_settings(settings)

        def saved(progress: Progress) -> EvaluationRun:
            run = view.evaluate(split=split, progress=progress)
            view.save_run(run)
            return run

        self.evaluation.start(saved)

    def calibrate(self, settings: Settings) -> None:
        """Begin to look for thresholds with the questions that are there for tuning."""
        view = self._engine.with_settings(settings)
        self.calibration.start(lambda progress: view.calibrate(split="dev", progress=progress))


@st.cache_resource(show_spinner=False, hash_funcs={KnowledgeEngine: id})
def desk_of(engine: KnowledgeEngine) -> Desk:
    """The desk of an engine."""
    return Desk(engine)


def progress_panel(task: Task[Any], label: str, key: str) -> None:
    """Draw how far the work is, with a button that stops it; at its end the page runs again. A former failure is said."""
    job = task.job
    if job is None:
        return
    if not job.done:
        st.fragment(run_every=LOOK_SECONDS)(_watch)(job, label, f"evaluate_{key}_stop")
    elif job.stopped:
        st.info(sentence(str(job.failure)), title=f"{label} was stopped", icon=":material/pause_circle:")
    elif job.failure:
        st.error(sentence(str(job.failure)), title=f"{label} failed", icon=":material/error:")


def _watch(job: Job[Any], label: str, stop_key: str) -> None:
    if job.done:
        st.rerun()
    job.show(label, stop_key=stop_key)
