"""A build as an immutable folder with a manifest, and CURRENT, which names the newest one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from engine.errors import IndexDamaged, IndexMissing
from engine.index.catalog import Catalog
from engine.index.vectors import UsearchIndex
from engine.settings import Settings, digest

FORMAT_VERSION = 1  # raise when a file in the folder changes its meaning
CATALOG, VECTORS, MANIFEST, CURRENT = "catalog.duckdb", "vectors.usearch", "manifest.json", "CURRENT"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One build, opened for reading."""

    id: str
    manifest: dict[str, Any]
    catalog: Catalog
    vectors: UsearchIndex | None  # None where there is no chunk

    @property
    def model_fingerprint(self) -> str:
        """The embedding model that made the vectors."""
        return str(self.manifest["model"]["fingerprint"])


def index_home(kb: Path, settings: Settings) -> Path:
    """The folder of all snapshots of one knowledge base with one set of build settings."""
    root = Path(settings.index_dir).expanduser() if settings.index_dir else platformdirs.user_cache_path("evidence-explorer")
    absolute = kb.resolve()
    return root / f"{absolute.name or 'kb'}-{digest({'path': str(absolute), 'build': settings.build_key})}"


def current_id(home: Path) -> str | None:
    """The id of the newest complete snapshot, if there is one."""
    pointer = home / CURRENT
    return pointer.read_text(encoding="utf-8").strip() if pointer.exists() else None


def open_snapshot(home: Path) -> Snapshot:
    """Open the newest snapshot and hold every file against the manifest.

    Raises:
        IndexMissing: nothing has been built yet.
        IndexDamaged: a file is missing, altered or of another format.
    """
    snapshot_id = current_id(home)
    if snapshot_id is None:
        raise IndexMissing("there is no index of this knowledge base yet; run: evidence sync")
    folder = home / "snapshots" / snapshot_id
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        damaged = [name for name, expected in manifest["files"].items() if file_hash(folder / name) != expected]
        version = manifest["formatVersion"]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise IndexDamaged(f"snapshot {snapshot_id} is damaged: {failure}; run: evidence sync") from failure
    if version != FORMAT_VERSION:
        raise IndexDamaged(f"snapshot {snapshot_id} has format {version}, this version reads {FORMAT_VERSION}; run: evidence sync")
    if damaged:
        raise IndexDamaged(f"snapshot {snapshot_id} is damaged: {', '.join(damaged)} is not what was written; run: evidence sync")
    vectors = UsearchIndex(folder / VECTORS) if VECTORS in manifest["files"] else None
    return Snapshot(snapshot_id, manifest, Catalog(folder / CATALOG), vectors)


def publish(home: Path, building: Path, manifest: dict[str, Any], keep: int) -> None:
    """Finish a build: manifest, rename, switch CURRENT, remove the oldest. A crash leaves the last good snapshot."""
    snapshot_id = manifest["snapshotId"]
    write_text(building / MANIFEST, json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    target = home / "snapshots" / snapshot_id
    if target.exists():  # built before, from the same files; it may be the damaged one
        shutil.rmtree(target)
    building.rename(target)
    pointer = home / f"{CURRENT}.new"
    write_text(pointer, snapshot_id + "\n")
    pointer.replace(home / CURRENT)
    others = [folder for folder in target.parent.iterdir() if folder != target]
    for folder in sorted(others, key=lambda one: one.stat().st_mtime, reverse=True)[keep - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def file_hash(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_text(path: Path, text: str) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
