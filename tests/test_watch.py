"""A folder is followed through everything that happens to folders; what is not read makes no news."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers import inotify_c

from engine import observers, watch
from engine.errors import KnowledgeBaseMissing
from engine.watch import FolderWatch
from tests.knowledge_base import write_files

FILES = {"a/one.md": "One", "b/two.md": "Two"}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kb", FILES)


@pytest.fixture
def following(kb: Path) -> Iterator[FolderWatch]:
    with FolderWatch(kb) as following:
        assert not following.polls
        yield following


def news(following: FolderWatch, wanted: set[str]) -> set[str]:
    """All documents that are named until the wanted ones are among them."""
    named: set[str] = set()
    end = time.monotonic() + 60
    while not wanted <= named and time.monotonic() < end:
        named |= following.wait(5)
    return named


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda kb: (kb / "a/one.md").write_text("Other"), {"a/one.md"}),
        (lambda kb: write_files(kb, {"a/x/y/new.markdown": "New", "NEW.MDX": "New"}), {"a/x/y/new.markdown", "NEW.MDX"}),
        (lambda kb: (kb / "a/one.md").unlink(), {"a/one.md"}),
        (lambda kb: (kb / "a/one.md").rename(kb / "b/one.md"), {"a/one.md", "b/one.md"}),
        (lambda kb: (kb / "a").rename(kb / "c"), {"c/one.md"}),
        (lambda kb: os.utime(kb / "a/one.md", (0, 0)), {"a/one.md"}),
        (lambda kb: (kb / "a/one.md").chmod(0o600), {"a/one.md"}),
    ],
    ids=["edit", "add", "delete", "rename", "folder renamed", "time", "mode"],
)
def test_a_change_names_the_documents_that_it_touched(kb: Path, following: FolderWatch, change: Callable[[Path], object], named: set[str]) -> None:
    change(kb)
    assert news(following, named) >= named


def test_an_editor_that_saves_by_rename_names_the_document_only(kb: Path, following: FolderWatch) -> None:
    for name in ("a/.one.md.swp", "a/4913", "a/one.md~"):
        write_files(kb, {name: "One"})
    (kb / "a/one.md~").replace(kb / "a/one.md")
    assert news(following, {"a/one.md"}) == {"a/one.md"}


def test_what_is_not_read_makes_no_news(kb: Path, following: FolderWatch) -> None:
    write_files(kb, dict.fromkeys((".git/HEAD", ".hidden/x.md", "a/.x.md", "a/picture.png", "cases.yaml", "evidence.toml"), "x"))
    assert (kb / "a/one.md").read_text() == "One"
    write_files(kb, {"b/last.md": "Last"})
    assert news(following, {"b/last.md"}) == {"b/last.md"}


def test_a_burst_is_told_once_it_is_quiet_and_at_the_latest_after_a_while(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LONGEST_SECONDS", 120.0)
    monkeypatch.setattr(watch, "QUIET_SECONDS", 3.0)
    with FolderWatch(kb) as following:
        for i in range(50):
            write_files(kb, {f"many/{i}.md": "x"})
        assert following.wait(60) == {f"many/{i}.md" for i in range(50)}
    monkeypatch.setattr(watch, "QUIET_SECONDS", 120.0)
    monkeypatch.setattr(watch, "LONGEST_SECONDS", 0.5)
    with FolderWatch(kb) as following:
        write_files(kb, {"a/one.md": "Other"})
        assert following.wait(60) == {"a/one.md"}


def test_a_folder_that_is_removed_and_made_again_is_followed_again(kb: Path, following: FolderWatch) -> None:
    for text in ("first", "second"):
        shutil.rmtree(kb)
        write_files(kb, {f"{text}.md": text})
        following.wait(30)
        write_files(kb, {f"{text}.md": "changed"})
        assert news(following, {f"{text}.md"}) == {f"{text}.md"}
    kb.rename(kb.with_name("away"))
    following.wait(30)
    write_files(kb, {"third.md": "third"})
    following.wait(30)
    write_files(kb.with_name("away"), {"second.md": "unseen"})
    write_files(kb, {"third.md": "changed"})
    assert news(following, {"third.md"}) == {"third.md"}


def test_a_link_to_a_folder_is_followed_also_when_it_leads_elsewhere(tmp_path: Path) -> None:
    write_files(tmp_path / "release-1", FILES)
    write_files(tmp_path / "release-2", FILES)
    link = tmp_path / "kb"
    link.symlink_to("release-1")
    with FolderWatch(link) as following:
        write_files(tmp_path / "release-1", {"a/one.md": "Other"})
        assert news(following, {"a/one.md"}) == {"a/one.md"}
        link.unlink()
        link.symlink_to("release-2")
        following.wait(30)
        write_files(tmp_path / "release-2", {"b/two.md": "Other"})
        assert news(following, {"b/two.md"}) == {"b/two.md"}


@pytest.mark.parametrize("room", [0, 1], ids=["no room at all", "no room for the subfolders"])
def test_where_the_system_has_no_room_the_files_are_looked_through(kb: Path, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real, given = inotify_c.inotify_add_watch, []

    def full(descriptor: int, path: bytes, mask: int) -> int:
        given.append(path)
        if len(given) <= room:
            return real(descriptor, path, mask)
        ctypes.set_errno(errno.ENOSPC)
        return -1

    monkeypatch.setattr(inotify_c, "inotify_add_watch", full)  # the table belongs to all processes of a user: not to be filled by a test
    monkeypatch.setattr(observers, "POLL_SECONDS", 0.1)
    (kb / "loop").symlink_to(".")
    with FolderWatch(kb) as following:
        assert following.polls
        write_files(kb, {"a/one.md": "Other text", "b/.git/x.md": "x", "b/new.md": "New"})
        (kb / "b/two.md").unlink()
        assert news(following, {"a/one.md", "b/new.md", "b/two.md"}) == {"a/one.md", "b/new.md", "b/two.md"}
        shutil.rmtree(kb)
        write_files(kb, FILES)
        following.wait(30)
        write_files(kb, {"b/two.md": "Again"})
        assert news(following, {"b/two.md"}) == {"b/two.md"}


def test_there_must_be_a_folder_to_begin_with(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseMissing, match="there is no knowledge base at"):
        FolderWatch(tmp_path / "nowhere")
