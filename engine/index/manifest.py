"""The manifest of a snapshot: how it was made, and a checksum for every file, itself included."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.digest import bytes_hash, file_hash
from engine.errors import EnvironmentProblem, IndexDamaged
from engine.index.damage import failure_to_read
from engine.index.disk import write_text

FORMAT_VERSION = 3  # raise when a file in the folder changes its meaning
MANIFEST = "manifest.json"
Manifest = dict[str, Any]


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Add the checksums of the files in a folder and of the manifest itself, and the index that it belongs to; write it, and return it."""
    files = {path.name: file_hash(path) for path in sorted(folder.iterdir())}
    complete = _with_checksum({**manifest, "formatVersion": FORMAT_VERSION, "files": files, "index": _index_of(folder)})
    write_text(folder / MANIFEST, _written(complete))
    return complete


def verified(folder: Path) -> Manifest:
    """The manifest of a snapshot that holds exactly the files that were written. Raises IndexDamaged, EnvironmentProblem."""
    manifest = _read(folder)
    try:
        found = {path.name: path.is_file() for path in folder.iterdir() if path.name != MANIFEST}
    except OSError as failure:
        raise not_opened(folder, failure) from failure
    for name in sorted(found.keys() ^ manifest["files"].keys()):
        raise _damaged(folder, f"{name} {'is missing' if name in manifest['files'] else 'does not belong there'}")
    for name in (name for name, is_file in found.items() if not is_file):
        raise _damaged(folder, f"{name} is no file")
    try:
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="checksum") as pool:
            altered = pool.map(lambda item: file_hash(folder / item[0]) != item[1], manifest["files"].items())
            wrong = [name for name, differs in zip(manifest["files"], altered, strict=True) if differs]
    except OSError as failure:
        raise not_opened(folder, failure) from failure
    except RuntimeError as failure:  # no room for another thread
        raise EnvironmentProblem(f"snapshot {folder.name} cannot be checked: {failure}; give this process what it lacks and try again") from failure
    if wrong:
        raise _damaged(folder, f"{', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} not what was written")
    return manifest


def _read(folder: Path) -> Manifest:
    """A manifest of this format, unaltered."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        manifest = json.loads(text)
        if not isinstance(manifest, dict):
            raise ValueError("it is no object")
    except OSError as failure:
        raise not_opened(folder, failure) from failure
    except (ValueError, RecursionError) as failure:
        raise _damaged(folder, f"{MANIFEST} cannot be read ({failure})") from failure
    version = manifest.get("formatVersion")
    if isinstance(version, int) and version != FORMAT_VERSION:
        raise IndexDamaged(f"snapshot {folder.name} has format {version}, this version reads {FORMAT_VERSION}")
    if text != _written(_with_checksum(manifest)) or manifest.get("snapshotId") != folder.name:
        raise _damaged(folder, f"{MANIFEST} is not what was written")
    if manifest["index"] != _index_of(folder):
        raise _damaged(folder, f"it belongs to another index ({manifest['index']})")
    return manifest


def _index_of(folder: Path) -> str:
    """The name of the home of a snapshot, which stands for a knowledge base and its build settings."""
    return folder.parents[1].name


def _with_checksum(manifest: Manifest) -> Manifest:
    content = {name: value for name, value in manifest.items() if name != "checksum"}
    return {**content, "checksum": bytes_hash(_written(content).encode())}


def _written(manifest: Manifest) -> str:
    return json.dumps(manifest, indent=2, sort_keys=True) + "\n"


def not_opened(folder: Path, failure: OSError) -> IndexDamaged | EnvironmentProblem:
    """What it means that a file of a snapshot cannot be opened."""
    name = Path(os.fsdecode(failure.filename or folder)).name
    if isinstance(failure, FileNotFoundError):
        return _damaged(folder, f"{name if folder.is_dir() else 'its folder'} is missing")
    return failure_to_read(f"{name} of snapshot {folder.name}", failure)


def _damaged(folder: Path, what: str) -> IndexDamaged:
    return IndexDamaged(f"snapshot {folder.name} is damaged: {what}")
