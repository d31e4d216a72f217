"""An incremental build: what did not change is not read again, and the result is that of a full build, byte for byte."""

from __future__ import annotations

import ast
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from engine.digest import bytes_hash
from engine.index.catalog import CATALOG
from engine.index.embedders import make_embedder
from engine.index.home import index_home
from engine.index.recipe import READERS
from engine.index.snapshot import Snapshot
from engine.index.sync import sync
from engine.index.vectors import VECTORS
from engine.settings import Settings
from tests.embedders import BatchDependent, Recording
from tests.knowledge_base import document, hash_settings, write_files

ROOT = Path(__file__).parents[2]
DRAWN = (slice(0, 8), slice(124, 140))  # in DuckDB's header: a checksum, and the identifier that it draws for each file

FILES = {
    "runbooks/disk.md": "# Disk full\n\nDelete old logs.\n\n## Later\n\nGrow the volume with `grow-disk`.\n",
    "runbooks/db/failover.md": document("# Failover\n\nPromote the replica.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", keywords="failover, replica"),
    "policies/leave.md": document("# Leave\n\nAsk your lead.\n", category="people", aliases=["holiday"]),
    "policies/zh.md": "# 手持扫描枪\n\n重新启动扫描枪。\n",
    "broken.md": "---\ntitle: a: b\n---\nText\n",
    "bad.md": "caf\udce9",
    "note.txt": "not read",
    "twins/A.md": "# A\n\nOne.\n",
    "twins/a.md": "# A\n\nTwo.\n",
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
    "another title": {"runbooks/db/failover.md": document("# Other\n\nPromote the replica.\n", keywords="failover, standby")},
    "another category": {"policies/leave.md": document("# Leave\n\nAsk your lead.\n", category="staff")},
    "no category any more": {"policies/leave.md": "# Leave\n\nAsk your lead.\n"},
    "an edit beside a twin": {"twins/A.md": "# A\n\nEdited.\n"},
    "a twin that goes": {"twins/A.md": None},
    "a word that vanishes": {"policies/zh.md": "# Nothing\n\nNothing.\n"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_incremental_build_equals_a_full_one(tmp_path: Path, change: str) -> None:
    kb, chosen = tmp_path / "kb", hash_settings(tmp_path / "index")
    kb.mkdir()
    put(kb, FILES)
    sync(kb, chosen, BatchDependent()).close()
    put(kb, CHANGES[change])
    incremental = sync(kb, chosen, BatchDependent())
    other = full(kb, chosen, BatchDependent())
    assert incremental.id == other.id
    assert contents(incremental) == contents(other)


def test_only_what_changed_is_read_and_embedded(tmp_path: Path) -> None:
    kb, chosen, embedder = tmp_path / "kb", hash_settings(tmp_path / "index"), Recording()
    put(kb, FILES)
    sync(kb, chosen, embedder).close()
    embedder.batches.clear()
    put(kb, {"runbooks/disk.md": "# Disk full\n\nDelete old logs.\n\n## Later\n\nBuy a bigger one.\n"})
    told: list[tuple[str, int, int]] = []
    sync(kb, chosen, embedder, lambda *step: told.append(step)).close()
    assert embedder.texts == ["Disk full > Later\nBuy a bigger one."]
    assert ("chunk", 1, 1) in told


def test_a_sync_without_a_change_writes_nothing(tmp_path: Path) -> None:
    kb, chosen, embedder = tmp_path / "kb", hash_settings(tmp_path / "index"), Recording()
    put(kb, FILES)
    first = sync(kb, chosen, embedder)
    told: list[str] = []
    second = sync(kb, chosen, embedder, lambda stage, done, total: told.append(stage))
    assert (second.id, second.folder) == (first.id, first.folder)
    assert dict.fromkeys(told) == {"read": None, "write": None}


def test_a_renamed_file_is_read_again_and_not_embedded_again(tmp_path: Path) -> None:
    kb, chosen, embedder = tmp_path / "kb", hash_settings(tmp_path / "index"), Recording()
    put(kb, FILES)
    sync(kb, chosen, embedder).close()
    embedder.batches.clear()
    (kb / "runbooks/disk.md").rename(kb / "policies/full.md")
    renamed = sync(kb, chosen, embedder)
    assert embedder.batches == []
    assert "policies/full.md" in renamed.catalog.file_hashes()
    assert "runbooks/disk.md" not in renamed.catalog.file_hashes()


def test_other_code_reads_every_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb, chosen, embedder = tmp_path / "kb", hash_settings(tmp_path / "index"), Recording()
    put(kb, FILES)
    first = sync(kb, chosen, embedder)
    for module in ("build", "changes"):
        monkeypatch.setattr(f"engine.index.{module}.reading_recipe", lambda: "other")
    told: list[tuple[str, int, int]] = []
    second = sync(kb, chosen, embedder, lambda *step: told.append(step))
    assert (second.manifest["recipe"], second.id != first.id) == ("other", True)
    assert ("chunk", 7, 7) in told
    assert len(embedder.texts) == len(set(embedder.texts))
    assert contents(second) == contents(full(kb, chosen, embedder))


def test_another_precision_embeds_everything_again(tmp_path: Path) -> None:
    class Halved(Recording):
        document_dtype = "bfloat16"

    kb, chosen = tmp_path / "kb", hash_settings(tmp_path / "index")
    put(kb, FILES)
    first = sync(kb, chosen, Recording())
    second = sync(kb, chosen, Halved())
    assert second.id != first.id
    assert contents(second) == contents(full(kb, chosen, Halved()))
    assert sync(kb, chosen, Halved()).folder == second.folder


def test_files_that_are_skipped_in_another_order_than_they_are_named_are_no_change(tmp_path: Path) -> None:
    kb, chosen = tmp_path / "kb", hash_settings(tmp_path / "index")
    put(kb, {"x\ue000.txt": "", "x\udcff.txt": ""})
    sync(kb, chosen, Recording()).close()
    told: list[str] = []
    sync(kb, chosen, Recording(), lambda stage, done, total: told.append(stage))
    assert "chunk" not in told


NOT_IN_A_ROW = (  # what the code of the recipe uses and what does not decide over a row of the catalog
    *("contracts", "digest", "errors", "paths", "progress", "settings"),
    *("catalog", "damage", "disk", "embed", "embedding", "embedding_cache", "home", "manifest"),
    *("recipe", "snapshot", "vectors"),
)


def test_the_recipe_covers_all_code_that_decides_over_a_row() -> None:
    covered = [path for pattern in READERS for path in (ROOT / "engine").glob(pattern)]
    imported = {node.module for path in covered for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom) and node.module}
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in covered}
    others = [name for name in imported - names if name.startswith("engine.") and not name.startswith("engine.contracts.")]
    assert [name for name in others if name.rpartition(".")[2] not in NOT_IN_A_ROW] == []
    assert all((ROOT / "engine").glob(pattern) for pattern in READERS)


