"""Vectors that were computed once, by the hash of their text: one SQLite file for each model, shared by all knowledge bases of an index folder.

A row carries a checksum over model, text hash and vector, so damage costs time and never gives a wrong vector. SQLite's own log keeps whole batches
when a process is killed. A file that is damaged as a whole is never written again: the next number takes its place, because renaming or
overwriting a file that another process has open would damage that process's log. The folder may be deleted whenever nobody builds.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

import numpy as np
from filelock import FileLock

from engine.errors import EnvironmentProblem
from engine.index.disk import make_way

_LOG = logging.getLogger("engine")
_FORMAT = 1  # part of the name: another format is another file
_WAIT_SECONDS = 60  # for another process that writes a batch, which takes it milliseconds
_KEYS_A_QUERY = 500  # SQLite before 3.32 takes 999 parameters
# These are the file's own; any other failure comes from the disk, the rights or other processes, and the file stays.
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_ERROR", "SQLITE_SCHEMA", "SQLITE_MISMATCH", "SQLITE_CONSTRAINT")
_SCHEMA = "create table if not exists embeddings (text_hash blob primary key, vector blob not null, checksum blob not null)"
_NEXT_STEP = "make room there, let other builds end, or give another folder (index_dir)"
_TYPES = "<f4"  # the same bytes on any machine


def text_hash(text: str) -> bytes:
    """The key of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class EmbeddingCache:
    """The vectors of one model, opened for one build; use it as a context manager, in one thread.

    Raises:
        EnvironmentProblem: the file cannot be written. A build would not end well either, since its snapshot goes to the same disk,
            and it could not be stopped and taken up again.
    """

    def __init__(self, root: Path, fingerprint: str) -> None:
        self._folder = root / "embeddings"
        self._fingerprint = fingerprint
        self._stem = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', fingerprint)}-{_FORMAT}"  # no dot: the number stands between dots
        with self._explained():
            self._folder.mkdir(parents=True, exist_ok=True)
            make_way(self._folder / "lock")
            self._open()

    @property
    def path(self) -> Path:
        """The file in use."""
        return self._folder / f"{self._stem}.{self._number}.sqlite"

    def get(self, keys: Iterable[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors that are there and whole, float32 [dimension], all of one dimension; none where they have several."""
        wanted = list(keys)
        found: dict[bytes, np.ndarray] = {}
        with self._explained():
            try:
                for start in range(0, len(wanted), _KEYS_A_QUERY):
                    found |= self._read(wanted[start : start + _KEYS_A_QUERY])
            except sqlite3.DatabaseError as failure:
                self._replace(failure)
                self._write(found)  # what was read before the damage is whole
        return found if len({vector.size for vector in found.values()}) == 1 else {}

    def put(self, vectors: Mapping[bytes, np.ndarray]) -> None:
        """Keep the vectors of a batch; after the return a killed process does not lose them."""
        with self._explained():
            try:
                self._write(vectors)
            except sqlite3.DatabaseError as failure:
                self._replace(failure)
                self._write(vectors)

    def _read(self, keys: list[bytes]) -> dict[bytes, np.ndarray]:
        marks = ",".join("?" * len(keys))
        rows = self._connection.execute(f"select text_hash, vector, checksum from embeddings where text_hash in ({marks})", keys).fetchall()
        whole = [row for row in rows if all(isinstance(value, bytes) for value in row) and row[2] == self._checksum(row[0], row[1])]
        if len(whole) < len(rows):
            _LOG.warning("%d embeddings in %s are damaged or of another model; they are computed anew", len(rows) - len(whole), self.path.name)
        return {key: np.frombuffer(vector, dtype=_TYPES) for key, vector, _ in whole}

    def _write(self, vectors: Mapping[bytes, np.ndarray]) -> None:
        data = {key: vector.astype(_TYPES).tobytes() for key, vector in vectors.items()}
        rows = [(key, vector, self._checksum(key, vector)) for key, vector in data.items()]
        with self._connection:
            self._connection.executemany("insert or replace into embeddings values (?, ?, ?)", rows)

    def _checksum(self, key: bytes, vector: bytes) -> bytes:
        return hashlib.blake2b(b"\0".join((self._fingerprint.encode(), key, vector)), digest_size=16).digest()

    def _replace(self, failure: sqlite3.DatabaseError) -> None:
        """Go on in a new file where this one is damaged; any other failure is raised again."""
        if not _is_damage(failure):
            raise failure
        self._connection.close()
        self._open(spoiled=self._number)

    def _open(self, spoiled: int = -1) -> None:
        """Open the newest file; one with the next number where that is the spoiled one or cannot be read."""
        with FileLock(self._folder / "lock", timeout=_WAIT_SECONDS):  # two that turn on SQLite's log at once would be in each other's way
            numbers = [int(number) for path in self._folder.glob(f"{self._stem}.*.sqlite") if (number := path.name.split(".")[1]).isdecimal()]
            self._number = max(numbers, default=0)
            if self._number != spoiled and not self.path.is_dir():
                try:
                    self._connection = _connected(self.path)
                    return
                except sqlite3.DatabaseError as failure:
                    if not _is_damage(failure):
                        raise
            spoiled_name = self.path.name
            self._number += 1
            _LOG.warning("the embeddings in %s are damaged; %s takes its place", spoiled_name, self.path.name)
            self._connection = _connected(self.path)
            self._remove_older()

    def _remove_older(self) -> None:
        for path in self._folder.glob(f"{self._stem}.*.sqlite*"):
            if not path.name.startswith(self.path.name) and not path.is_dir():
                with suppress(OSError):  # open elsewhere, on Windows
                    path.unlink()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as failure:
            raise EnvironmentProblem(f"embeddings cannot be kept in {self._folder}: {failure}; {_NEXT_STEP}") from failure

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._connection.close()


def _is_damage(failure: sqlite3.DatabaseError) -> bool:
    return getattr(failure, "sqlite_errorname", "").startswith(_DAMAGE)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level="IMMEDIATE")
    try:
        connection.text_factory = bytes  # a damaged row may call its bytes text
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")  # a batch outlives its process; after a power cut the last ones may be missing
        connection.execute(_SCHEMA)
        connection.execute("select text_hash, vector, checksum from embeddings limit 1").fetchall()
        connection.commit()
    except BaseException:
        connection.close()
        raise
    return connection
