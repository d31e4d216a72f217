"""Lengths of passages and documents, rows that have several words, and the share of rows in some categories, as a naive count has them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.index.lengths import Lengths
from engine.index.search_terms import HEADING, PAIR, TEXT
from engine.index.snapshot import Snapshot
from engine.index.sync import sync
from engine.text import pairs, terms
from tests.knowledge_base import Bench, document, open_bench, write_files

FILES = {
    "a/empty.md": "",
    "a/first.md": document("# Lamp\n\nRed lamp.\n\n## Door\n\nThe blue door, the door.\n\n## Pump\n\nA pump.\n", category=["a", "z"]),
    "b/between.md": "# Only a title\n",
    "c/second.md": document("# Second\n\nRed door with a lamp.\n", owner="a"),
    "d/third.md": "# Third\n\nBlue pump.\n\n## Lamp\n\nThe lamp, lamp, lamp.\n",
    "e/last.md": "",
    "loose.md": "# Loose\n\nDoor and lamp.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("lengths"), FILES)


def texts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Source and embedded text of every passage, in the order of the rows."""
    rows = np.arange(snapshot.catalog.chunk_count)
    contents = snapshot.catalog.contents(rows.tolist())
    return [(one.source, f"{one.breadcrumb}\n{contents[one.row][0]}") for one in snapshot.catalog.records(rows)]


def assert_lengths_are_counted(snapshot: Snapshot) -> None:
    found, written = snapshot.lengths, texts(snapshot)
    sources = sorted({source for source, _ in written})
    assert found.terms.tolist() == [len(terms(text)) for _, text in written]
    assert found.document.tolist() == [sources.index(source) for source, _ in written]
    assert found.document_terms.tolist() == [sum(len(terms(text)) for source, text in written if source == one) for one in sources]
    assert [column.dtype.name for column in (found.terms, found.document, found.document_terms)] == ["int32", "int32", "int64"]


def test_documents_are_numbered_by_their_passages() -> None:
    found = Lengths.of(np.asarray([4, 6, 2, 16, 1]), np.asarray([0, 2, 3]))
    assert found.terms.tolist() == [4, 6, 2, 16, 1]
    assert found.document.tolist() == [0, 0, 1, 2, 2]
    assert found.document_terms.tolist() == [10, 2, 17]


def test_the_length_of_a_document_may_exceed_that_of_a_column_of_passages() -> None:
    found = Lengths.of(np.asarray([2**31 - 1, 2**31 - 1], dtype=np.int32), np.asarray([0]))
    assert found.document_terms.tolist() == [2**32 - 2]


@given(st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=4), max_size=6))
def test_lengths_equal_those_of_a_list_of_documents(documents: list[list[int]]) -> None:
    starts = [sum(map(len, documents[:at])) for at in range(len(documents))]
    found = Lengths.of(np.asarray([length for one in documents for length in one], dtype=np.int32), np.asarray(starts, dtype=np.int64))
    assert found.terms.tolist() == [length for one in documents for length in one]
    assert found.document.tolist() == [number for number, one in enumerate(documents) for _ in one]
    assert found.document_terms.tolist() == [sum(one) for one in documents]


def test_documents_without_a_passage_have_no_number(kb: Bench) -> None:
    assert_lengths_are_counted(kb.snapshot)
    assert [one.chunks for one in kb.snapshot.catalog.documents()] == [0, 3, 0, 1, 2, 0, 1]
    assert kb.snapshot.lengths.document.tolist() == [0, 0, 0, 1, 2, 2, 3]


def test_the_lengths_agree_with_the_totals_of_the_catalog(kb: Bench) -> None:
    assert float(kb.snapshot.lengths.terms.mean()) == kb.snapshot.catalog.average_length[TEXT]
    records = kb.snapshot.catalog.records(np.arange(kb.snapshot.catalog.chunk_count))
    assert kb.snapshot.lengths.terms.tolist() == [record.terms for record in records]


@pytest.mark.parametrize("files", [{}, {"a.md": "", "b.md": "# Only a title\n"}], ids=["no file", "no text"])
def test_a_knowledge_base_without_text_has_no_lengths(tmp_path: Path, files: dict[str, str]) -> None:
    found = open_bench(tmp_path, files).snapshot.lengths
    assert (found.terms.tolist(), found.document.tolist(), found.document_terms.tolist()) == ([], [], [])
    assert [column.dtype.name for column in (found.terms, found.document, found.document_terms)] == ["int32", "int32", "int64"]


