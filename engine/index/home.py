"""Where the index of a knowledge base lies on disk, and CURRENT, which names its newest snapshot."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import platformdirs

from engine.digest import digest
from engine.errors import BadSettings, EnvironmentProblem, IndexDamaged
from engine.index.damage import unreadable
from engine.settings import Settings

CURRENT = "CURRENT"
BUILDING = ".building"  # a snapshot that is not complete yet
REMOVED = ".removed-"  # the begin of the name of one that nobody will open again
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")  # in the name of a folder; DuckDB reads a `?` in a path as an option
_TAKEN = "?" if os.name == "nt" else "?\\"
_ID = re.compile(r"[0-9a-f]{16}")


def index_root(settings: Settings) -> Path:
    """The folder of the indexes of all knowledge bases, and of the embeddings that these share."""
    return Path(settings.index_dir).expanduser().absolute() if settings.index_dir else platformdirs.user_cache_path("evidence-explorer")


def index_home(kb: Path, settings: Settings) -> Path:
    """The folder of all snapshots of one knowledge base with one set of build settings."""
    root = index_root(settings)
    absolute = kb.resolve()
    name = _UNSAFE.sub("-", absolute.name)[:40] or "kb"
    home = root / f"{name}-{digest({'path': str(absolute), 'build': settings.build_key})}"
    if mark := next((mark for mark in _TAKEN if mark in str(root)), ""):
        raise BadSettings(f"index_dir {root} has a {mark} in it, which the database does not take for part of a name; give another folder")
    real = home.resolve()
    if real.is_relative_to(absolute) and not any(part.startswith(".") for part in real.relative_to(absolute).parts):
        raise BadSettings(f"index_dir {root} lies inside of the knowledge base; give a folder outside of it")
    return home


def snapshot_folders(home: Path) -> list[Path]:
    """Every complete snapshot on disk, the one published last first."""
    folders = [path for path in (home / "snapshots").glob("*") if _ID.fullmatch(path.name)]
    return sorted(folders, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def snapshot_folder(home: Path, snapshot_id: str) -> Path:
    """The folder of one snapshot."""
    return home / "snapshots" / snapshot_id


def current_id(home: Path) -> str | None:
    """The id of the newest complete snapshot, if there is one. Raises IndexDamaged, EnvironmentProblem."""
    pointer = home / CURRENT
    try:
        written = pointer.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as failure:
        raise unreadable(f"{CURRENT} of the index", failure) from failure
    if not _ID.fullmatch(written):
        raise IndexDamaged(f"{CURRENT} of the index names no snapshot but {written[:40]!r}")
    return written


def point_to(home: Path, snapshot_id: str) -> None:
    """Make a complete snapshot the one that readers open: a rename, so they see the former one or this one."""
    pointer = home / f"{CURRENT}.new"
    make_way(pointer, home / CURRENT)
    write_text(pointer, snapshot_id + "\n")
    pointer.replace(home / CURRENT)
    flush_folder(home)


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
