"""Long work in its own thread, watched by the page: a click that reruns the page never stops the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import Generic, TypeVar

import streamlit as st

from engine.contracts.reports import SYNC_STAGES
from engine.errors import EvidenceError
from pages.ui.safe import markdown

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
POLL_SECONDS = 0.1


class Job(Generic[T]):
    """One run of `work(progress)`; several sessions may watch the same one."""

    def __init__(self, work: Callable[[Progress], T]) -> None:
        self._step: tuple[str, int, int] = ("One moment", 0, 0)
        self._outcome: Future[T] = Future()
        Thread(target=self._run, args=(work,), name="evidence-job", daemon=True).start()  # a daemon: stopping the server never waits for it

    def _run(self, work: Callable[[Progress], T]) -> None:
        try:
            self._outcome.set_result(work(self._note))
        except EvidenceError as failure:
            self._outcome.set_exception(failure)
        finally:
            if not self._outcome.done():
                self._outcome.set_exception(RuntimeError("the work ended unexpectedly; the log of the server says why"))

    def _note(self, stage: str, done: int, total: int) -> None:
        self._step = (stage, done, total)

    @property
    def done(self) -> bool:
        """Whether the work has ended, well or badly."""
        return self._outcome.done()

    @property
    def failed(self) -> bool:
        """Whether the work has ended with an error."""
        return self.done and self._outcome.exception() is not None

    def watch(self, label: str) -> T:
        """Show the progress until the work is done, then return its value or raise its error."""
        place = st.empty()
        if wait([self._outcome], timeout=POLL_SECONDS).not_done:
            bar = place.status(label, expanded=True).empty()
            while wait([self._outcome], timeout=POLL_SECONDS).not_done:
                stage, done, total = self._step
                words = SYNC_STAGES.get(stage, markdown(stage))
                bar.progress(min(done / total, 1.0) if total else 0.0, text=f"{words}: {done:,} of {total:,}" if total > 1 else words)
            place.empty()
        return self._outcome.result()
