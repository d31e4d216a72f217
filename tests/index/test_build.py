"""An incremental build: what did not change is not read again, and the result is that of a full build, byte for byte."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.digest import bytes_hash
from engine.index.catalog import CATALOG
from engine.index.home import index_home
from engine.index.snapshot import Snapshot
from engine.index.sync import sync
from engine.settings import Settings
from tests.embedders import BatchDependent, Recording
from tests.knowledge_base import document, hash_settings

DRAWN = (slice(0, 8), slice(124, 140))  # in DuckDB's header: a checksum, and the identifier that it draws for each file

FILES = {
    "runbooks/disk.md": "# Disk full\n\nDelete old logs.\n\n## Later\n\nGrow the volume with `grow-disk`.\n",
    "runbooks/db/failover.md": document("# Failover\n\nPromote the replica.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", keywords="failover, replica"),
    "policies/leave.md": document("# Leave\n\nAsk your lead.\n", category="people", aliases=["holiday"]),
    "policies/zh.md": "# 手持扫描枪\n\n重新启动扫描枪。\n",
    "broken.md": "---\ntitle: a: b\n---\nText\n",
    "bad.md": "caf\udce9",
    "note.txt": "not read",
}


def contents(snapshot: Snapshot) -> dict[str, str]:
    """The hash of every file of a snapshot but for what DuckDB draws."""
    found = {}
    for path in sorted(snapshot.folder.iterdir()):
        data = bytearray(path.read_bytes())
        if path.name == CATALOG:
            for drawn in DRAWN:
                data[drawn] = bytes(drawn.stop - drawn.start)
        if path.name != "manifest.json":
            found[path.name] = bytes_hash(bytes(data))
    return found


def put(kb: Path, files: Mapping[str, str | None]) -> None:
    """Write files, or remove those that are None."""
    for source, text in files.items():
        if text is None:
            (kb / source).unlink()
        else:
            (kb / source).parent.mkdir(parents=True, exist_ok=True)
            (kb / source).write_bytes(text.encode("utf-8", "surrogateescape"))


def full(kb: Path, chosen: Settings, embedder: Recording) -> Snapshot:
    """A build from nothing but the cache of embeddings."""
    home = index_home(kb, chosen)
    shutil.move(home, home.with_name("aside"))
    snapshot = sync(kb, chosen, embedder)
    shutil.rmtree(home)
    shutil.move(home.with_name("aside"), home)
    return snapshot


CHANGES: dict[str, dict[str, str | None]] = {
    "nothing": {},
    "an edit": {"runbooks/disk.md": "# Disk full\n\nDelete old logs.\n\n## Later\n\nBuy a bigger one.\n"},
    "an edit with more chunks": {"broken.md": "# One\n\nText\n\n## Two\n\nText two\n\n## Three\n\nText three\n"},
    "a new first file": {"a.md": "# A\n\nA new text.\n"},
    "a new last file": {"z/z.md": "# Z\n\nA new text.\n"},
    "a deletion": {"runbooks/disk.md": None},
    "a rename": {"runbooks/disk.md": None, "policies/disk.md": FILES["runbooks/disk.md"]},
    "a folder for all": {"broken.md": None, "bad.md": None, "policies/leave.md": None, "policies/zh.md": None},
    "a file that turns readable": {"bad.md": "# Café\n\nOpen.\n"},
    "a file that turns unreadable": {"policies/leave.md": "\udcff"},
    "a twin name": {"runbooks/Disk.md": "# Disk\n\nOther.\n"},
    "no file at all": dict.fromkeys(FILES),
    "another file that is not read": {"more.txt": "x"},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("embedder_type", [Recording, BatchDependent])
def test_an_incremental_build_equals_a_full_one(tmp_path: Path, change: str, embedder_type: type[Recording]) -> None:
    kb, chosen = tmp_path / "kb", hash_settings(tmp_path / "index")
    kb.mkdir()
    put(kb, FILES)
    sync(kb, chosen, embedder_type()).close()
    put(kb, CHANGES[change])
    incremental = sync(kb, chosen, embedder_type())
    other = full(kb, chosen, embedder_type())
    assert incremental.id == other.id
    assert contents(incremental) == contents(other)
