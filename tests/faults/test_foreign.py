"""What does not belong to a snapshot is never read as a part of it: foreign files, files of another snapshot, a pointer to elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from engine.errors import IndexDamaged
from engine.index.home import current_id
from engine.knowledge_engine import KnowledgeEngine
from tests.faults.changing import first_state
from tests.faults.healthy import Healthy, answers_of
from tests.faults.shared import no_building
from tests.knowledge_base import hash_settings, write_files


@pytest.mark.parametrize("name", ["notes.txt", "catalog.duckdb.wal", "catalog.duckdb.tmp", "vectors.usearch.old"])
@pytest.mark.parametrize("data", [b"", b"Text\n"], ids=["empty", "text"])
def test_a_foreign_file_in_a_snapshot_is_refused_by_name_and_healed(index: Healthy, name: str, data: bytes) -> None:
    (index.snapshot / name).write_bytes(data)
    index.expect_refusal_and_healing(index.snapshot.name, name)


def test_the_log_of_another_catalog_is_never_replayed_into_this_one(index: Healthy, tmp_path: Path) -> None:
    other = tmp_path / "catalog.duckdb"
    shutil.copy(index.snapshot / "catalog.duckdb", other)
    with duckdb.connect(str(other), config={"checkpoint_threshold": "1GB"}) as connection:
        connection.execute("pragma disable_checkpoint_on_shutdown")
        connection.execute("update chunks set content = 'A lie about a filter of a pump.'")
    shutil.copy(tmp_path / "catalog.duckdb.wal", index.snapshot / "catalog.duckdb.wal")
    index.expect_refusal_and_healing(index.snapshot.name, "catalog.duckdb.wal")


def test_a_file_of_another_snapshot_in_its_place_is_refused_by_name_and_healed(index: Healthy) -> None:
    for name in index.files():
        if (index.older / name).exists() and (index.older / name).read_bytes() != (index.snapshot / name).read_bytes():
            shutil.copy(index.older / name, index.snapshot / name)
            index.expect_refusal_and_healing(index.snapshot.name, name)


def test_a_whole_other_snapshot_under_this_name_is_refused_and_healed(index: Healthy) -> None:
    folder = index.snapshot
    shutil.rmtree(folder)
    shutil.copytree(index.older, folder)
    index.expect_refusal_and_healing(folder.name)


POINTERS: dict[str, bytes] = {
    "an absent snapshot": b"0123456789abcdef\n",
    "nothing": b"",
    "white space": b" \n\n",
    "no text": bytes(range(256)),
    "zero bytes": b"\0" * 17,
    "a path upwards": b"../../x\n",
    "here": b".\n",
    "the folder above": b"..\n",
    "an unfinished build": b".building\n",
    "a long name": b"a" * 5_000,
    "an absolute path": b"/etc\n",
}


@pytest.mark.parametrize("written", POINTERS.values(), ids=POINTERS)
def test_a_pointer_to_nothing_is_refused_and_healed(index: Healthy, written: bytes) -> None:
    (index.home / "CURRENT").write_bytes(written)
    index.expect_refusal_and_healing()


@pytest.mark.parametrize("path", ["../../{home}/snapshots/{name}", "{home_path}/snapshots/{name}", "./{own}", "{own}/.", "../snapshots/{own}"])
def test_a_pointer_is_a_name_and_never_a_path(index: Healthy, tmp_path: Path, path: str) -> None:
    """A whole snapshot of another knowledge base is no snapshot of this one."""
    kb = write_files(tmp_path / "other", first_state(3))
    with KnowledgeEngine.open(kb, settings=index.settings) as engine:
        other = Healthy(kb, index.settings, answers_of(engine))
    places = {"home": other.home.name, "home_path": str(other.home), "name": other.snapshot.name, "own": index.snapshot.name}
    (index.home / "CURRENT").write_text(path.format(**places) + "\n")
    index.expect_refusal_and_healing()


def remove_pointer(index: Healthy) -> None:
    (index.home / "CURRENT").unlink()


def remove_snapshots(index: Healthy) -> None:
    shutil.rmtree(index.home / "snapshots")


def put_a_file_in_the_place_of_the_folder(index: Healthy) -> None:
    folder = index.snapshot
    shutil.rmtree(folder)
    folder.write_text("Text")


def put_a_file_in_the_place_of_all_snapshots(index: Healthy) -> None:
    remove_snapshots(index)
    (index.home / "snapshots").write_text("Text")


def put_folders_in_the_place_of_files(index: Healthy) -> None:
    remove_pointer(index)
    (index.home / "lock").unlink()
    for name in ("CURRENT", "CURRENT.new", "lock"):
        (index.home / name / "inner").mkdir(parents=True)


def put_a_folder_in_the_place_of_the_embeddings(index: Healthy) -> None:
    remove_snapshots(index)
    [cache] = Path(index.settings.index_dir).glob("embeddings/*.sqlite")
    cache.unlink()
    (cache / "inner").mkdir(parents=True)
    (cache.parent / "lock").unlink(missing_ok=True)
    (cache.parent / "lock/inner").mkdir(parents=True)


def leave_a_link_to_nowhere_among_the_snapshots(index: Healthy) -> None:
    remove_pointer(index)
    (index.home / "snapshots/0123456789abcdef").symlink_to("nowhere")


LOST = (
    *(remove_pointer, remove_snapshots, put_a_file_in_the_place_of_the_folder, put_a_file_in_the_place_of_all_snapshots),
    *(put_folders_in_the_place_of_files, put_a_folder_in_the_place_of_the_embeddings),
    leave_a_link_to_nowhere_among_the_snapshots,
)


@pytest.mark.parametrize("damage", LOST, ids=lambda one: one.__name__)
def test_an_index_that_has_lost_a_part_is_built_again(index: Healthy, damage: Callable[[Healthy], None]) -> None:
    damage(index)
    index.expect_healing()


def test_a_reader_does_not_move_to_a_damaged_snapshot_and_goes_on_with_its_own(index: Healthy) -> None:
    newest = index.snapshot.name
    (index.home / "CURRENT").write_text(index.older.name + "\n")
    settings = hash_settings(Path(index.settings.index_dir))
    with KnowledgeEngine.open(index.kb, settings=settings, progress=no_building) as reader:
        before = answers_of(reader)
        (index.home / "CURRENT").write_text(newest + "\n")
        catalog = index.snapshot / "catalog.duckdb"
        catalog.write_bytes(catalog.read_bytes()[:-1])
        with pytest.raises(IndexDamaged, match=newest):
            reader.refresh()
        assert answers_of(reader) == before
        index.expect_healing()
        assert reader.refresh() and answers_of(reader) == index.answers
    assert current_id(index.home) == newest
