"""The stored search terms: what a chunk has, how many have a term, and a join that equals counting everything anew."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IndexDamaged
from engine.index.search_terms import HEADING, PAIR, TERM_FILES, TEXT, SearchTerms
from engine.index.search_terms_join import joined
from engine.index.search_terms_writer import TermCounter, TermCounts, write_search_terms
from engine.knowledge.chunking import Chunk
from engine.text import pairs, terms

WORDS = ("disk", "full", "disks", "DISK", "the", "扫描", "重新启动", "foo-bar", "ERR_SSL_4711", "C++", "zürich", "a/b.c", "𝒳", "")
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=6)


def chunk(text: str, breadcrumb: str = "Disk full") -> Chunk:
    return Chunk("a.md#~1", "a.md", "", 1, breadcrumb, 1, 1, "", text, 1, 1.0)


def counted(chunks: list[Chunk], rows: list[int] | None = None) -> TermCounts:
    counter = TermCounter()
    for one in chunks:
        counter.add(one)
    return counter.counted(np.asarray(range(len(chunks)) if rows is None else rows, dtype=np.int64))


def opened(counts: TermCounts) -> SearchTerms:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # the mapped files stay as long as they are mapped
        write_search_terms(Path(folder), counts)
        return SearchTerms(Path(folder))


def same(one: TermCounts, other: TermCounts) -> bool:
    columns = ("keys", "key_starts", "rows", "counts")
    return one.words == other.words and all(
        np.array_equal(getattr(one, name), getattr(other, name)) and getattr(one, name).dtype == getattr(other, name).dtype for name in columns
    )


COUNTED: dict[int, Callable[[Chunk], list[str]]] = {
    TEXT: lambda one: terms(one.embedded_text),
    PAIR: lambda one: pairs(one.embedded_text),
    HEADING: lambda one: terms(one.breadcrumb),
}


@settings(deadline=None)
@given(texts, st.sampled_from(list(COUNTED)))
def test_every_term_of_every_chunk_is_found_again(written: list[str], kind: int) -> None:
    chunks = [chunk(text) for text in written]
    stored = opened(counted(chunks))
    expected = {row: Counter(COUNTED[kind](one)) for row, one in enumerate(chunks)}
    searched = {"absent", "absent disk" if kind == PAIR else "", *(term for counts in expected.values() for term in counts)}
    assert stored.counts_in(kind, searched, list(expected)) == {row: dict(counts) for row, counts in expected.items()}
    assert stored.frequencies(kind, searched) == Counter(term for counts in expected.values() for term in counts)


BREADCRUMBS, FATES = ["", "Disk full", "Volume", "the"], ["kept", "gone", "new"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.tuples(texts.map(" ".join), st.sampled_from(BREADCRUMBS)), st.sampled_from(FATES)), max_size=8))
def test_a_join_equals_counting_everything_anew(chunks: list[tuple[tuple[str, str], str]]) -> None:
    former = [one for one in chunks if one[1] != "new"]
    now = [one for one in chunks if one[1] != "gone"]
    kept_rows, new_rows = ([row for row, (_, fate) in enumerate(now) if fate == wanted] for wanted in ("kept", "new"))
    places = iter(kept_rows)
    moved = np.asarray([next(places) if fate == "kept" else -1 for _, fate in former], dtype=np.int64)
    added = counted([chunk(*text) for text, fate in now if fate == "new"], new_rows)
    result = joined(opened(counted([chunk(*text) for text, _ in former])), moved, added)
    assert same(result, counted([chunk(*text) for text, _ in now]))


def test_the_lengths_of_a_chunk_count_repeated_terms(tmp_path: Path) -> None:
    assert TermCounter().add(chunk("disk disk", breadcrumb="")) == (2, 1)
    assert TermCounter().add(chunk("", breadcrumb="")) == (0, 0)


def test_a_term_that_is_more_frequent_than_a_column_can_say_is_capped() -> None:
    assert opened(counted([chunk("disk " * 70_000)])).counts_in(TEXT, ["disk"], [0]) == {0: {"disk": 65_535}}


def test_equal_counts_give_equal_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_search_terms(tmp_path / name, counted([chunk("disk full"), chunk("volume")]))
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in TERM_FILES)


def test_rows_may_be_asked_in_any_order_and_twice() -> None:
    stored = opened(counted([chunk("disk"), chunk("volume"), chunk("disk disk")]))
    assert stored.counts_in(TEXT, ["volum"], [2, 1, 1]) == {2: {}, 1: {"volum": 1}}


def test_a_missing_file_is_damage(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="search terms cannot be read"):
        SearchTerms(tmp_path)
