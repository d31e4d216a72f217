"""Writing to the disk so that it stays, and the words for when it cannot be."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

import duckdb

from engine.errors import EnvironmentProblem

_NO_ANSWER = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}  # of network drives that are asked to flush a folder
_REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "let this process open more files"),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY), "remove what stands there"),
    errno.ENOENT: "make the folder",
}


def delete(path: Path) -> None:
    """Remove a file or a folder, as far as the system lets us; whatever stays is removed another time."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def make_way(*files: Path) -> None:
    """Remove folders that stand where files of ours belong."""
    for path in files:
        if path.is_dir():
            delete(path)


@contextmanager
def writing_to(home: Path) -> Iterator[None]:
    """Around work on the files of an index: what the system refuses is one sentence. Raises EnvironmentProblem."""
    try:
        yield
    except (OSError, duckdb.Error, RuntimeError) as failure:  # usearch has no error of its own
        number = failure.errno if isinstance(failure, OSError) else 0
        what = failure.strerror if isinstance(failure, OSError) and failure.strerror else failure
        remedy = _REMEDIES.get(number or 0, "make room")
        raise EnvironmentProblem(f"the index cannot be written to {home}: {what}; {remedy} or give another folder (index_dir)") from failure


def write_text(path: Path, text: str) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_text(path: Path, text: str) -> None:
    """Write a file whole or not at all: under another name beside it, then renamed; a file that was there passes its mode on."""
    beside = path.with_name(f".{path.name[:100]}.{token_hex(4)}.new")
    try:
        write_text(beside, text)
        if path.exists():
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    flush_folder(path.parent)


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
        except OSError as failure:
            if failure.errno not in _NO_ANSWER:
                raise
        finally:
            os.close(descriptor)
