"""A reader's hold on a snapshot: as long as it lives, nobody removes the folder."""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import IndexDamaged
from engine.index.manifest import MANIFEST, not_opened

try:
    import fcntl
except ImportError:  # Windows refuses to rename a folder in which a file is open, which holds it as well
    fcntl = None  # type: ignore[assignment]

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of the manifest would wait for somebody to write to it


class Hold:
    """A shared lock on the manifest of a snapshot; the system releases it when the process ends, however it ends.

    Raises:
        IndexDamaged: there is no such snapshot, or none any more.
        EnvironmentProblem: it may not be read.
    """

    def __init__(self, folder: Path) -> None:
        self._manifest = folder / MANIFEST
        try:
            self._descriptor = descriptor = os.open(self._manifest, os.O_RDONLY | _NO_WAIT)
        except OSError as failure:
            raise not_opened(folder, failure) from failure
        self.release = weakref.finalize(self, os.close, descriptor)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks; there nobody can have it alone either, so nobody removes it
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            self.release()
            raise IndexDamaged(f"snapshot {folder.name} is damaged: {MANIFEST} is no file")
        if not self.is_in_place:
            self.release()
            raise IndexDamaged(f"snapshot {folder.name} was removed while it was being opened")

    @property
    def is_in_place(self) -> bool:
        """Whether the snapshot that is held is still the one at its path; a damaged one that was built anew is another."""
        try:
            return self.release.alive and os.path.samestat(os.fstat(self._descriptor), self._manifest.stat())
        except OSError:
            return False


@contextmanager
def alone_with(folder: Path) -> Iterator[bool]:
    """Whether no reader holds a snapshot; where it is so, it stays so until the block ends."""
    if fcntl is None:
        yield True
        return
    try:
        descriptor = os.open(folder / MANIFEST, os.O_RDWR)  # network drives lock alone only what may be written
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
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
