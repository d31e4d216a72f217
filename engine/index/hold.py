"""A reader's hold on a snapshot: as long as it lives, nobody removes the folder."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import IndexDamaged
from engine.index.manifest import MANIFEST

try:
    import fcntl
except ImportError:  # Windows refuses to rename a folder in which a file is open, which holds it as well
    fcntl = None  # type: ignore[assignment]


class Hold:
    """A shared lock on the manifest of a snapshot; the system releases it when the process ends, however it ends.

    Raises:
        IndexDamaged: there is no such snapshot, or none any more.
    """

    def __init__(self, folder: Path) -> None:
        manifest = folder / MANIFEST
        try:
            descriptor = os.open(manifest, os.O_RDONLY)
        except OSError as failure:
            what = f"{manifest.name if folder.is_dir() else 'its folder'} is missing"
            raise IndexDamaged(f"snapshot {folder.name} is damaged: {what}; run: evidence sync") from failure
        self.release = weakref.finalize(self, os.close, descriptor)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks; there nobody can have it alone either, so nobody removes it
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not _is_at(descriptor, manifest):
            self.release()
            raise IndexDamaged(f"snapshot {folder.name} was removed while it was being opened; run: evidence sync")


@contextmanager
def alone_with(folder: Path) -> Iterator[bool]:
    """Whether no reader holds a snapshot; where it is so, it stays so until the block ends."""
    try:
        descriptor = os.open(folder / MANIFEST, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        yield True  # without a manifest it cannot be opened
        return
    except OSError:
        yield False  # who knows
        return
    try:
        yield _locked_alone(descriptor)
    finally:
        os.close(descriptor)


def _locked_alone(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
