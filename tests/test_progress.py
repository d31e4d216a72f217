"""What is told of long work: where it is, how long it still takes, what is kept."""

from __future__ import annotations

import pytest

from engine.console.progress_display import LINE_SECONDS, calm_display, lines_display
from engine.progress import Meter, rough_time


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_remaining_time_counts_from_the_end_of_the_first_step_and_leaves_out_what_was_known() -> None:
    clock = Clock()
    meter = Meter(clock)
    assert meter.note("embed", 1000, 2000).seconds_left is None
    clock.now += 5  # the model was loaded
    assert meter.note("embed", 1100, 2000).seconds_left is None
    clock.now += 20
    step = meter.note("embed", 1200, 2000)
    assert step.seconds_left == 160
    assert step.counts == "1,200 of 2,000 passages, about 3 min left"
    assert meter.found == "0 documents, 2,000 passages, 1,000 of them embedded already."


def test_each_stage_is_measured_on_its_own() -> None:
    clock = Clock()
    meter = Meter(clock)
    for done in (0, 1, 2):
        clock.now += 10
        meter.note("chunk", done, 4)
    assert meter.step.seconds_left == 20
    assert meter.step.counts == "2 of 4 documents, about 20 s left"
    assert meter.note("chunk", 4, 4).counts == "4 of 4 documents"
    assert meter.note("embed", 0, 9).counts == "0 of 9 passages"
    assert meter.note("write", 0, 1).counts == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "a few seconds"),
        (10, "a few seconds"),
        (11, "about 20 s"),
        (50, "about 50 s"),
        (51, "about 1 min"),
        (61, "about 2 min"),
        (5400, "about 90 min"),
        (5401, "about 1.5 h"),
    ],
)
def test_an_estimate_is_told_as_precisely_as_it_is_known(seconds: float, words: str) -> None:
    assert rough_time(seconds) == words


def test_where_work_stops_the_sentence_says_what_is_kept_and_the_next_step() -> None:
    meter = Meter()
    assert str(meter.stopped("again")) == "stopped before any passage was embedded; nothing has changed, and the next run starts again"
    meter.note("embed", 1024, 14141)
    assert str(meter.stopped("again")) == "stopped; 1,024 of 14,141 passages are embedded and kept, nothing else has changed; again"
    meter.note("write", 0, 1)
    assert str(meter.stopped("again")) == "stopped; 14,141 of 14,141 passages are embedded and kept, nothing else has changed; again"


def test_golden_questions_that_are_stopped_leave_nothing() -> None:
    meter = Meter()
    meter.note("evaluate", 1200, 3000)
    assert str(meter.stopped("go on")) == "stopped after 1,200 of 3,000 questions; nothing of it is kept, and the next run asks them all again"
    assert not meter.step.is_kept
    assert meter.note("embed", 0, 9).is_kept


def test_a_log_gets_a_line_for_each_stage_the_first_estimate_and_then_one_in_several_seconds() -> None:
    clock = Clock()
    lines: list[str] = []
    show = lines_display(Meter(clock), lines.append, clock)
    show("read", 0, 1)
    show("read", 1, 1)
    for done in range(311):
        show("chunk", done, 310)
    for done in range(0, 3001, 30):
        show("embed", done, 3000)
        clock.now += 0.5
    show("write", 0, 1)
    assert lines == [
        "Reading files",
        "Cutting documents",
        "Embedding passages: 310 documents, 3,000 passages.",
        "Embedding passages: 2%, 60 of 3,000 passages, about 50 s left",
        "Embedding passages: 22%, 660 of 3,000 passages, about 40 s left",
        "Embedding passages: 42%, 1,260 of 3,000 passages, about 30 s left",
        "Embedding passages: 62%, 1,860 of 3,000 passages, about 20 s left",
        "Embedding passages: 82%, 2,460 of 3,000 passages, a few seconds left",
        "Writing the index",
    ]
    assert LINE_SECONDS == 10


def test_one_build_of_many_is_told_of_only_when_it_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with calm_display(clock) as show:
        for stage in ("read", "chunk", "embed", "write"):
            show(stage, 0, 1)
            show(stage, 1, 1)
    assert capsys.readouterr().err == ""
    with calm_display(clock) as show:
        show("chunk", 0, 310)
        for done in range(0, 3001, 300):
            show("embed", done, 3000)
            clock.now += 3
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "Embedding passages: 310 documents, 3,000 passages."
    assert told[1].startswith("Embedding passages: ")


def test_who_stops_waiting_hears_that_the_other_process_goes_on() -> None:
    meter = Meter()
    meter.note("wait", 3, 600)
    assert str(meter.stopped("go on")) == "stopped waiting; the other process goes on building this index"
