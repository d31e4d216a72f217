"""Many readers and one writer: every answer comes from the one snapshot that it names. 5,000 lookups and 50 snapshots with FAULTS=full."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from engine.index.home import index_home
from engine.knowledge_engine import KnowledgeEngine
from tests.faults.crowd import READERS, Crowd, run, write
from tests.faults.editions import QUESTIONS, Answer, answer, files_of
from tests.faults.shared import FULL, LIMIT_SECONDS, litter, move, no_building, processes, snapshot_names
from tests.knowledge_base import hash_settings, write_files

SNAPSHOTS, LOOKUPS = (50, 5_000) if FULL else (8, 240)


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """The knowledge base at version 0, indexed."""
    kb = write_files(tmp_path / "kb", files_of(0))
    settings = hash_settings(tmp_path / "index", candidate_count=20, trace_candidates=5)
    KnowledgeEngine.open(kb, settings=settings).close()
    return Crowd(kb, settings, SNAPSHOTS, LOOKUPS, processes.Value("i", 0), processes.Value("i", 0))


def answers_of(engine: KnowledgeEngine) -> set[Answer]:
    return {answer(question, engine.lookup_knowledge(question)) for question in QUESTIONS}


def sync_version(crowd: Crowd, version: int) -> None:
    """Write a version over the former one and sync it."""
    move(crowd.kb, files_of(version - 1), files_of(version))
    with KnowledgeEngine.open(crowd.kb, settings=crowd.settings) as engine:
        engine.sync()


def test_eight_readers_get_whole_answers_while_a_writer_makes_snapshots(crowd: Crowd) -> None:
    with crowd.opened() as engine:
        first = answers_of(engine)
    written, *read = all_of(crowd, (write, *READERS))
    assert crowd.made.value >= LOOKUPS
    versions = {snapshot_id: version for snapshot_id, (version, _) in written.items()} | {one.snapshot_id: 0 for one in first}
    assert len(versions) == SNAPSHOTS + 1
    seen: set[Answer] = set().union(*read)
    assert {one for one in seen if one.versions != {versions[one.snapshot_id]}} == set()
    assert seen <= first.union(*(answers for _, answers in written.values()))
    assert len({one.snapshot_id for one in seen}) > SNAPSHOTS // 2  # the readers did follow the writer
    sync_version(crowd, SNAPSHOTS + 1)
    home = index_home(crowd.kb, crowd.settings)
    assert (len(snapshot_names(home)), litter(home)) == (crowd.settings.keep_snapshots, [])


def all_of(crowd: Crowd, roles: tuple[Any, ...]) -> list[Any]:
    """What each role sent at its end; all of them run at once."""
    pipes = [processes.Pipe(duplex=False) for _ in roles]
    children = [processes.Process(target=run, args=(role, crowd, its)) for role, (_, its) in zip(roles, pipes, strict=True)]
    for child in children:
        child.start()
    sent = []
    for ours, its in pipes:
        its.close()
        assert ours.poll(10 * LIMIT_SECONDS)
        sent.append(ours.recv())
        ours.close()
    for child in children:
        child.join(LIMIT_SECONDS)
        child.close()
    assert [one for one in sent if isinstance(one, str)] == []  # what failed
    return sent


def answer_on_demand(crowd: Crowd, pipe: Connection) -> None:
    """A reader that stays with its snapshot and answers whenever it is asked, until it is told to stop."""
    with crowd.opened() as engine:
        while True:
            pipe.send(answers_of(engine))
            if not pipe.recv():
                return


@contextmanager
def held_by_a_reader(crowd: Crowd) -> Iterator[tuple[Any, Connection]]:
    """A process that has opened the newest snapshot, and the pipe to ask it through."""
    ours, its = processes.Pipe()
    child = processes.Process(target=answer_on_demand, args=(crowd, its))
    child.start()
    its.close()
    try:
        yield child, ours
    finally:
        child.kill()
        child.join()
        ours.close()


@pytest.mark.parametrize("is_killed", [False, True], ids=["it closes", "it is killed"])
def test_a_held_snapshot_stays_and_answers_until_its_reader_ends(crowd: Crowd, is_killed: bool) -> None:
    home = index_home(crowd.kb, crowd.settings)
    [held] = snapshot_names(home)
    rounds = crowd.settings.keep_snapshots + 2
    with held_by_a_reader(crowd) as (child, pipe):
        first = pipe.recv()
        for version in range(1, rounds):
            sync_version(crowd, version)
            pipe.send(True)
            assert pipe.recv() == first
            assert held in snapshot_names(home)
        if is_killed:
            child.kill()
        else:
            pipe.send(False)
        child.join(LIMIT_SECONDS)
        sync_version(crowd, rounds)
    names = snapshot_names(home)
    assert (len(names), held in names, litter(home)) == (crowd.settings.keep_snapshots, False, [])


def test_a_view_answers_while_its_engine_moves_on(crowd: Crowd) -> None:
    with crowd.opened() as engine:
        view = engine.with_settings(engine.settings)
        first = answers_of(view)
        for version in range(1, crowd.settings.keep_snapshots + 3):
            sync_version(crowd, version)
            assert engine.refresh()
            assert answers_of(view) == first
        assert {one.versions for one in answers_of(engine)} == {frozenset({version})}


def open_and_answer(crowd: Crowd, pipe: Connection) -> None:
    """Build the index, or wait for whoever does, and answer."""
    with KnowledgeEngine.open(crowd.kb, settings=crowd.settings) as engine:
        pipe.send(answers_of(engine))


def test_processes_that_open_a_new_knowledge_base_at_once_get_the_same_answers(crowd: Crowd, tmp_path: Path) -> None:
    fresh = Crowd(crowd.kb, hash_settings(tmp_path / "fresh"), 0, 0, crowd.made, crowd.ended)
    answers = all_of(fresh, (open_and_answer,) * 5)
    assert answers == [answers[0]] * 5
    assert len(snapshot_names(index_home(fresh.kb, fresh.settings))) == 1
    with KnowledgeEngine.open(fresh.kb, settings=fresh.settings, progress=no_building) as engine:
        assert answers_of(engine) == answers[0]
