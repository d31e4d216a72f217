"""An index that is repaired, closed or replaced under those who have it open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import duckdb
import pytest

from engine.errors import EnvironmentProblem, IndexDamaged
from engine.index.embedding import HashEmbedder
from engine.index.home import current_id, index_home
from engine.index.manifest import write_manifest
from engine.index.snapshot import open_snapshot
from engine.index.sync import open_or_build, sync
from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.knowledge_base import hash_settings, open_engine, write_files


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kb", {"runbooks/disk.md": "# Disk\n\nDelete old logs.\n", "policies/leave.md": "# Leave\n\nAsk your lead.\n"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return hash_settings(tmp_path / "index")


def test_an_engine_that_has_a_damaged_snapshot_open_answers_from_the_repaired_one(tmp_path: Path) -> None:
    for version in ("old", "new"):
        engine = open_engine(tmp_path, {"a.md": f"# Disk full\n\nThe {version} way to free a disk.\n"})
        engine.sync()
        if version == "old":
            home = index_home(engine.kb, engine.settings)
            old = next((home / "snapshots").glob("*/catalog.duckdb")).read_bytes()
            engine.close()
    damaged = home / "snapshots" / (current_id(home) or "") / "catalog.duckdb"
    damaged.write_bytes(old)
    other = KnowledgeEngine.open(engine.kb, settings=engine.settings)  # heals it
    assert engine.refresh()
    engine.sync()
    for one in (engine, other):
        assert "The new way" in one.lookup_knowledge("how to free a full disk").context_pack.text
        assert one.freshness().fresh
        one.close()


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "a catalog of another version": lambda folder: duckdb.connect(str(folder / "catalog.duckdb")).execute("drop table totals").close(),
    "a catalog that is none": lambda folder: (folder / "catalog.duckdb").write_bytes(b"none"),
    "vectors of another version": lambda folder: (folder / "vectors.usearch").write_bytes(b"usearch of tomorrow"),
    "no vectors": lambda folder: (folder / "vectors.usearch").write_bytes(b""),
    "search terms that are none": lambda folder: (folder / "terms-keys.npy").write_bytes(b""),
}


@pytest.mark.parametrize("change", UNREADABLE.values(), ids=UNREADABLE)
def test_files_that_are_as_written_and_cannot_be_read_are_built_anew(kb: Path, settings: Settings, change: Callable[[Path], object]) -> None:
    """As after a library was updated and set back."""
    snapshot = sync(kb, settings, HashEmbedder())
    snapshot.close()
    change(snapshot.folder)
    manifest = {name: value for name, value in snapshot.manifest.items() if name not in ("checksum", "files", "index")}
    (snapshot.folder / "manifest.json").unlink()
    write_manifest(snapshot.folder, manifest)
    with pytest.raises(IndexDamaged):
        open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint)
    for build in (open_or_build, sync):
        healed = build(kb, settings, HashEmbedder())
        assert (healed.id, healed.catalog.document_count) == (snapshot.id, 2)
        healed.close()


def test_an_engine_that_is_closed_while_others_use_it_stays_closed(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, {f"{i}.md": f"# Page {i}\n\nHow to free disk {i}.\n" for i in range(50)})
    view, told = engine.with_settings(engine.settings), []

    def ask() -> None:
        while True:
            try:
                view.lookup_knowledge("free a disk")
            except EnvironmentProblem as failure:
                told.append(str(failure))
                return

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    held = engine._snapshot.hold
    engine.close()
    for thread in threads:
        thread.join()
    assert (told, held.release.alive) == (["the engine is closed; open it again"] * 4, False)
    for use in (engine.refresh, engine.sync, engine.report, lambda: engine.with_settings(engine.settings)):
        with pytest.raises(EnvironmentProblem, match="engine is closed"):
            use()


def test_an_engine_that_is_closed_during_its_sync_stays_closed(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, {"a.md": "# Disk\n\nFree it.\n"})
    write_files(engine.kb, {"a.md": "# Disk\n\nFree it again.\n"})
    with pytest.raises(EnvironmentProblem, match="engine is closed"):
        engine.sync(lambda stage, done, total: engine.close())
    with pytest.raises(EnvironmentProblem, match="engine is closed"):
        engine.lookup_knowledge("disk")
