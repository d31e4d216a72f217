"""A build as an immutable folder with a manifest, and CURRENT, which names the newest one."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from engine.digest import digest, file_hash
from engine.errors import BadSettings, IndexDamaged, IndexMissing
from engine.index.catalog import Catalog
from engine.index.vectors import UsearchIndex, VectorIndex
from engine.settings import Settings

FORMAT_VERSION = 2  # raise when a file in the folder changes its meaning
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")  # in the name of a folder; DuckDB reads a `?` in a path as an option
CATALOG, VECTORS, MANIFEST, CURRENT = "catalog.duckdb", "vectors.usearch", "manifest.json", "CURRENT"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One build, opened for reading."""

    id: str
    manifest: dict[str, Any]
    catalog: Catalog
    vectors: VectorIndex | None  # None where there is no chunk


def index_root(settings: Settings) -> Path:
    """The folder of the indexes of all knowledge bases, and of the embeddings that these share."""
    return Path(settings.index_dir).expanduser() if settings.index_dir else platformdirs.user_cache_path("evidence-explorer")


def index_home(kb: Path, settings: Settings) -> Path:
    """The folder of all snapshots of one knowledge base with one set of build settings."""
    root = index_root(settings)
    absolute = kb.resolve()
    name = _UNSAFE.sub("-", absolute.name)[:40] or "kb"
    home = root / f"{name}-{digest({'path': str(absolute), 'build': settings.build_key})}"
    real = home.resolve()
    if real.is_relative_to(absolute) and not any(part.startswith(".") for part in real.relative_to(absolute).parts):
        raise BadSettings(f"index_dir {root} lies inside of the knowledge base; give a folder outside of it")
    return home


def current_id(home: Path) -> str | None:
    """The id of the newest complete snapshot, if there is one. Raises IndexDamaged."""
    pointer = home / CURRENT
    try:
        return pointer.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as failure:
        raise IndexDamaged(f"{CURRENT} of the index cannot be read: {failure}; run: evidence sync") from failure


def open_snapshot(home: Path, model_fingerprint: str) -> Snapshot:
    """Open the newest snapshot and hold every file against the manifest.

    Raises:
        IndexMissing: nothing has been built yet.
        IndexDamaged: a file is missing, altered or of another format, or another model made the vectors.
    """
    snapshot_id = current_id(home)
    if snapshot_id is None:
        raise IndexMissing("there is no index of this knowledge base yet; run: evidence sync")
    folder = home / "snapshots" / snapshot_id
    manifest = _verified(folder)
    made_by = manifest["model"]["fingerprint"]
    if made_by != model_fingerprint:
        raise IndexDamaged(f"snapshot {snapshot_id} was made by another model ({made_by}, now {model_fingerprint}); run: evidence sync")
    vectors = UsearchIndex(folder / VECTORS) if VECTORS in manifest["files"] else None
    return Snapshot(snapshot_id, manifest, Catalog(folder / CATALOG), vectors)


def _verified(folder: Path) -> dict[str, Any]:
    """The manifest of a snapshot whose files are what it says. Raises IndexDamaged."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        damaged = [name for name, expected in manifest["files"].items() if file_hash(folder / name) != expected]
        version = manifest["formatVersion"]
        if manifest["snapshotId"] != folder.name or not manifest["model"]["fingerprint"] or CATALOG not in manifest["files"]:
            raise ValueError("the manifest belongs to something else")
        if manifest["counts"]["chunks"] and VECTORS not in manifest["files"]:
            raise ValueError("the manifest lists no vectors")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as failure:
        raise IndexDamaged(f"snapshot {folder.name} is damaged: {failure}; run: evidence sync") from failure
    if version != FORMAT_VERSION:
        raise IndexDamaged(f"snapshot {folder.name} has format {version}, this version reads {FORMAT_VERSION}; run: evidence sync")
    if damaged:
        raise IndexDamaged(f"snapshot {folder.name} is damaged: {', '.join(damaged)} is not what was written; run: evidence sync")
    return manifest


def publish(home: Path, building: Path, manifest: dict[str, Any], keep: int) -> None:
    """Finish a build: manifest, rename, switch CURRENT, remove the oldest. A crash leaves the last good snapshot."""
    write_text(building / MANIFEST, json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    target = home / "snapshots" / manifest["snapshotId"]
    if _is_good(target):  # built before, from the same files, and perhaps open in a reader
        shutil.rmtree(building)
    else:
        if target.exists():
            shutil.rmtree(target)
        building.rename(target)
    pointer = home / f"{CURRENT}.new"
    write_text(pointer, manifest["snapshotId"] + "\n")
    pointer.replace(home / CURRENT)
    others = [folder for folder in target.parent.iterdir() if folder != target]
    for folder in sorted(others, key=lambda one: one.stat().st_mtime, reverse=True)[keep - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _is_good(folder: Path) -> bool:
    try:
        _verified(folder)
    except IndexDamaged:
        return False
    return True


def flush(path: Path) -> None:
    """Wait until the disk has a file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def write_text(path: Path, text: str) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
