"""Writing to the disk so that it stays, and the words for when it cannot be."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from engine.errors import EnvironmentProblem


def delete(path: Path) -> None:
    """Remove a file or a folder, as far as the system lets us; whatever stays is removed another time."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def make_way(*files: Path) -> None:
    """Remove folders that stand where files of ours belong."""
    for path in files:
        if path.is_dir():
            delete(path)


@contextmanager
def writing_to(home: Path) -> Iterator[None]:
    """Around writing to the index, and around nothing else: an OSError of a progress callback is not the index's. Raises EnvironmentProblem."""
    try:
        yield
    except (OSError, duckdb.Error, RuntimeError) as failure:  # usearch has no error of its own
        what = failure.strerror if isinstance(failure, OSError) and failure.strerror else failure
        remedy = "make it writable" if isinstance(failure, OSError) and failure.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else "make room"
        raise EnvironmentProblem(f"the index cannot be written to {home}: {what}; {remedy} or give another folder (index_dir)") from failure


def write_text(path: Path, text: str) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def flush(path: Path) -> None:
    """Wait until the disk has a file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(path: Path) -> None:
    """Wait until the disk has the names in a folder, where the system can be asked to."""
    if os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
