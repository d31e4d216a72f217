"""Where the index of a knowledge base lies on disk, and CURRENT, which names its newest snapshot."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

from engine.digest import digest
from engine.errors import BadSettings, IndexDamaged
from engine.index.damage import failure_to_read
from engine.index.disk import flush_folder, make_way, write_text
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
    home = root / f"{_readable(absolute)}-{digest({'path': str(absolute), 'build': settings.build_key})}"
    if mark := next((mark for mark in _TAKEN if mark in str(root)), ""):
        raise BadSettings(f"index_dir {settings.index_dir or root} has a {mark} in it, which the database does not take; give another folder")
    real = home.resolve()
    if real.is_relative_to(absolute) and not any(part.startswith(".") for part in real.relative_to(absolute).parts):
        raise BadSettings(f"index_dir {settings.index_dir or root} lies inside of the knowledge base; give a folder outside of it")
    return home


def runs_home(kb: Path, settings: Settings) -> Path:
    """The folder of the saved evaluations of one knowledge base, whatever its build settings, so that these can be compared."""
    absolute = kb.resolve()
    return index_root(settings) / f"{_readable(absolute)}-{digest({'path': str(absolute)})}-runs"


def _readable(kb: Path) -> str:
    """The name of a knowledge base as the begin of the name of a folder."""
    return _UNSAFE.sub("-", kb.name)[:40] or "kb"


def snapshot_folders(home: Path) -> list[Path]:
    """Every complete snapshot on disk, the one published last first."""
    folders = [path for path in (home / "snapshots").glob("*") if _ID.fullmatch(path.name)]
    return sorted(folders, key=lambda path: (path.lstat().st_mtime_ns, path.name), reverse=True)


def snapshot_folder(home: Path, snapshot_id: str) -> Path:
    """The folder of one snapshot."""
    return home / "snapshots" / snapshot_id


def current_id(home: Path) -> str | None:
    """The id of the newest complete snapshot, if there is one. Raises IndexDamaged, EnvironmentProblem."""
    pointer = home / CURRENT
    try:
        written = pointer.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as failure:
        raise failure_to_read(f"{CURRENT} of the index", failure) from failure
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
