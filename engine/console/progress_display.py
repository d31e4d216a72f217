"""Long work on a terminal, and in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from engine.errors import Stopped
from engine.interrupts import stoppable
from engine.progress import Meter, Progress

LINE_SECONDS = 10  # between two lines of a log


def _build_stopped(meter: Meter) -> Stopped:
    return meter.stopped("the same command goes on from there")


@contextmanager
def progress_display(stopped: Callable[[Meter], Stopped] = _build_stopped) -> Iterator[Progress]:
    """A progress callback that writes to stderr: a bar for each stage, or plain lines where that is no terminal; nothing before the first call.

    Ctrl-C and SIGTERM end the block with `stopped(meter)`, which says what is kept.
    """
    meter = Meter()
    with stoppable(lambda: stopped(meter)):
        if sys.stderr.isatty():
            with _bars(meter) as show:
                yield show
        else:
            yield lines_display(meter, _print)


@contextmanager
def calm_display(clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """The same for a build that is one of many: lines, and none in the first LINE_SECONDS."""
    meter, begun = Meter(), clock()
    lines = lines_display(meter, _print, clock)

    def show(stage: str, done: int, total: int) -> None:
        if clock() - begun < LINE_SECONDS:
            meter.note(stage, done, total)
        else:
            lines(stage, done, total)

    with stoppable(lambda: _build_stopped(meter)):
        yield show


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def _bars(meter: Meter) -> Iterator[Progress]:
    bars = Bars(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counts]}"), console=Console(file=sys.stderr))
    tasks: dict[str, TaskID] = {}

    def show(stage: str, done: int, total: int) -> None:
        step = meter.note(stage, done, total)
        if stage not in tasks:
            bars.start()
            if stage == "embed":
                bars.console.print(meter.found)
            tasks[stage] = bars.add_task(step.title, total=total, counts="")
        bars.update(tasks[stage], completed=done, total=total, counts=step.counts)

    try:
        yield show
    finally:
        bars.stop()


def lines_display(meter: Meter, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> Progress:
    """A progress callback for logs: a line at the begin of a stage, the first estimate of a long one, and a line every LINE_SECONDS."""
    due: dict[str, float] = {}
    estimated = set()

    def show(stage: str, done: int, total: int) -> None:
        step = meter.note(stage, done, total)
        long = stage not in estimated and (step.seconds_left or 0) >= LINE_SECONDS
        if stage not in due:
            write(f"{step.title}: {meter.found}" if stage == "embed" else step.title)
        elif step.counts and done < total and (long or clock() >= due[stage]):
            write(f"{step.title}: {step.share:.0%}, {step.counts}")
            estimated.add(stage)
        else:
            return
        due[stage] = clock() + LINE_SECONDS

    return show
