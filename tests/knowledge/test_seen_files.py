"""Freshness looks at a file again when it may have changed, and at no other."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.digest import bytes_hash
from engine.knowledge import seen_files
from engine.knowledge.seen_files import SeenFiles
from engine.knowledge_engine import KnowledgeEngine
from tests.knowledge_base import open_engine, write_files

FILES = {"a/one.md": "# One\n\nAlpha.\n", "b/two.md": "# Two\n\nBeta.\n", "b/three.md": "# Three\n\nGamma.\n"}

TICK_NS = 300_000_000  # a file system with a finer clock than the worst, so that the tests need not wait two seconds each
_opened: list[str] | None = None


@pytest.fixture(autouse=True)
def finer_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "SETTLED_NS", TICK_NS)


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event == "open" and str(arguments[0]).endswith(".md"):
        _opened.append(Path(str(arguments[0])).name)


sys.addaudithook(_note)  # it cannot be taken away again, so it is silent outside of the block


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """The names of the documents that are opened in the block."""
    global _opened
    names: list[str] = []
    _opened = names
    try:
        yield names
    finally:
        _opened = None


def settle(folder: Path) -> None:
    """Wait until every file is older than the tick of the clock that the test assumes."""
    latest = max(max(path.lstat().st_mtime_ns, path.lstat().st_ctime_ns) for path in folder.rglob("*"))
    while time.time_ns() - latest < TICK_NS:
        time.sleep(0.05)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[KnowledgeEngine]:
    with open_engine(tmp_path, FILES) as opened:
        settle(opened.kb)
        assert opened.freshness().fresh
        yield opened


def test_untouched_files_are_not_read_again_and_a_touched_one_is(engine: KnowledgeEngine) -> None:
    with opened_files() as opened:
        assert engine.freshness().fresh
    assert opened == []
    (engine.kb / "a/one.md").touch()
    with opened_files() as opened:
        assert engine.freshness().fresh
    assert opened == ["one.md"]


def test_an_edit_an_addition_and_a_deletion_are_named(engine: KnowledgeEngine) -> None:
    write_files(engine.kb, {"a/one.md": "# One\n\nDelta.\n", "c/four.md": "# Four\n"})
    (engine.kb / "b/two.md").unlink()
    (engine.kb / "b/three.md").rename(engine.kb / "b/third.md")
    found = engine.freshness()
    assert (found.added, found.changed, found.deleted) == (("b/third.md", "c/four.md"), ("a/one.md",), ("b/three.md", "b/two.md"))
    assert found.counted == "2 added, 1 changed, 2 deleted"
    assert engine.sync().documents == 3
    assert engine.freshness().counted == ""


def test_an_edit_that_hides_behind_size_and_time_is_seen(engine: KnowledgeEngine) -> None:
    path = engine.kb / "a/one.md"
    before = path.stat()
    path.write_text("# One\n\nOmega.\n"[: before.st_size])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert engine.freshness().changed == ("a/one.md",)


def test_a_file_that_was_young_when_it_was_read_is_read_again_until_it_has_settled(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as engine:
        (engine.kb / "a/one.md").write_text("# One\n\nDelta.\n")
        assert engine.freshness().changed == ("a/one.md",)
        for path in engine.kb.rglob("*.md"):
            path.touch()
        with opened_files() as opened:
            engine.freshness()
            engine.freshness()
        assert sorted(opened) == sorted(2 * ["one.md", "three.md", "two.md"])
        settle(engine.kb)
        with opened_files() as opened:
            engine.freshness()
            engine.freshness()
        assert sorted(opened) == ["one.md", "three.md", "two.md"]


def test_a_file_of_which_the_clock_cannot_tell_the_age_is_read_each_time(engine: KnowledgeEngine) -> None:
    os.utime(engine.kb / "a/one.md", (time.time() + 3600,) * 2)
    with opened_files() as opened:
        assert engine.freshness().fresh
        assert engine.freshness().fresh
    assert opened == ["one.md", "one.md"]


def test_what_cannot_be_read_is_a_change_and_what_never_could_is_none(engine: KnowledgeEngine) -> None:
    (engine.kb / "a/one.md").write_bytes(b"caf\xe9")
    (engine.kb / "b/new.md").write_bytes(b"caf\xe9")
    (engine.kb / "b/two.md").unlink()
    (engine.kb / "b/two.md").symlink_to("/nowhere.md")
    found = engine.freshness()
    assert (found.added, found.changed, found.deleted) == ((), ("a/one.md", "b/two.md"), ())
    (engine.kb / "b/new.md").write_text("café")
    assert engine.freshness().added == ("b/new.md",)


def test_a_link_is_followed_to_the_file_that_it_leads_to_now(engine: KnowledgeEngine) -> None:
    link = engine.kb / "b/link.md"
    link.symlink_to("../a/one.md")
    engine.sync()
    settle(engine.kb)
    assert engine.freshness().fresh
    with opened_files() as opened:
        assert engine.freshness().fresh
    assert opened == []
    (engine.kb / "a/one.md").write_text("# One\n\nDelta.\n")
    assert engine.freshness().changed == ("a/one.md", "b/link.md")


def test_a_view_and_its_engine_read_a_file_once(engine: KnowledgeEngine) -> None:
    view = engine.with_settings(engine.settings.changed({"max_blocks": 1}))
    with opened_files() as opened:
        assert view.freshness().fresh
    assert opened == []


def test_threads_read_a_file_once(tmp_path: Path) -> None:
    kb = write_files(tmp_path / "kb", FILES)
    settle(kb)
    seen, answers = SeenFiles(), []
    with opened_files() as opened:
        threads = [threading.Thread(target=lambda: answers.append(seen.hashes(kb, {}))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(opened) == ["one.md", "three.md", "two.md"]
    assert answers == 8 * [{source: bytes_hash(text.encode()) for source, text in sorted(FILES.items())}]
