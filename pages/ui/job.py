"""Long work in its own thread, watched by the page: a click that reruns the page never stops the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.errors import EvidenceError, Stopped
from engine.progress import Meter, Progress
from pages.ui.safe import markdown

T = TypeVar("T")
POLL_SECONDS = 0.1


class Job(Generic[T]):
    """One run of `work(progress)`, which may be stopped and taken up again; several sessions may watch the same one."""

    def __init__(self, work: Callable[[Progress], T]) -> None:
        self._work = work
        self._starting = Lock()
        self._start()

    def _start(self) -> None:
        self._meter = Meter()
        self._asked_to_stop = False
        self._outcome: Future[T] = Future()
        Thread(target=self._run, name="evidence-job", daemon=True).start()  # a daemon: stopping the server never waits for it

    def _run(self) -> None:
        try:
            self._outcome.set_result(self._work(self._note))
        except EvidenceError as failure:
            self._outcome.set_exception(failure)
        finally:
            if not self._outcome.done():
                self._outcome.set_exception(RuntimeError("the work ended unexpectedly; the log of the server says why"))

    def _note(self, stage: str, done: int, total: int) -> None:
        step = self._meter.note(stage, done, total)
        if self._asked_to_stop and not step.is_published:
            raise self._meter.stopped("go on from there whenever you like")

    def stop(self) -> None:
        """End the work at its next step."""
        self._asked_to_stop = True

    def go_on(self) -> None:
        """Take the work up again, unless another session has done so."""
        with self._starting:
            if self.stopped:
                self._start()

    @property
    def done(self) -> bool:
        """Whether the work has ended, well or badly."""
        return self._outcome.done()

    @property
    def failed(self) -> bool:
        """Whether the work has ended with an error."""
        return self.failure is not None

    @property
    def failure(self) -> BaseException | None:
        """What the work has ended with, if not well."""
        return self._outcome.exception() if self.done else None

    @property
    def value(self) -> T | None:
        """What the work has brought; nothing before its end, and nothing where it failed."""
        return self._outcome.result() if self.done and not self.failed else None

    @property
    def stopped(self) -> bool:
        """Whether somebody ended the work."""
        return isinstance(self.failure, Stopped)

    def watch(self, label: str, stop_key: str | None = None) -> T:
        """Show the progress until the work is done, then return its value or raise its error; with a key there is a button that stops it."""
        place, outcome = st.empty(), self._outcome
        if wait([outcome], timeout=POLL_SECONDS).not_done:
            status = place.status(label, expanded=True)
            bar, stop_place = status.empty(), status.empty()
            while wait([outcome], timeout=POLL_SECONDS).not_done:
                self._bar(bar)
                if stop_key and self._meter.step.stage:
                    self._stop_button(stop_place, stop_key)
                    stop_key = None
            place.empty()
        return outcome.result()

    def show(self, label: str, stop_key: str) -> None:
        """Draw how far the work is, once and without waiting, with a button that stops it."""
        status = st.status(label, expanded=True)
        self._bar(status.empty())
        self._stop_button(status.empty(), stop_key)

    def _bar(self, place: DeltaGenerator) -> None:
        step = self._meter.step
        title = markdown(step.title) or "One moment"
        place.progress(step.share, text=f"{title}: {step.counts}" if step.counts else title)

    def _stop_button(self, place: DeltaGenerator, key: str) -> None:
        asked = self._asked_to_stop
        place.button(
            "Stopping" if asked else "Stop",
            key=key,
            icon=":material/stop:",
            on_click=self.stop,
            disabled=asked,
            help=f"Stop at the next step. {'What is finished is kept.' if self._meter.step.is_kept else 'Nothing of it is kept.'}",
        )
