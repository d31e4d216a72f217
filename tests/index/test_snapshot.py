"""Snapshots: built once, opened whole, refused when damaged, replaced as one."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from pathlib import Path

import pytest

from engine.errors import BadSettings, EnvironmentProblem, IndexDamaged, IndexMissing
from engine.index.embedding import HashEmbedder
from engine.index.home import current_id, index_home, point_to
from engine.index.snapshot import open_snapshot
from engine.index.state import freshness, report
from engine.index.sync import open_or_build, sync
from engine.settings import Settings
from tests.knowledge_base import WordVectorsModelTokens, hash_settings, write_files

FILES = {"runbooks/disk.md": "# Disk\n\nDelete old logs.\n", "policies/leave.md": "# Leave\n\nAsk your lead.\n"}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kb", FILES)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return hash_settings(tmp_path / "index")


def test_nothing_is_open_before_the_first_build(kb: Path, settings: Settings) -> None:
    with pytest.raises(IndexMissing, match="evidence sync"):
        open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint)


def test_a_second_build_of_the_same_files_is_the_same_snapshot(kb: Path, settings: Settings) -> None:
    first, second = sync(kb, settings, HashEmbedder()), sync(kb, settings, HashEmbedder())
    assert first.id == second.id
    assert first.manifest["files"]["vectors.usearch"] == second.manifest["files"]["vectors.usearch"]


def test_an_edit_gives_another_snapshot_and_the_old_reader_keeps_its_own(kb: Path, settings: Settings) -> None:
    before = sync(kb, settings, HashEmbedder())
    write_files(kb, {"runbooks/disk.md": "# Disk\n\nGrow the volume.\n"})
    after = sync(kb, settings, HashEmbedder())
    assert before.id != after.id
    assert before.catalog.contents([1])[1][0] == "Delete old logs."
    assert after.catalog.contents([1])[1][0] == "Grow the volume."


def test_only_the_kept_snapshots_stay_on_disk(kb: Path, settings: Settings) -> None:
    for i in range(4):
        write_files(kb, {"runbooks/disk.md": f"# Disk\n\nVersion {i}.\n"})
        sync(kb, settings, HashEmbedder())
    home = index_home(kb, settings)
    names = sorted(folder.name for folder in (home / "snapshots").iterdir())
    assert len(names) == settings.keep_snapshots
    assert current_id(home) in names


@pytest.mark.parametrize("name", ["catalog.duckdb", "vectors.usearch"])
def test_a_flipped_byte_is_refused_by_name_and_healed_by_a_rebuild(kb: Path, settings: Settings, name: str) -> None:
    snapshot = sync(kb, settings, HashEmbedder())
    path = index_home(kb, settings) / "snapshots" / snapshot.id / name
    snapshot.catalog.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(IndexDamaged, match=name):
        open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint)
    assert open_or_build(kb, settings, HashEmbedder()).id == snapshot.id


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_process_without_a_free_descriptor_does_not_take_the_index_for_damaged(kb: Path, settings: Settings) -> None:
    sync(kb, settings, HashEmbedder()).close()
    limits, failures = resource.getrlimit(resource.RLIMIT_NOFILE), []
    for free in range(16):
        first_free = os.dup(0)
        os.close(first_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (first_free + free, limits[1]))
        try:
            open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint).close()
        except EnvironmentProblem as failure:
            failures.append(failure)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert len(failures) >= 3
    assert [str(failure) for failure in failures if isinstance(failure, IndexDamaged) or "Too many open files" not in str(failure)] == []


def test_a_snapshot_of_another_index_is_refused(kb: Path, settings: Settings) -> None:
    other = settings.changed({"chunk_tokens": 64})
    snapshot = sync(kb, settings, HashEmbedder())
    sync(kb, other, HashEmbedder()).close()
    home = index_home(kb, other)
    shutil.copytree(snapshot.folder, home / "snapshots" / snapshot.id)
    point_to(home, snapshot.id)
    with pytest.raises(IndexDamaged, match="belongs to another index"):
        open_snapshot(home, HashEmbedder.fingerprint)


def test_a_snapshot_of_another_format_is_refused(kb: Path, settings: Settings) -> None:
    snapshot = sync(kb, settings, HashEmbedder())
    manifest = index_home(kb, settings) / "snapshots" / snapshot.id / "manifest.json"
    manifest.write_text(json.dumps({**snapshot.manifest, "formatVersion": 0}))
    with pytest.raises(IndexDamaged, match="format 0"):
        open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint)


def test_an_interrupted_build_leaves_the_last_good_snapshot(kb: Path, settings: Settings) -> None:
    good = sync(kb, settings, HashEmbedder())
    write_files(kb, {"runbooks/new.md": "# New\n\nText.\n"})

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "write":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(kb, settings, HashEmbedder(), stop)
    assert open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint).id == good.id
    assert sync(kb, settings, HashEmbedder()).catalog.document_count == 3


def test_other_build_settings_have_a_home_of_their_own_and_other_settings_do_not(kb: Path, settings: Settings) -> None:
    assert index_home(kb, settings) != index_home(kb, settings.changed({"chunk_tokens": 64}))
    assert index_home(kb, settings) == index_home(kb, settings.changed({"max_blocks": 3}))


def test_freshness_names_what_changed(kb: Path, settings: Settings) -> None:
    snapshot = sync(kb, settings, HashEmbedder())
    assert freshness(kb, snapshot).fresh
    write_files(kb, {"runbooks/disk.md": "# Disk\n\nOther.\n", "new.md": "New"})
    (kb / "policies/leave.md").unlink()
    found = freshness(kb, snapshot)
    assert (found.added, found.changed, found.deleted) == (("new.md",), ("runbooks/disk.md",), ("policies/leave.md",))


def test_a_file_that_cannot_be_read_is_new_only_once_it_can(kb: Path, settings: Settings) -> None:
    (kb / "bad.md").write_bytes(b"caf\xe9")
    snapshot = sync(kb, settings, HashEmbedder())
    write_files(kb, {"picture.png": "x"})
    assert freshness(kb, snapshot).fresh
    write_files(kb, {"bad.md": "café"})
    (kb / "policies/leave.md").write_bytes(b"\xff")
    found = freshness(kb, snapshot)
    assert (found.added, found.changed, found.deleted) == (("bad.md",), ("policies/leave.md",), ())


def test_the_report_lists_every_file(kb: Path, settings: Settings) -> None:
    write_files(kb, {"note.txt": "x", "bad.md": "---\ntitle: a: b\n---\nText\n"})
    found = report(sync(kb, settings, HashEmbedder()), settings)
    assert found.indexed == ("bad.md", "policies/leave.md", "runbooks/disk.md")
    assert [file.source for file in found.skipped] == ["note.txt"]
    assert [(problem.source, problem.line, problem.code) for problem in found.problems] == [("bad.md", 2, "broken_frontmatter")]


def test_an_empty_folder_is_a_snapshot_without_chunks(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "none").mkdir()
    snapshot = open_or_build(tmp_path / "none", settings, HashEmbedder())
    assert (snapshot.catalog.chunk_count, snapshot.vectors) == (0, None)


def test_progress_is_told_for_every_stage(kb: Path, settings: Settings) -> None:
    told: list[str] = []
    sync(kb, settings, HashEmbedder(), lambda stage, done, total: told.append(stage))
    assert list(dict.fromkeys(told)) == ["read", "chunk", "embed", "write"]


def test_a_sync_of_unchanged_files_leaves_the_open_snapshot_alone(kb: Path, settings: Settings) -> None:
    first = sync(kb, settings, HashEmbedder())
    folder = index_home(kb, settings) / "snapshots" / first.id
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    sync(kb, settings, HashEmbedder())
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == [first.id]


def test_a_snapshot_of_another_model_is_refused_and_rebuilt(kb: Path, settings: Settings) -> None:
    sync(kb, settings, HashEmbedder())
    with pytest.raises(IndexDamaged, match="another model"):
        open_snapshot(index_home(kb, settings), "other-weights")

    class Retrained(HashEmbedder):
        fingerprint = "other-weights"

    assert open_or_build(kb, settings, Retrained()).manifest["model"]["fingerprint"] == "other-weights"


def test_an_index_folder_that_cannot_be_written_is_named(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentProblem, match="index cannot be written"):
        open_or_build(kb, hash_settings(tmp_path / "file" / "index"), HashEmbedder())


def test_documents_that_the_embedder_cannot_read_are_a_problem(tmp_path: Path, settings: Settings) -> None:
    kb = write_files(tmp_path / "zh", {"a.md": "# 手持扫描枪\n\n重新启动扫描枪。\n", "b.md": "# Disk\n\nDelete logs.\n"})
    found = report(open_or_build(kb, settings, WordVectorsModelTokens()), settings).problems
    assert [(one.source, one.line, one.code) for one in found] == [("a.md", 3, "unreadable_by_embedder")]


@pytest.mark.parametrize("written", ['{"files":{},"formatVersion":2}', "[" * 100_000, "null", ""])
def test_a_damaged_manifest_is_refused_and_healed(kb: Path, settings: Settings, written: str) -> None:
    snapshot = sync(kb, settings, HashEmbedder())
    (index_home(kb, settings) / "snapshots" / snapshot.id / "manifest.json").write_text(written)
    with pytest.raises(IndexDamaged, match="run: evidence sync"):
        open_snapshot(index_home(kb, settings), HashEmbedder.fingerprint)
    assert open_or_build(kb, settings, HashEmbedder()).catalog.document_count == 2


def test_a_pointer_that_is_no_text_is_healed(kb: Path, settings: Settings) -> None:
    sync(kb, settings, HashEmbedder())
    (index_home(kb, settings) / "CURRENT").write_bytes(b"\xff\xfe\xff")
    assert open_or_build(kb, settings, HashEmbedder()).catalog.document_count == 2


@pytest.mark.parametrize("name", ["what?", "a b#c%", "n" * 250, "\udcff"])
def test_a_folder_of_any_name_can_be_indexed(tmp_path: Path, settings: Settings, name: str) -> None:
    assert open_or_build(write_files(tmp_path / name, FILES), settings, HashEmbedder()).catalog.document_count == 2


def test_an_index_inside_of_the_knowledge_base_is_refused(kb: Path) -> None:
    with pytest.raises(BadSettings, match="inside of the knowledge base"):
        open_or_build(kb, hash_settings(kb / "index"), HashEmbedder())
    assert open_or_build(kb, hash_settings(kb / ".index"), HashEmbedder()).catalog.document_count == 2
