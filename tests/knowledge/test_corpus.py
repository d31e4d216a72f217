"""A folder of files: every one is indexed or listed with a reason."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import KnowledgeBaseMissing
from engine.knowledge.corpus import read_corpus
from tests.knowledge_base import document, write_files


def test_a_missing_folder_is_an_error_that_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseMissing, match="give a folder of Markdown files with --kb PATH"):
        read_corpus(tmp_path / "nowhere")


def test_files_that_cannot_be_read_are_listed_and_the_rest_is_indexed(tmp_path: Path) -> None:
    write_files(tmp_path, {"good.md": "Text", "picture.png": "x", "empty.md": ""})
    (tmp_path / "gbk.md").write_bytes("第一行\n中文".encode("gbk"))
    (tmp_path / "nul.md").write_bytes(b"a\nb\0c")
    (tmp_path / "sixteen.md").write_bytes("Über".encode("utf-16"))
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbf---\ntitle: With BOM\n---\nText")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    (tmp_path / "dangling.md").symlink_to(tmp_path / "gone.md")
    corpus = read_corpus(tmp_path)
    assert [one.source for one in corpus.documents] == ["bom.md", "empty.md", "good.md", "sixteen.md"]
    assert corpus.documents[0].title == "With BOM"
    assert {one.source: one.code for one in corpus.skipped} == {
        "dangling.md": "unreadable",
        "gbk.md": "undecodable",
        "link.md": "outside",
        "nul.md": "binary",
        "picture.png": "not_markdown",
    }


def test_a_link_is_read_where_the_file_behind_all_links_lies_in_the_knowledge_base(tmp_path: Path) -> None:
    write_files(tmp_path, {"kb/a.md": "A", "kb/deep/b.md": "B", "secret.md": "S"})
    (tmp_path / "kb/inside.md").symlink_to("deep/b.md")
    (tmp_path / "kb/deep/outside.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "kb/twice.md").symlink_to("deep/outside.md")
    (tmp_path / "linked").symlink_to("kb")
    corpus = read_corpus(tmp_path / "linked")
    assert [(one.source, one.lines) for one in corpus.documents] == [("a.md", ("A",)), ("deep/b.md", ("B",)), ("inside.md", ("B",))]
    assert [(one.source, one.code) for one in corpus.skipped] == [("deep/outside.md", "outside"), ("twice.md", "outside")]


def test_a_file_name_that_is_no_unicode_is_listed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("Text")
    [skipped] = read_corpus(tmp_path).skipped
    assert (skipped.source, skipped.code) == ("caf\ufffd.md", "unreadable")


def test_names_with_marks_and_emoji_are_documents(tmp_path: Path) -> None:
    names = ["a b.md", "c#d.md", "50%.md", "🚚.md", "x~1.md"]
    write_files(tmp_path, dict.fromkeys(names, "Text"))
    assert sorted(one.source for one in read_corpus(tmp_path).documents) == sorted(names)


def test_the_category_is_the_first_folder_below_the_shared_ones(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/en/runbooks/deep/a.md": "A", "docs/en/policies/b.md": "B", "docs/en/c.md": "C"})
    found = {one.source: (one.categories, one.category_origin) for one in read_corpus(tmp_path).documents}
    assert found == {
        "docs/en/runbooks/deep/a.md": (("runbooks",), "folder"),
        "docs/en/policies/b.md": (("policies",), "folder"),
        "docs/en/c.md": ((), "none"),
    }


def test_a_category_in_the_frontmatter_beats_the_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"x/a.md": document("A", category="own"), "y/b.md": "B"})
    assert read_corpus(tmp_path).documents[0].categories == ("own",)


def test_cases_and_settings_are_no_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "A", "cases.yaml": "[]", "evidence.toml": ""})
    corpus = read_corpus(tmp_path)
    assert ([one.source for one in corpus.documents], corpus.skipped) == (["a.md"], ())


def test_hidden_files_are_listed_and_of_hidden_folders_the_documents(tmp_path: Path) -> None:
    files = {"a.md": "A", ".hidden.md": "H", ".env": "", ".github/b.md": "B", ".github/run.yml": "", ".github/.deep/c.md": "C", ".git/d.md": "D"}
    write_files(tmp_path, files)
    corpus = read_corpus(tmp_path)
    assert [one.source for one in corpus.documents] == ["a.md"]
    assert {one.code for one in corpus.skipped} == {"hidden"}
    assert [one.source for one in corpus.skipped] == [".env", ".git", ".github", ".github/.deep/c.md", ".github/b.md", ".hidden.md"]


def test_folders_that_are_not_entered_are_listed(tmp_path: Path) -> None:
    write_files(tmp_path, {"kb/a.md": "A", "elsewhere/b.md": "B"})
    (tmp_path / "kb/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "kb/loop").symlink_to(tmp_path / "kb")
    corpus = read_corpus(tmp_path / "kb")
    assert [one.source for one in corpus.documents] == ["a.md"]
    assert [(one.source, one.code) for one in corpus.skipped] == [("linked", "linked_folder"), ("loop", "linked_folder")]


def test_files_that_are_no_files_are_listed_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    write_files(tmp_path, {"good.md": "Text"})
    (tmp_path / "one.md").symlink_to(tmp_path / "two.md")
    (tmp_path / "two.md").symlink_to(tmp_path / "one.md")
    os.mkfifo(tmp_path / "pipe.md")
    corpus = read_corpus(tmp_path)
    assert [one.source for one in corpus.documents] == ["good.md"]
    assert [(one.source, one.code) for one in corpus.skipped] == [(name, "unreadable") for name in ("one.md", "pipe.md", "two.md")]


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may read everything; in here it is nobody."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


def test_files_in_a_folder_that_may_be_listed_but_not_entered_are_listed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        kb = write_files(Path(folder), {"good.md": "Text", "closed/a.md": "Text"})
        kb.chmod(0o755)
        (kb / "closed").chmod(0o444)
        try:
            read_corpus(kb)  # whatever is imported late is imported now
            with without_rights():
                corpus = read_corpus(kb)
        finally:
            (kb / "closed").chmod(0o755)
    assert [one.source for one in corpus.documents] == ["good.md"]
    assert [(one.source, one.code, one.reason) for one in corpus.skipped] == [
        ("closed/a.md", "unreadable", "Permission denied; make the file readable")
    ]
