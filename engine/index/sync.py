"""From the files of a knowledge base to its newest snapshot; one writer at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import EnvironmentProblem, IndexDamaged, IndexLocked, IndexMissing
from engine.index.build import build
from engine.index.changes import find_changes
from engine.index.disk import delete, make_way, writing_to
from engine.index.embedding import Embedder
from engine.index.home import BUILDING, index_home, snapshot_folder
from engine.index.publish import collect, publish
from engine.index.snapshot import Snapshot, open_snapshot
from engine.paths import require_knowledge_base
from engine.progress import Progress, no_progress
from engine.settings import Settings

_LOG = logging.getLogger("engine")
_LOCK_SECONDS = 600  # how long to wait for another writer before saying so


def sync(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """Bring the index up to date with the files as they are now, and open it; only what changed is read and embedded.

    Raises:
        KnowledgeBaseMissing, IndexLocked, ModelUnavailable, EnvironmentProblem.
    """
    require_knowledge_base(kb)
    home = index_home(kb, settings)
    with _writer(home, progress):
        return _built(kb, home, settings, embedder, _former(home, embedder), progress)


def open_or_build(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """The newest snapshot; built first where it is missing or damaged. Raises IndexDamaged where that cannot be, else as `sync` does."""
    require_knowledge_base(kb)
    home = index_home(kb, settings)
    damage = ""
    try:
        return open_snapshot(home, embedder.fingerprint)
    except IndexMissing:
        pass
    except IndexDamaged as found:
        damage = found.what
    try:
        with _writer(home, progress):
            former = _former(home, embedder)
            return former or _built(kb, home, settings, embedder, None, progress)  # another process may have built it while we waited
    except EnvironmentProblem as failure:
        if damage and type(failure) is EnvironmentProblem:  # the others, such as ModelUnavailable, are told apart by callers
            raise IndexDamaged(f"{damage}, and it cannot be built anew: {failure}") from failure
        raise


def _former(home: Path, embedder: Embedder) -> Snapshot | None:
    """The newest snapshot, if there is a sound one; a damaged one is named in the log."""
    try:
        return open_snapshot(home, embedder.fingerprint)
    except IndexMissing:
        return None
    except IndexDamaged as damage:
        _LOG.warning("%s; it is built anew", damage.what)
        return None


@contextmanager
def _writer(home: Path, progress: Progress) -> Iterator[None]:
    """The right to build, held by one process at a time; whoever waits for it can be stopped."""
    with writing_to(home):
        home.mkdir(parents=True, exist_ok=True)
        make_way(home / "lock")
    lock = FileLock(home / "lock")
    for waited in range(_LOCK_SECONDS):
        with writing_to(home), suppress(Timeout):
            lock.acquire(timeout=1)
            break
        progress("wait", waited + 1, _LOCK_SECONDS)
    else:
        raise IndexLocked(f"another process has been building this index for {_LOCK_SECONDS} seconds; wait for it or stop it")
    try:
        yield
    finally:
        lock.release()


def _built(kb: Path, home: Path, settings: Settings, embedder: Embedder, former: Snapshot | None, progress: Progress) -> Snapshot:
    """The snapshot of the files as they are now: the former one, or one built and published; what `progress` raises leaves the former in place."""
    building = snapshot_folder(home, BUILDING)
    snapshot = None
    try:
        with writing_to(home):
            delete(building)  # left by a crash; we hold the lock
            if not building.parent.is_dir() and not building.parent.is_symlink():  # a link may lead to a drive that is not there now
                delete(building.parent)
        changes = find_changes(kb, former, embedder, progress)
        snapshot = changes.unchanged
        if snapshot is None:
            manifest = build(changes, home, settings, embedder, progress)
            progress("write", 1, 2)  # the last moment to stop: what follows is the switch
            with writing_to(home):
                publish(home, manifest)
            snapshot = open_snapshot(home, embedder.fingerprint)
    finally:
        if former is not None and former is not snapshot:
            former.close()
        delete(building)
    with ExitStack() as on_failure:
        on_failure.callback(snapshot.close)
        try:
            with writing_to(home):
                collect(home, snapshot.id, settings.keep_snapshots)
        except EnvironmentProblem as failure:  # the switch is done
            _LOG.warning("old snapshots stay for the time being: %s", failure)
        progress("write", 2, 2)
        on_failure.pop_all()
    return snapshot
