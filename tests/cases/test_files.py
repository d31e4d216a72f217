"""Reports about files that other tools lost or misread; each number is the case's own."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.knowledge.corpus import read_corpus
from tests.cases.reading import codes, corpus_of
from tests.knowledge_base import open_engine, write_files


@pytest.mark.parametrize("name", ["a|b.md", "R&D notes.md", "c#sharp 100%.md", "🚚 depot?.md", "a'b\"c.md", "x~1.md", "[draft] plan.md"])
def test_case_45_marks_in_title_and_file_name_are_indexed_and_linkable(tmp_path: Path, name: str) -> None:
    """zk#24."""
    with open_engine(tmp_path, {f"notes/{name}": "# A | B & C # D\n\nThe otter sleeps by day.\n"}) as engine:
        [block] = engine.lookup_knowledge("when does the otter sleep", scope={"source": f"notes/{name}"}).evidence_blocks
        assert (block.source, block.title) == (f"notes/{name}", "A | B & C # D")
        assert block.id.count("#") == 1 and block.id.count("~") == 1


def test_case_47_files_without_text_are_listed_as_such_and_never_found(tmp_path: Path) -> None:
    """haystack#11541 and #11598."""
    files = {"empty.md": "", "spaces.md": "  \n\t\n", "fields.md": "---\ntitle: Only fields\n---\n", "heads.md": "# One\n\n## Two\n"}
    with open_engine(tmp_path, files) as engine:
        report = engine.report()
        assert (report.documents, report.chunks) == (4, 0)
        assert {problem.source: problem.code for problem in report.problems} == dict.fromkeys(sorted(files), "no_text")
        result = engine.lookup_knowledge("only fields")
        assert (result.found, result.reason_code.value) == (False, "empty_knowledge_base")


def test_bytes_that_are_no_utf8_are_listed_with_their_line(tmp_path: Path) -> None:
    files = {
        "gbk.md": "# 标题\n\n中文".encode("gbk"),
        "latin.md": "Text\n\ncafé\n".encode("latin-1"),
        "utf16.md": "---\ntitle: Über\n---\nText".encode("utf-16"),
        "utf16be.md": b"\xfe\xff" + "---\ntitle: Über\n---\nText".encode("utf-16-be"),
        "half.md": "Text".encode("utf-16")[:-1],
        "unmarked.md": "Text".encode("utf-16-le"),
    }
    corpus = corpus_of(tmp_path, files)
    assert {one.source: one.title for one in corpus.documents} == {"utf16.md": "Über", "utf16be.md": "Über"}
    assert {one.source: (one.code, one.reason.split(" is ")[0].split(" has ")[0]) for one in corpus.skipped} == {
        "gbk.md": ("undecodable", "line 1"),
        "latin.md": ("undecodable", "line 3"),
        "half.md": ("undecodable", "line 1"),
        "unmarked.md": ("binary", "line 1"),
    }
    assert all("save the file as UTF-8" in one.reason for one in corpus.skipped)


def test_all_line_ends_give_the_same_lines(tmp_path: Path) -> None:
    text = "---\ntitle: T\n---\n\n# T\n\nOne.\nTwo.\n"
    files = {f"{name}.md": text.replace("\n", end).encode() for name, end in (("unix", "\n"), ("windows", "\r\n"), ("mac", "\r"))}
    assert len({document.lines for document in corpus_of(tmp_path, files).documents}) == 1


def test_names_that_are_one_name_on_some_systems_are_both_read_and_reported(tmp_path: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "café.md") for form in ("NFC", "NFD"))
    corpus = corpus_of(tmp_path, dict.fromkeys([composed, decomposed, "A.md", "a.md"], b"Text"))
    found = {document.source: codes(document) for document in corpus.documents}
    assert found == {"A.md": [], "a.md": ["twin_name"], decomposed: [], composed: ["twin_name"]}


def test_a_five_megabyte_line_is_indexed_whole(tmp_path: Path) -> None:
    line = "The depot closes at noon and opens again at one. " * 105_000
    with open_engine(tmp_path, {"long.md": line, "other.md": "Otters sleep by day.\n"}) as engine:
        report = engine.report()
        assert (report.documents, report.skipped, report.problems) == (2, (), ())
        assert report.chunks > 4_000
        assert engine.lookup_knowledge("otters sleep").evidence_blocks[0].source == "other.md"


def test_a_file_of_more_than_20_megabytes_is_listed(tmp_path: Path) -> None:
    [skipped] = corpus_of(tmp_path, {"dump.md": b"x" * 20_000_001}).skipped
    assert (skipped.code, skipped.reason) == ("too_large", "it is larger than 20 MB; split it")


def test_two_files_with_one_text_are_both_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "Text", "b/a.md": "Text"})
    assert [one.source for one in read_corpus(tmp_path).documents] == ["a.md", "b/a.md"]


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which folders are nested deeper than Python's recursion and than a path can be long."""
    here = Path.cwd()
    (tmp_path / "a.md").write_text("Text")
    try:
        os.chdir(tmp_path)
        for _ in range(1_200):
            Path("deep").mkdir()
            os.chdir("deep")
        Path("b.md").write_text("Text")
    finally:
        os.chdir(here)
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)  # Python's own way is recursive


def test_folders_nested_a_thousand_deep_are_accounted_for(deep_folder: Path) -> None:
    corpus = read_corpus(deep_folder)
    assert [one.source for one in corpus.documents] == ["a.md"]
    assert [(one.code, one.reason) for one in corpus.skipped] == [("unreadable", "its path is too long; move it up")]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (("ok\n" + "\u0a0a" * 3 + "\nok").encode("utf-16") + b"\x00\xdc", 3),
        (b"one\rtwo\rthree\rfo\xffur", 4),
        (b"one\r\ntwo\xff", 2),
    ],
)
def test_the_line_of_a_byte_that_is_no_text_is_that_of_the_file(tmp_path: Path, data: bytes, line: int) -> None:
    [skipped] = corpus_of(tmp_path, {"a.md": data}).skipped
    assert (skipped.code, skipped.line) == ("undecodable", line)
