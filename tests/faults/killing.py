"""A child process that syncs and is killed: at a moment that its parent chooses, or before one of its own file operations."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.faults.shared import LIMIT_SECONDS, processes

START, DONE = "start", "done"
_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "shutil.rmtree", "sqlite3.connect"}


@dataclass(frozen=True, slots=True)
class Moment:
    """So many seconds after a step was told."""

    step: str
    delay: float


def is_writing(step: str) -> bool:
    """Whether a step is the writing of files or the switch to them."""
    return step.startswith("write")


def spread(random: Random, lengths: Mapping[str, float], count: int) -> Moment:
    """The moment of a kill: in turn anywhere in the sync, and in one of the steps of its last part."""
    last_part = [step for step in lengths if is_writing(step)]
    step = random.choices(list(lengths), list(lengths.values()))[0] if count % 2 else last_part[-1 - count // 2 % len(last_part)]
    return Moment(step, random.uniform(0, lengths[step]))


def step_lengths(kb: Path, settings: Settings) -> dict[str, float]:
    """Sync in a child that nobody kills; how many seconds each step took."""
    told: dict[str, float] = {}
    _run(kb, settings, Moment(DONE, 0.0), told)
    ends = [*list(told.values())[1:], 0.0]
    return {step: end - begin for (step, begin), end in zip(told.items(), ends, strict=True) if step != DONE}


def kill(kb: Path, settings: Settings, moment: Moment) -> str:
    """Sync in a child and kill it; the last step that it told."""
    return _run(kb, settings, moment, {})


def _run(kb: Path, settings: Settings, moment: Moment, told: dict[str, float]) -> str:
    ours, its = processes.Pipe()
    child = processes.Process(target=_sync_and_tell, args=(kb, settings, its))
    child.start()
    its.close()
    deadline = time.monotonic() + LIMIT_SECONDS
    with ours:
        while (left := deadline - time.monotonic()) > 0:
            if ours.poll(left):
                step = ours.recv()
                told.setdefault(step, time.monotonic())
                if step in (moment.step, DONE):  # a sync that finds nothing to do leaves steps out
                    deadline = told[step] + (moment.delay if step == moment.step else 0)
        child.kill()
        child.join()
        with suppress(EOFError, OSError):  # it may have died in the middle of a word
            while True:
                told.setdefault(ours.recv(), time.monotonic())
    assert child.exitcode == -signal.SIGKILL and told.keys() & {moment.step, DONE}, told
    child.close()
    return list(told)[-1]


def _sync_and_tell(kb: Path, settings: Settings, pipe: Connection) -> None:
    engine = KnowledgeEngine.open(kb, settings=settings)
    pipe.send(START)
    engine.sync(lambda stage, done, total: pipe.send(f"{stage} {done}" if is_writing(stage) else stage))
    pipe.send(DONE)
    pipe.recv()  # until the kill


def operations(kb: Path, settings: Settings) -> int:
    """Sync in a child that nobody kills; how many operations on files it makes, as Python's audit events count them."""
    return int(_run_counting(kb, settings, 0, 0))


def kill_before_operation(kb: Path, settings: Settings, number: int) -> str:
    """Sync in a child that kills itself before its n-th operation on files; which one that was."""
    return _run_counting(kb, settings, number, -signal.SIGKILL)


def _run_counting(kb: Path, settings: Settings, number: int, exit_code: int) -> str:
    ours, its = processes.Pipe()
    child = processes.Process(target=_sync_and_count, args=(kb, settings, number, its))
    child.start()
    its.close()
    with ours:
        assert ours.poll(LIMIT_SECONDS)
        last: str = ours.recv()
    child.join(LIMIT_SECONDS)
    assert child.exitcode == exit_code, last
    child.close()
    return last


def _sync_and_count(kb: Path, settings: Settings, number: int, pipe: Connection) -> None:
    done = 0

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal done
        if _changes_files(event, arguments):
            done += 1
            if done == number:
                pipe.send(f"{event} {Path(os.fsdecode(arguments[0])).name}")
                os.kill(os.getpid(), signal.SIGKILL)

    engine = KnowledgeEngine.open(kb, settings=settings)
    sys.addaudithook(count)
    engine.sync()
    pipe.send(str(done))


def _changes_files(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        return isinstance(arguments[0], str | bytes) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in _CHANGES
