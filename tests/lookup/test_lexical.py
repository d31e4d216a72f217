"""BM25 as a count of words: values by hand, bounds, and what a naive computation over the passages gives."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from engine.index.lengths import document_counts
from engine.index.snapshot import Snapshot
from engine.lookup.lexical import as_signal, best_by_words, length_norm, query_words, rarity, words_matched
from engine.text import terms
from tests.knowledge_base import open_bench

WORDS = ("lamp", "door", "valve", "pump", "journal")
shares = st.floats(0, 1)
rarities = st.dictionaries(st.sampled_from(WORDS), shares)
counts = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 65_535))
lengths = st.integers(1, 100_000)
averages = st.floats(0, 10_000)

FILES = {
    "a/lamps.md": "# Lamps\n\nRed lamp, blue lamp.\n\n## Doors\n\nThe red door has a lamp.\n\n## Valves\n\nA valve, a valve and a valve.\n",
    "b/empty.md": "",
    "b/pumps.md": "# Pumps\n\nThe pump has a valve.\n\n## Lamps\n\nThe lamp of the pump is red.\n",
    "c/only-title.md": "# Lamp\n",
    "c/same.md": "# Same\n\nBlue door.\n",
    "d/same.md": "# Same\n\nBlue door.\n",
    "e/zh.md": "# 扫描枪\n\n扫描枪坏了, lamp.\n",
}
QUERIES = ("red lamp", "valve", "lamp lamp lamp", "blue door", "扫描枪", "pump zeppelin", "the red valve of the blue pump", "same")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return open_bench(tmp_path_factory.mktemp("lexical"), FILES).snapshot


def passages(snapshot: Snapshot) -> list[tuple[str, Counter[str]]]:
    """Source and counted search terms of every passage, in the order of the rows."""
    rows = np.arange(snapshot.catalog.chunk_count)
    contents = snapshot.catalog.contents(rows.tolist())
    return [(one.source, Counter(terms(f"{one.breadcrumb}\n{contents[one.row][0]}"))) for one in snapshot.catalog.records(rows)]


def naive_ranking(snapshot: Snapshot, query: str) -> list[tuple[int, float]]:
    """Row and score by plain BM25 of Robertson and Zaragoza, idf as a share of that of an unseen word, best first."""
    texts = [words for _, words in passages(snapshot)]
    average = sum(words.total() for words in texts) / len(texts)
    greatest = math.log(1 + (len(texts) + 0.5) / 0.5)
    scores = []
    for row, words in enumerate(texts):
        score = 0.0
        for term in query_words(query):
            having = sum(term in other for other in texts)
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            score += idf / greatest * words[term] / (words[term] + 1.2 * (0.25 + 0.75 * words.total() / average))
        if score:
            scores.append((row, score))
    return sorted(scores, key=lambda pair: (-round(pair[1], 9), pair[0]))


def test_a_word_that_nothing_has_counts_one_and_any_other_its_share_of_that_idf() -> None:
    assert rarity(0, 10) == 1.0
    assert rarity(3, 10) == pytest.approx(math.log(1 + 7.5 / 3.5) / math.log(22))
    assert rarity(10, 10) == pytest.approx(math.log(1 + 0.5 / 10.5) / math.log(22))
    assert rarity(1, 1) == pytest.approx(math.log(4 / 3) / math.log(4))
    assert rarity(10, 10) == pytest.approx(0.01505, abs=1e-5)


def test_the_norm_of_a_text_of_average_length_is_k1() -> None:
    assert length_norm(100.0, 100.0) == pytest.approx(1.2)
    assert length_norm(0.0, 100.0) == pytest.approx(0.3)
    assert length_norm(300.0, 100.0) == pytest.approx(1.2 * 2.5)
    assert length_norm(2.0, 0.0) == length_norm(2.0, 0.5) == pytest.approx(1.2 * 1.75)  # an average below one word counts as one
    assert length_norm(np.asarray([0.0, 100.0, 300.0]), 100.0) == pytest.approx(np.asarray([0.3, 1.2, 3.0]))


def test_words_matched_is_the_sum_of_rarity_times_saturated_count() -> None:
    found = words_matched({"lamp": 0.5, "door": 1.0, "absent": 0.9}, {"lamp": 3, "door": 1, "other": 7}, 10, 10.0)
    assert found == pytest.approx(0.5 * 3 / 4.2 + 1.0 * 1 / 2.2)
    assert words_matched({"lamp": 0.5}, {"lamp": 3}, 20, 10.0) == pytest.approx(0.5 * 3 / (3 + 1.2 * 1.75))
    assert words_matched({}, {"lamp": 3}, 20, 10.0) == 0
    assert words_matched({"lamp": 0.5}, {}, 0, 0.0) == 0


def test_four_rare_words_are_half_of_the_greatest_signal() -> None:
    assert [as_signal(matched) for matched in (0, 1, 4, 12)] == [0, 0.2, 0.5, 0.75]


@given(st.integers(1, 10_000), st.data())
def test_rarity_lies_above_nought_and_falls_with_every_text_that_has_the_word(texts: int, data: st.DataObject) -> None:
    frequency = data.draw(st.integers(0, texts - 1))
    assert 0 < rarity(frequency + 1, texts) < rarity(frequency, texts) <= 1


@given(rarities, counts, lengths, averages)
def test_a_match_lies_between_nought_and_the_rarities_and_its_signal_below_one(
    rare: dict[str, float], has: dict[str, int], length: int, average: float
) -> None:
    matched = words_matched(rare, has, length, average)
    assert 0 <= matched <= sum(share for term, share in rare.items() if term in has)
    assert 0 <= as_signal(matched) < 1


@given(rarities, counts, st.sampled_from(WORDS), lengths, averages)
def test_one_more_of_a_word_never_counts_less(rare: dict[str, float], has: dict[str, int], word: str, length: int, average: float) -> None:
    more = {**has, word: has.get(word, 0) + 1}
    before, after = words_matched(rare, has, length, average), words_matched(rare, more, length, average)
    assert after >= before
    assert as_signal(after) >= as_signal(before)


@given(rarities, counts, st.sampled_from(WORDS), shares, lengths, averages)
def test_another_word_of_the_query_never_counts_less(
    rare: dict[str, float], has: dict[str, int], word: str, share: float, length: int, average: float
) -> None:
    fewer = {term: value for term, value in rare.items() if term != word}
    assert words_matched({**fewer, word: share}, has, length, average) >= words_matched(fewer, has, length, average)


@given(counts, lengths, averages)
def test_a_longer_text_never_counts_more(has: dict[str, int], length: int, average: float) -> None:
    everything = dict.fromkeys(WORDS, 1.0)
    assert words_matched(everything, has, length + 1, average) <= words_matched(everything, has, length, average)


@pytest.mark.parametrize("query", QUERIES)
def test_the_words_of_documents_are_those_of_their_passages_together(snapshot: Snapshot, query: str) -> None:
    by_source: dict[str, Counter[str]] = {}
    for source, words in passages(snapshot):
        by_source.setdefault(source, Counter()).update(words)
    rows = list(range(snapshot.catalog.chunk_count))
    frequencies, found = document_counts(snapshot.terms, query_words(query), rows, snapshot.lengths)
    wanted = list(query_words(query))
    assert frequencies == {term: n for term in wanted if (n := sum(term in words for words in by_source.values()))}
    assert [found[number] for number in sorted(found)] == [
        {term: words[term] for term in wanted if words[term]} for _, words in sorted(by_source.items())
    ]


def test_documents_are_counted_everywhere_and_told_for_the_rows_given(snapshot: Snapshot) -> None:
    sources = [source for source, _ in passages(snapshot)]
    row = sources.index("b/pumps.md") + 1
    frequencies, found = document_counts(snapshot.terms, ["lamp", "valv", "zeppelin"], [row, row], snapshot.lengths)
    assert frequencies == {"lamp": 3, "valv": 2}
    assert found == {int(snapshot.lengths.document[row]): {"lamp": 2, "valv": 1}}
    assert int(snapshot.lengths.document[row]) == 1  # b/empty.md has no passage, and c/only-title.md none


def test_no_row_has_no_document(snapshot: Snapshot) -> None:
    assert document_counts(snapshot.terms, ["lamp"], [], snapshot.lengths) == ({"lamp": 3}, {})


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_the_best_by_words_are_the_first_of_a_naive_ranking(snapshot: Snapshot, query: str, count: int) -> None:
    expected = sorted(row for row, _ in naive_ranking(snapshot, query)[:count])
    found = best_by_words(snapshot.terms, query_words(query), snapshot.lengths, None, count)
    assert (found.tolist(), found.dtype.name) == (expected, "int64")


@examples(deadline=None)
@given(st.sampled_from(QUERIES), st.data(), st.integers(1, 9))
def test_among_some_rows_they_are_the_first_of_those(snapshot: Snapshot, query: str, data: st.DataObject, count: int) -> None:
    chosen = data.draw(st.sets(st.integers(0, snapshot.catalog.chunk_count - 1)))
    rows = np.asarray(sorted(chosen), dtype=np.int64)
    expected = sorted([row for row, _ in naive_ranking(snapshot, query) if row in chosen][:count])
    assert best_by_words(snapshot.terms, query_words(query), snapshot.lengths, rows, count).tolist() == expected


def test_of_equal_passages_the_lower_row_comes_first(snapshot: Snapshot) -> None:
    sources = [source for source, _ in passages(snapshot)]
    first, second = sources.index("c/same.md"), sources.index("d/same.md")
    by_count = [best_by_words(snapshot.terms, ["same"], snapshot.lengths, None, count).tolist() for count in (1, 2, 9)]
    assert by_count == [[first], [first, second], [first, second]]


@pytest.mark.parametrize("searched", [[], ["zeppelin"], ["zeppelin", ""]])
def test_unknown_words_propose_nothing(snapshot: Snapshot, searched: list[str]) -> None:
    assert best_by_words(snapshot.terms, searched, snapshot.lengths, None, 5).tolist() == []


def test_an_empty_knowledge_base_proposes_nothing(tmp_path: Path) -> None:
    empty = open_bench(tmp_path, {"a.md": ""}).snapshot
    found = best_by_words(empty.terms, ["lamp"], empty.lengths, None, 5)
    assert (found.tolist(), found.dtype.name) == ([], "int64")
    assert document_counts(empty.terms, ["lamp"], [], empty.lengths) == ({}, {})


def test_the_words_of_a_query_are_stems_without_stop_words_as_they_were_written_first() -> None:
    assert query_words("What is the Lamp, and the LAMPS of Doors?") == {"lamp": "Lamp", "door": "Doors"}
    assert list(query_words("door lamp DOOR valve").items()) == [("door", "door"), ("lamp", "lamp"), ("valv", "valve")]
    assert query_words("what is it") == {}
    assert query_words("payment-service") == {"payment-service": "payment-service", "payment": "payment", "servic": "service"}


def test_a_chinese_query_has_characters_and_pairs_of_them_without_stop_words() -> None:
    assert query_words("扫描了") == {word: word for word in ("扫", "扫描", "描", "描了")}
    assert query_words("怎么办") == {}


def test_full_width_words_keep_their_surface() -> None:
    assert query_words("Ｌａｍｐ") == {"lamp": "Ｌａｍｐ"}
