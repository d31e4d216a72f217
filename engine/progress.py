"""How far long work is: the callback that every build reports to, the remaining time, and what is kept where it stops."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import Stopped

Progress = Callable[[str, int, int], None]  # stage, done, total; whatever it raises stops the work and reaches the caller

_TITLES = {
    "wait": "Waiting for another process that builds this index",
    "read": "Reading files",
    "chunk": "Cutting documents",
    "embed": "Embedding passages",
    "write": "Writing the index",
    "words": "Reading words",
    "check": "Checking",
    "evaluate": "Asking golden questions",
}
_NOUNS = {"read": "files", "chunk": "documents", "embed": "passages", "words": "passages", "evaluate": "questions"}  # what a stage counts


def no_progress(stage: str, done: int, total: int) -> None:
    """A progress callback that shows nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where the work is; `seconds_left` is None as long as nobody can know."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None

    @property
    def title(self) -> str:
        """The stage in words."""
        return _TITLES.get(self.stage, self.stage)

    @property
    def is_published(self) -> bool:
        """Whether a build has switched to its index: from here on nothing stops it."""
        return self.stage == "write" and self.done == self.total

    @property
    def is_kept(self) -> bool:
        """Whether what is done by now stays where the work is stopped: passages do, answers to golden questions do not."""
        return self.stage != "evaluate"

    @property
    def share(self) -> float:
        """The part of the stage that is done, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0

    @property
    def counts(self) -> str:
        """As in `1,024 of 14,141 passages, about 2 min left`; empty for a stage of one step."""
        if self.stage not in _NOUNS:
            return ""
        left = "" if self.seconds_left is None else f", {rough_time(self.seconds_left)} left"
        return f"{self.done:,} of {self.total:,} {_NOUNS[self.stage]}{left}"


class Meter:
    """Notes every step of one run; the pace is measured from the end of a stage's first step, which may load a model."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._totals: dict[str, int] = {}
        self._known = 0  # passages that were embedded before this run
        self._begun: tuple[float, int] | None = None  # when, and how much was done by then
        self.step = Step("", 0, 0)

    def note(self, stage: str, done: int, total: int) -> Step:
        """Take a call of the progress callback; the step that it makes."""
        if stage != self.step.stage:
            self._begun = None
            if stage == "embed":
                self._known = done
        elif self._begun is None and done > self.step.done:
            self._begun = (self._clock(), done)
        self._totals[stage] = total
        self.step = Step(stage, done, total, self._seconds_left(done, total))
        return self.step

    def _seconds_left(self, done: int, total: int) -> float | None:
        if self._begun is None or not self._begun[1] < done < total:
            return None
        began, first = self._begun
        return (self._clock() - began) * (total - done) / (done - first)

    @property
    def found(self) -> str:
        """What there is to embed: new or changed documents, their passages, and how many of these are embedded already."""
        passages = self._totals.get("embed", 0)
        if not passages:
            return "nothing new."
        known = f", {self._known:,} of them embedded already" if self._known else ""
        return f"{_counted(self._totals.get('chunk', 0), 'document')}, {_counted(passages, 'passage')}{known}."

    def stopped(self, next_step: str) -> Stopped:
        """The error that ends the work here: what is kept, and how to go on."""
        if self.step.is_published:
            return Stopped("stopped; the new index is in place")
        if self.step.stage == "wait":
            return Stopped("stopped waiting; the other process goes on building this index")
        if not self.step.is_kept:
            done_of = f"{self.step.done:,} of {self.step.total:,} {_NOUNS[self.step.stage]}"
            return Stopped(f"stopped after {done_of}; nothing of it is kept, and the next run asks them all again")
        done = self.step.done if self.step.stage == "embed" else self._totals.get("embed", 0)
        if not done:
            return Stopped("stopped before any passage was embedded; nothing has changed, and the next run starts again")
        return Stopped(f"stopped; {done:,} of {self._totals['embed']:,} passages are embedded and kept, nothing else has changed; {next_step}")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def rough_time(seconds: float) -> str:
    """A duration as precise as an estimate may be."""
    if seconds <= 10:
        return "a few seconds"
    if seconds <= 50:
        return f"about {math.ceil(seconds / 10) * 10} s"
    if seconds <= 90 * 60:
        return f"about {math.ceil(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"
