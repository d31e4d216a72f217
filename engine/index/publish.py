"""A finished build becomes the newest snapshot, and old ones go when nobody holds them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from engine.errors import IndexDamaged
from engine.index.disk import delete, flush, flush_folder
from engine.index.hold import alone_with
from engine.index.home import BUILDING, REMOVED, point_to, snapshot_folder, snapshot_folders
from engine.index.manifest import Manifest, write_manifest
from engine.index.snapshot import open_folder


def publish(home: Path, manifest: Manifest) -> None:
    """Complete what lies in BUILDING, move it to its place and switch CURRENT to it; a crash at any moment leaves the former snapshot or this one."""
    building = snapshot_folder(home, BUILDING)
    for path in building.iterdir():
        flush(path)
    snapshot_id: str = write_manifest(building, manifest)["snapshotId"]
    target = snapshot_folder(home, snapshot_id)
    if _can_be_opened(target, manifest):  # built before, from the same files, and perhaps open in a reader
        delete(building)
    else:
        flush_folder(building)
        damaged = _out_of_sight(target) if os.path.lexists(target) else None
        building.rename(target)
        flush_folder(target.parent)
        if damaged is not None:
            delete(damaged)
    os.utime(target)  # one that comes back counts as new
    point_to(home, snapshot_id)


def collect(home: Path, current: str, keep: int) -> None:
    """Remove what crashes left, and the oldest snapshots beyond the `keep` newest that no reader holds. Only for whoever has the right to build."""
    for litter in [*(home / "snapshots").glob(f"{REMOVED}*"), snapshot_folder(home, BUILDING)]:
        delete(litter)
    others = [folder for folder in snapshot_folders(home) if folder.name != current]
    for folder in others[keep - 1 :]:
        with alone_with(folder) as alone, suppress(OSError):  # open elsewhere, on Windows
            if alone:
                delete(_out_of_sight(folder))


def _out_of_sight(folder: Path) -> Path:
    """Rename a snapshot, so that nobody opens a half of it while it is deleted; its new place."""
    hidden = folder.with_name(f"{REMOVED}{folder.name}")
    delete(hidden)
    folder.rename(hidden)
    return hidden


def _can_be_opened(folder: Path, manifest: Manifest) -> bool:
    """Whether readers take a snapshot; checksums alone do not say so, since another version of a library may have written it."""
    try:
        open_folder(folder, manifest["model"]["fingerprint"]).close()
    except IndexDamaged:
        return False
    return True