def test_after_an_incremental_sync_the_lengths_are_those_of_the_files_as_they_are(tmp_path: Path) -> None:
    kb = open_bench(tmp_path, FILES)
    changed = {
        "a/empty.md": "# New\n\nNow it has text.\n",
        "c/second.md": "",
        "d/third.md": "# Third\n\nBlue.\n\n## Lamp\n\nLamp.\n\n## More\n\nText.\n",
    }
    write_files(tmp_path / "kb", changed)
    (tmp_path / "kb" / "loose.md").unlink()
    after = sync(tmp_path / "kb", kb.settings, kb.embedder)
    assert after.id != kb.snapshot.id
    assert_lengths_are_counted(after)
    assert after.lengths.document.tolist() == [0, 1, 1, 1, 2, 2, 2]
    assert_lengths_are_counted(kb.snapshot)


SEARCHED = st.lists(st.sampled_from(["lamp", "door", "red", "blue", "pump", "third", "zeppelin"]), min_size=1, max_size=4)


@given(SEARCHED)
def test_rows_with_all_words_are_those_that_a_naive_search_finds(kb: Bench, searched: list[str]) -> None:
    expected = [row for row, (_, text) in enumerate(texts(kb.snapshot)) if set(searched) <= set(terms(text))]
    assert kb.snapshot.terms.rows_with_all(searched).tolist() == expected


def test_rows_with_all_words_by_hand(kb: Bench) -> None:
    sources = [source for source, _ in texts(kb.snapshot)]
    assert [sources[row] for row in kb.snapshot.terms.rows_with_all(["door", "lamp"])] == ["a/first.md", "c/second.md", "loose.md"]
    assert kb.snapshot.terms.rows_with_all(["door", "door"]).tolist() == kb.snapshot.terms.rows_with_all(["door"]).tolist() != []
    assert kb.snapshot.terms.rows_with_all(["red", "pump"]).tolist() == []
    assert kb.snapshot.terms.rows_with_all(["red", "zeppelin"]).tolist() == []
    assert kb.snapshot.terms.rows_with_all([]).tolist() == []


def test_postings_are_rising_rows_with_their_counts_in_the_order_of_the_question(kb: Bench) -> None:
    written = [terms(text) for _, text in texts(kb.snapshot)]
    found = {term: (rows.tolist(), counts.tolist()) for term, rows, counts in kb.snapshot.terms.postings(TEXT, ["pump", "zeppelin", "lamp", "pump"])}
    assert list(found) == ["pump", "lamp"]
    for term, (rows, counts) in found.items():
        assert rows == [row for row, words in enumerate(written) if term in words]
        assert counts == [words.count(term) for words in written if term in words]
        assert all(first < second for first, second in pairwise(rows))
    assert max(found["lamp"][1]) == 4


def test_postings_are_kept_by_kind(kb: Bench) -> None:
    written = [text for _, text in texts(kb.snapshot)]
    [(pair, rows, counts)] = kb.snapshot.terms.postings(PAIR, ["lamp lamp", "pump zeppelin"])
    assert (pair, rows.tolist()) == ("lamp lamp", [row for row, text in enumerate(written) if "lamp lamp" in pairs(text)])
    assert counts.tolist() == [pairs(text).count("lamp lamp") for text in written if "lamp lamp" in pairs(text)]
    assert list(kb.snapshot.terms.postings(HEADING, ["red"])) == []
    [(_, in_text, _)] = kb.snapshot.terms.postings(TEXT, ["red"])
    assert [row for row, text in enumerate(written) if "red" in terms(text)] == in_text.tolist() == [0, 3]


@pytest.mark.parametrize(
    ("categories", "share"), [(["a"], 3 / 7), (["d"], 2 / 7), (["a", "d"], 5 / 7), (["a", "z"], 3 / 7), (["e"], 0.0), (["no such"], 0.0), ([], 0.0)]
)
def test_the_share_of_all_rows_in_some_categories(kb: Bench, categories: list[str], share: float) -> None:
    assert kb.snapshot.catalog.shares_in([np.arange(7)], [categories]) == [share]


def test_the_share_is_of_the_rows_given(kb: Bench) -> None:
    rows = [np.asarray([0, 3, 4, 6]), np.asarray([6]), np.asarray([1], dtype=np.int32)]  # the document of 6 has no category
    assert kb.snapshot.catalog.shares_in(rows, [["a", "c"], ["a"], ["z"]]) == [0.5, 0.0, 1.0]
    assert kb.snapshot.catalog.shares_in(rows[::-1], [["z"], ["a"], ["a", "c"]]) == [1.0, 0.0, 0.5]
    assert kb.snapshot.catalog.shares_in([], []) == []
