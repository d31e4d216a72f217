"""The manifest of a snapshot: how it was made, and a checksum for every file, itself included."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.digest import bytes_hash, file_hash
from engine.errors import IndexDamaged
from engine.index.home import write_text

FORMAT_VERSION = 3  # raise when a file in the folder changes its meaning
MANIFEST = "manifest.json"
Manifest = dict[str, Any]


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Add the checksums of the files in a folder and of the manifest itself, write it, and return it."""
    files = {path.name: file_hash(path) for path in sorted(folder.iterdir())}
    complete = _with_checksum({**manifest, "formatVersion": FORMAT_VERSION, "files": files})
    write_text(folder / MANIFEST, _written(complete))
    return complete


def verified(folder: Path) -> Manifest:
    """The manifest of a snapshot that holds exactly the files that were written. Raises IndexDamaged."""
    manifest = _read(folder)
    found = {path.name for path in folder.iterdir()} - {MANIFEST}
    for name in sorted(found ^ manifest["files"].keys()):
        raise _damaged(folder, f"{name} {'is missing' if name in manifest['files'] else 'does not belong there'}")
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="checksum") as pool:
        altered = pool.map(lambda item: file_hash(folder / item[0]) != item[1], manifest["files"].items())
        try:
            wrong = [name for name, differs in zip(manifest["files"], altered, strict=True) if differs]
        except OSError as failure:
            raise _damaged(folder, f"{Path(str(failure.filename)).name} cannot be read ({failure.strerror})") from failure
    if wrong:
        raise _damaged(folder, f"{', '.join(wrong)} is not what was written")
    return manifest


def _read(folder: Path) -> Manifest:
    """A manifest of this format, unaltered."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        manifest = json.loads(text)
        if not isinstance(manifest, dict):
            raise ValueError("it is no object")
    except FileNotFoundError as failure:
        raise _damaged(folder, f"{MANIFEST if folder.is_dir() else 'its folder'} is missing") from failure
    except (OSError, ValueError, RecursionError) as failure:
        raise _damaged(folder, f"{MANIFEST} cannot be read ({failure})") from failure
    version = manifest.get("formatVersion")
    if isinstance(version, int) and version != FORMAT_VERSION:
        raise IndexDamaged(f"snapshot {folder.name} has format {version}, this version reads {FORMAT_VERSION}; run: evidence sync")
    if text != _written(_with_checksum(manifest)) or manifest.get("snapshotId") != folder.name:
        raise _damaged(folder, f"{MANIFEST} is not what was written")
    return manifest


def _with_checksum(manifest: Manifest) -> Manifest:
    content = {name: value for name, value in manifest.items() if name != "checksum"}
    return {**content, "checksum": bytes_hash(_written(content).encode())}


def _written(manifest: Manifest) -> str:
    return json.dumps(manifest, indent=2, sort_keys=True) + "\n"


def _damaged(folder: Path, what: str) -> IndexDamaged:
    return IndexDamaged(f"snapshot {folder.name} is damaged: {what}; run: evidence sync")
