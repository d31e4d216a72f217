"""Who reads a snapshot holds it: it is not removed before he is done, and afterwards it is."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import IndexDamaged
from engine.index.embedding import HashEmbedder
from engine.index.hold import Hold, alone_with
from engine.index.home import index_home, point_to, snapshot_folders
from engine.index.snapshot import open_snapshot
from engine.index.sync import sync
from engine.settings import Settings
from tests.knowledge_base import hash_settings, write_files

READER = """
import sys, time
from pathlib import Path
from engine.index.snapshot import open_snapshot
snapshot = open_snapshot(Path(sys.argv[1]), "hash-1024-2")
print(snapshot.id, flush=True)
time.sleep(600)
"""


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kb", {"a.md": "# Disk\n\nVersion 0.\n"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return hash_settings(tmp_path / "index", keep_snapshots=1)


def edit(kb: Path, settings: Settings, version: int) -> str:
    """Write another version and sync; the id of its snapshot."""
    write_files(kb, {"a.md": f"# Disk\n\nVersion {version}.\n"})
    snapshot = sync(kb, settings, HashEmbedder())
    snapshot.close()
    return snapshot.id


def names(kb: Path, settings: Settings) -> list[str]:
    return sorted(path.name for path in (index_home(kb, settings) / "snapshots").iterdir())


def test_a_snapshot_that_is_open_outlives_newer_ones(kb: Path, settings: Settings) -> None:
    reader = sync(kb, settings, HashEmbedder())
    newest = [edit(kb, settings, version) for version in (1, 2, 3)][-1]
    assert names(kb, settings) == sorted([reader.id, newest])
    assert reader.catalog.contents([0])[0][0] == "Version 0."
    reader.close()
    assert edit(kb, settings, 3) == newest  # nothing is built, but what is free goes
    assert names(kb, settings) == [newest]


def test_a_snapshot_that_is_forgotten_is_released(kb: Path, settings: Settings) -> None:
    reader = sync(kb, settings, HashEmbedder())
    del reader
    gc.collect()
    newest = edit(kb, settings, 1)
    assert names(kb, settings) == [newest]


def test_another_process_holds_until_it_is_killed(kb: Path, settings: Settings) -> None:
    first = edit(kb, settings, 0)
    with subprocess.Popen([sys.executable, "-c", READER, str(index_home(kb, settings))], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline().strip() == first
        second = edit(kb, settings, 1)
        assert names(kb, settings) == sorted([first, second])
        reader.send_signal(signal.SIGKILL)
    assert edit(kb, settings, 1) == second
    assert names(kb, settings) == [second]


def test_two_readers_hold_one_snapshot_and_a_writer_has_it_alone_after_both(kb: Path, settings: Settings) -> None:
    sync(kb, settings, HashEmbedder()).close()
    [folder] = snapshot_folders(index_home(kb, settings))
    first, second = Hold(folder), Hold(folder)
    first.release()
    with alone_with(folder) as alone:
        assert not alone
    second.release()
    with alone_with(folder) as alone:
        assert alone


def test_a_snapshot_that_went_before_it_was_held_leaves_the_turn_to_the_next(kb: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = edit(kb, settings, 0), edit(kb, settings, 1)
    named = iter([first, second])
    monkeypatch.setattr("engine.index.snapshot.current_id", lambda home: next(named, second))
    assert open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint).id == second


def test_a_folder_that_goes_between_opening_and_locking_is_not_held(kb: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(kb, settings, 0)
    [folder] = snapshot_folders(index_home(kb, settings))
    lock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        folder.rename(folder.with_name(".removed-it"))
        lock(descriptor, operation)

    monkeypatch.setattr("engine.index.hold.fcntl.flock", late)
    with pytest.raises(IndexDamaged, match="was removed while it was being opened"):
        Hold(folder)


def test_of_the_free_ones_those_published_last_stay(kb: Path, settings: Settings) -> None:
    two = settings.changed({"keep_snapshots": 2})
    first, _, again, last = (edit(kb, two, version) for version in (0, 1, 0, 2))
    assert again == first
    assert names(kb, two) == sorted([first, last])


def test_everything_is_on_the_disk_before_the_switch(kb: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    flush, rename, replace = os.fsync, Path.rename, Path.replace

    def fsync(descriptor: int) -> None:
        told.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        flush(descriptor)

    def moved_by(move: Callable[[Path, Path], Path], word: str) -> Callable[[Path, Path], Path]:
        def moving(self: Path, target: Path) -> Path:
            told.append(f"{word} {self.name}")
            return move(self, target)

        return moving

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", moved_by(rename, "rename"))
    monkeypatch.setattr(Path, "replace", moved_by(replace, "replace"))
    snapshot = sync(kb, settings, HashEmbedder())
    files = [*snapshot.manifest["files"], "manifest.json"]
    moved, switched = told.index("rename .building"), told.index("replace CURRENT.new")
    assert set(told[:moved]) == {*files, ".building"}
    assert told[moved + 1 : switched] == ["snapshots", "CURRENT.new"]
    assert told[switched + 1 :] == [index_home(kb, settings).name]


def test_a_snapshot_that_is_missing_is_named(kb: Path, settings: Settings) -> None:
    home = index_home(kb, settings)
    edit(kb, settings, 0)
    with pytest.raises(IndexDamaged, match="its folder is missing"):
        Hold(home / "snapshots" / "0123456789abcdef")
    point_to(home, "0123456789abcdef")
    with pytest.raises(IndexDamaged, match="0123456789abcdef is damaged: its folder is missing; run: evidence sync"):
        open_snapshot(home, HashEmbedder.fingerprint)
