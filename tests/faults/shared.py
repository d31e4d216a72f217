"""What the proofs share: the length of the run, child processes that start at once, what an index contains, and what does not belong there."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from engine.digest import file_hash
from engine.index.embedding import HashEmbedder
from engine.index.home import current_id, index_home
from engine.index.snapshot import Snapshot, open_snapshot
from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.knowledge_base import write_files

FULL = os.environ.get("FAULTS") == "full"
LIMIT_SECONDS = 120  # for anything that a child does; nothing comes near it
_DIRECTIONS = 8  # a vector that differs anywhere differs along each of them
_CATALOG = "catalog.duckdb"
_ID = re.compile(r"[0-9a-f]{16}")

# Children are forked from a server that has imported everything and opened nothing: one starts in a few milliseconds.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["engine.knowledge_engine", "pandas", "tests.faults.killing", "tests.faults.crowd"])


@dataclass(frozen=True, slots=True)
class Content:
    """All that an index says: every table, every vector along some directions, every other file, and the answers to some questions."""

    snapshot_id: str
    tables: Mapping[str, Sequence[tuple[Any, ...]]]
    files: Mapping[str, str]
    similarities: bytes
    answers: tuple[str, ...]

    def differences(self, other: Content) -> list[str]:
        """The parts in which two indexes differ."""
        parts = [name for name in ("snapshot_id", "files", "similarities", "answers") if getattr(self, name) != getattr(other, name)]
        tables = self.tables.keys() | other.tables.keys()
        return [*parts, *sorted(name for name in tables if self.tables.get(name) != other.tables.get(name))]


def no_building(stage: str, done: int, total: int) -> None:
    """A progress callback for an index that is there: it must be opened, not built."""
    raise AssertionError(f"the index was built, {stage} {done} of {total}")


def content(kb: Path, settings: Settings, questions: Sequence[str]) -> Content:
    """What the newest snapshot contains, read without building anything."""
    with KnowledgeEngine.open(kb, settings=settings, progress=no_building) as engine:
        results = [engine.lookup_knowledge(question) for question in questions]
    home = index_home(kb, settings)
    snapshot_id = current_id(home)
    assert {result.snapshot_id for result in results} <= {snapshot_id}
    assert snapshot_id is not None
    folder = home / "snapshots" / snapshot_id
    files = {path.name: file_hash(path) for path in folder.iterdir() if path.name not in (_CATALOG, "manifest.json")}  # a database has gaps
    answers = tuple(result.canonical_json() for result in results)
    return Content(snapshot_id, _tables(folder / _CATALOG), files, _similarities(home), answers)


def clean_content(kb: Path, settings: Settings, questions: Sequence[str]) -> Content:
    """What a full build of the files as they are now contains."""
    home = index_home(kb, settings)
    assert not home.exists()
    KnowledgeEngine.open(kb, settings=settings).close()
    return content(kb, settings, questions)


def _tables(catalog: Path) -> dict[str, list[tuple[Any, ...]]]:
    with TemporaryDirectory() as folder, duckdb.connect(shutil.copy(catalog, folder)) as connection:  # a copy, since engines may have the file open
        names = [name for (name,) in connection.execute("select table_name from duckdb_tables() order by all").fetchall()]
        return {name: connection.execute(f'select * from "{name}" order by all').fetchall() for name in names}


def _similarities(home: Path) -> bytes:
    snapshot = open_snapshot(home, HashEmbedder.fingerprint)
    rows = np.arange(snapshot.manifest["counts"]["chunks"], dtype=np.int64)
    directions = np.random.default_rng(7).normal(size=(_DIRECTIONS, 1024)).astype(np.float32)
    found = [snapshot.vectors.similarities(sign * one, rows) for one in directions for sign in (1, -1)] if snapshot.vectors else []
    release(snapshot)
    return b"".join(one.tobytes() for one in found)


def release(snapshot: Snapshot) -> None:
    """Close a snapshot that was opened without an engine."""
    snapshot.close()


def move(kb: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Turn the files of one state into those of another."""
    for source in before.keys() - after.keys():
        (kb / source).unlink()
    write_files(kb, {source: text for source, text in after.items() if before.get(source) != text})


def snapshot_names(home: Path) -> list[str]:
    """The folders of snapshots."""
    return sorted(path.name for path in (home / "snapshots").iterdir() if _ID.fullmatch(path.name))


def litter(home: Path) -> list[str]:
    """What is left over in the folder of an index: all but CURRENT, the writer's lock, and snapshots."""
    known = {"CURRENT", "lock", "snapshots", *snapshot_names(home)}
    return sorted(path.name for path in [*home.iterdir(), *(home / "snapshots").iterdir()] if path.name not in known)