NAMES, TEXTS = ["a.md", "b.md", "b/c.md", "d/e.md"], ["", "One.", "# T\n\nTwo.", "# T\n\nTwo.\n\n## U\n\nThree."]


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(TEXTS), max_size=3), min_size=1, max_size=4))
@examples(max_examples=15, deadline=None)
def test_any_row_of_changes_ends_where_a_full_build_does(steps: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        kb, chosen = Path(scratch) / "kb", hash_settings(Path(scratch) / "index")
        kb.mkdir()
        for files in steps:
            shutil.rmtree(kb)
            write_files(kb, files)
            sync(kb, chosen, Recording()).close()
        incremental = sync(kb, chosen, Recording())
        other = full(kb, chosen, Recording())
        assert (incremental.id, contents(incremental)) == (other.id, contents(other))


@pytest.mark.model
def test_with_a_cold_cache_the_catalog_is_equal_and_the_vectors_nearly_are(tmp_path: Path) -> None:
    kb = Path(shutil.copytree(ROOT / "kb", tmp_path / "kb"))
    chosen = {name: Settings(index_dir=str(tmp_path / name)) for name in ("warm", "cold")}
    embedder = make_embedder(chosen["warm"])
    sync(kb, chosen["warm"], embedder).close()
    edited = kb / "policies/kafka-consumer-offsets.md"
    edited.write_text(edited.read_text(encoding="utf-8") + "\n## Later\n\nOffsets are kept for a week.\n", encoding="utf-8")
    warm, cold = (sync(kb, one, embedder) for one in chosen.values())
    assert {name: hashed for name, hashed in contents(warm).items() if name != VECTORS} == {
        name: hashed for name, hashed in contents(cold).items() if name != VECTORS
    }
    assert warm.vectors is not None
    assert cold.vectors is not None
    rows = np.arange(warm.catalog.chunk_count)
    cosines = (warm.vectors.vectors(rows) * cold.vectors.vectors(rows)).sum(axis=1)
    assert cosines.min() > 1 - 0.005
