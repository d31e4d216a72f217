"""A labelled set in the BEIR layout: what is read of it, and that any value in it survives as frontmatter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.retrieval_set import RetrievalSet, json_lines, read_set, write_knowledge_base
from tests.knowledge_base import open_bench

URL = "https://example.org/a?b=1&c=[2]#d"
HOSTILE = [
    'Colon: and "quotes"',
    "it's #1 - [x] {y}",
    "--- three",
    "two\nlines",
    "a\n---\nb",
    "no",
    "1.10",
    "null",
    "é 扫描枪 \u2028 \U0001f4a1",
    " ".join(["word"] * 35),
]


def write_set(folder: Path, documents: Sequence[dict[str, Any]], queries: dict[str, str], grades: Sequence[tuple[str, str, int]]) -> Path:
    """A folder in the BEIR layout, its JSON as some tools write it: not limited to ASCII."""
    folder.mkdir()
    lines = [json.dumps(one, ensure_ascii=False) for one in documents]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    asked = [json.dumps({"_id": name, "text": text}, ensure_ascii=False) for name, text in queries.items()]
    (folder / "queries.jsonl").write_text("\n".join(asked) + "\n", encoding="utf-8")
    (folder / "qrels.trec").write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in grades), encoding="utf-8")
    return folder


def of(*documents: dict[str, Any]) -> RetrievalSet:
    return RetrievalSet("tiny", documents, (), ())


def test_a_set_is_read_as_it_stands(tmp_path: Path) -> None:
    documents = [{"_id": URL, "title": "", "text": "One."}, {"_id": "b", "text": "Two."}]
    one = read_set(write_set(tmp_path / "tiny", documents, {"q1": "one?", "q2": "two?"}, [("q1", URL, 2), ("q1", "b", 0)]))
    assert (one.name, one.documents, [query["_id"] for query in one.queries]) == ("tiny", tuple(documents), ["q1", "q2"])
    assert one.relevant == {"q1": {URL: 2}}
    assert not one.has_categories


def test_a_query_without_a_positive_grade_is_not_judged(tmp_path: Path) -> None:
    queries = {"q3": "c", "none": "a", "nought": "b", "negative": "n", "q1": "d"}
    grades = [("nought", "a", 0), ("negative", "a", -1), ("q1", "a", 1), ("q3", "a", 1), ("q3", "b", 0)]
    one = read_set(write_set(tmp_path / "tiny", [{"_id": "a", "text": "t"}], queries, grades))
    assert [query["_id"] for query in one.judged] == ["q3", "q1"]
    assert one.relevant["q3"] == {"a": 1}


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_mark_that_only_python_takes_for_a_line_end_ends_no_json_line(tmp_path: Path, mark: str) -> None:
    text = f"One{mark}two."
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"_id": "a", "text": text}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json_lines(tmp_path / "corpus.jsonl") == [{"_id": "a", "text": text}]


def test_lines_may_end_as_on_windows_and_blank_ones_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"_id": "a"}\r\n\r\n{"_id": "b"}')
    assert json_lines(tmp_path / "x.jsonl") == [{"_id": "a"}, {"_id": "b"}]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: ascii(value)[:20])
def test_any_title_category_and_keyword_is_read_back_from_the_frontmatter(tmp_path: Path, value: str) -> None:
    document = {"_id": URL, "title": value, "category": value, "keywords": [value, "plain"], "text": "The text."}
    assert write_knowledge_base(of(document, {"_id": "b", "text": "Other."}), tmp_path / "written") == {"000000.md": URL, "000001.md": "b"}
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "written").iterdir()}
    kb = open_bench(tmp_path, files)
    assert kb.snapshot.catalog.problems() == ()
    record = kb.snapshot.catalog.documents()[0]
    wanted = " ".join(value.split())
    assert " ".join(record.title.split()) == wanted
    assert [" ".join(name.split()) for name in record.categories] == [wanted]
    hints = kb.question(f"{wanted} and plain").hints
    assert {" ".join(hint.match.text.split()) for hint in hints if hint.match.kind == "keyword"} == {wanted, "plain"}
    assert kb.snapshot.catalog.contents([0])[0][0] == "The text."


def test_a_document_without_a_title_is_called_by_its_first_eight_words(tmp_path: Path) -> None:
    text = "one two  three\nfour five six seven eight nine ten"
    write_knowledge_base(of({"_id": "a", "title": "", "text": text}), tmp_path / "kb")
    kb = open_bench(tmp_path / "open", {"a.md": (tmp_path / "kb/000000.md").read_text(encoding="utf-8")})
    assert [one.title for one in kb.snapshot.catalog.documents()] == ["one two three four five six seven eight"]
    assert kb.snapshot.catalog.contents([0])[0][0].endswith("nine ten")


def test_a_text_that_begins_like_frontmatter_stays_text(tmp_path: Path) -> None:
    write_knowledge_base(of({"_id": "a", "text": "---\ncategory: stolen\n---\nThe rest."}), tmp_path / "kb")
    kb = open_bench(tmp_path / "open", {"sheet.md": (tmp_path / "kb/000000.md").read_text(encoding="utf-8")})
    [record] = kb.snapshot.catalog.documents()
    assert (record.title, record.categories) == ("--- category: stolen --- The rest.", ())
    assert kb.snapshot.terms.rows_with_all(["stolen", "rest"]).tolist() != []


def test_a_document_without_title_and_text_is_an_empty_file(tmp_path: Path) -> None:
    assert write_knowledge_base(of({"_id": "a", "title": "", "text": ""}), tmp_path / "kb") == {"000000.md": "a"}
    assert (tmp_path / "kb/000000.md").read_text(encoding="utf-8") == "\n"


def test_values_that_are_empty_are_no_fields(tmp_path: Path) -> None:
    write_knowledge_base(of({"_id": "a", "title": "T", "category": "", "keywords": [], "text": "x"}), tmp_path / "kb")
    assert (tmp_path / "kb/000000.md").read_text(encoding="utf-8") == "---\ntitle: T\n---\nx\n"
