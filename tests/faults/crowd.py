"""A writer that makes snapshot after snapshot, and readers of several kinds that ask all the while, each in a process of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.faults.editions import QUESTIONS, Answer, answer, files_of
from tests.faults.shared import LIMIT_SECONDS, move, no_building

_THREADS = 4  # of a reader that shares its engine


@dataclass(frozen=True)
class Crowd:
    """What writer and readers share: the knowledge base, the number of lookups made and wanted, and who is done."""

    kb: Path
    settings: Settings
    snapshots: int
    lookups: int
    made: Synchronized[int]
    ended: Synchronized[int]

    @property
    def is_busy(self) -> bool:
        """Whether a reader has to go on."""
        return not self.ended.value or self.made.value < self.lookups

    def opened(self) -> KnowledgeEngine:
        """An engine on the snapshot that is there."""
        return KnowledgeEngine.open(self.kb, settings=self.settings, progress=no_building)


def write(crowd: Crowd, pipe: Connection) -> None:
    """Make the snapshots, as evenly as the readers look up; send which version each of them is, and the answers from it."""
    written: dict[str, tuple[int, set[Answer]]] = {}
    before = files_of(0)
    try:
        with crowd.opened() as engine:
            for version in range(1, crowd.snapshots + 1):
                _until_made(crowd, crowd.lookups * (version - 1) // crowd.snapshots)
                move(crowd.kb, before, files_of(version))
                before = files_of(version)
                snapshot_id = engine.sync().snapshot_id
                written[snapshot_id] = version, {answer(question, engine.lookup_knowledge(question)) for question in QUESTIONS}
    finally:
        with crowd.ended.get_lock():
            crowd.ended.value = 1
    pipe.send(written)


def _until_made(crowd: Crowd, lookups: int) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while crowd.made.value < lookups:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def refreshing(crowd: Crowd, pipe: Connection) -> None:
    """Look for a newer snapshot before every question."""
    answers = set()
    with crowd.opened() as engine:
        for question in _questions(crowd):
            engine.refresh()
            answers.add(answer(question, engine.lookup_knowledge(question)))
    pipe.send(answers)


def reopening(crowd: Crowd, pipe: Connection) -> None:
    """Open an engine for every few questions."""
    answers = set()
    questions = _questions(crowd)
    while crowd.is_busy:
        with crowd.opened() as engine:
            answers |= {answer(question, engine.lookup_knowledge(question)) for question, _ in zip(questions, range(len(QUESTIONS)), strict=False)}
    pipe.send(answers)


def holding(crowd: Crowd, pipe: Connection) -> None:
    """Stay with the first snapshot to the end, and open it before anything is written."""
    answers = set()
    with crowd.opened() as engine:
        for question in _questions(crowd):
            answers.add(answer(question, engine.lookup_knowledge(question)))
    assert len({one.snapshot_id for one in answers}) == 1
    pipe.send(answers)


def sharing(crowd: Crowd, pipe: Connection) -> None:
    """One engine for several threads, each of which looks for a newer snapshot now and then."""
    answers: set[Answer] = set()
    failures: list[Exception] = []

    def ask(engine: KnowledgeEngine) -> None:
        try:
            for count, question in enumerate(_questions(crowd)):
                if count % 3 == 0:
                    engine.refresh()
                answers.add(answer(question, engine.lookup_knowledge(question)))
        except Exception as failure:  # noqa: BLE001  a thread's failure must reach the test
            failures.append(failure)

    with crowd.opened() as engine:
        threads = [threading.Thread(target=ask, args=(engine,)) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    pipe.send(answers)


def _questions(crowd: Crowd) -> Iterator[str]:
    for question in cycle(QUESTIONS):
        if not crowd.is_busy:
            return
        yield question
        with crowd.made.get_lock():
            crowd.made.value += 1


def run(role: Callable[[Crowd, Connection], None], crowd: Crowd, pipe: Connection) -> None:
    """A role as the main function of a process; a failure of it is what the process sends."""
    try:
        role(crowd, pipe)
    except BaseException as failure:
        pipe.send(f"{role.__name__}: {failure!r}")
        raise


READERS: tuple[Any, ...] = (refreshing, reopening, sharing, refreshing, reopening, holding, sharing, refreshing)
