"""The arithmetic of the benchmarks on hand-made input."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine.knowledge.chunking import chunk_document
from engine.knowledge.document import read_document
from engine.tokenizer import WordTokenizer
from tests.benchmarks.reading import Row, Seconds, sample_batches, total
from tests.benchmarks.shared import shared_folder, table
from tests.benchmarks.spans import Overlap, Passage, chunk_spans, length, overlap, paired_difference, split_every, union


def passage(start: int, end: int, text_id: str = "a") -> Passage:
    return Passage(text_id, (start, end), "", 0)


def test_spans_that_touch_are_joined() -> None:
    assert union([(5, 9), (0, 3), (3, 4), (8, 12)]) == [(0, 4), (5, 12)]
    assert length([(0, 4), (5, 12)]) == 11


def test_recall_precision_and_iou_are_shares_of_characters() -> None:
    assert overlap([(10, 20), (30, 40)], "a", [passage(0, 15), passage(30, 50)]) == Overlap(recall=15 / 20, precision=15 / 35, iou=15 / 40)


def test_a_passage_of_another_text_costs_precision_and_gives_nothing() -> None:
    assert overlap([(0, 10)], "a", [passage(0, 10, "b"), passage(0, 10)]) == Overlap(1.0, 0.5, 0.5)


def test_characters_that_are_retrieved_twice_count_once_as_found_and_twice_as_taken() -> None:
    assert overlap([(0, 10)], "a", [passage(0, 10), passage(0, 10)]) == Overlap(1.0, 0.5, 0.5)


def test_nothing_found_is_nought() -> None:
    assert overlap([(0, 10)], "a", [passage(10, 20)]) == Overlap(0.0, 0.0, 0.0)


def test_two_ways_are_compared_question_by_question() -> None:
    assert paired_difference([1.0, 0.5, 0.0], [0.5, 0.5, 0.5]) == pytest.approx((0.0, 0.5 / 3**0.5))


def test_the_plain_splitter_loses_nothing_and_ends_before_every_nth_token() -> None:
    text = "one two three four five"
    assert [text[a:b] for a, b in split_every(WordTokenizer().map(text), text, 2)] == ["one two ", "three four ", "five"]
    assert split_every(WordTokenizer().map(""), "", 2) == []


def test_a_chunk_is_found_where_it_stands_without_what_it_carries() -> None:
    rows = "".join(f"| depot {i % 3} | city |\n" for i in range(30))
    text = f"# T\n\nSame line.\n\n## U\n\nSame line.\n\n| Depot | City |\n|---|---|\n{rows}"
    chunks = chunk_document(read_document("d.md", text, ""), WordTokenizer(), 60)
    spans = chunk_spans(text, chunks)
    assert any(chunk.carried for chunk in chunks)
    assert [text[a:b] for a, b in spans] == [chunk.content.removeprefix(chunk.carried) for chunk in chunks]
    assert spans == sorted(spans) and all(a[1] <= b[0] for a, b in pairwise(spans))
    assert [text.count("\n", 0, start) + 1 for start, _ in spans] == [chunk.start_line for chunk in chunks]


def test_a_sample_has_one_batch_of_neighbours_from_each_part() -> None:
    found = sample_batches(300, 3, 32, 7)
    assert [len(rows) for rows in found] == [32, 32, 32]
    assert all(100 * part <= rows.start and rows.stop <= 100 * (part + 1) for part, rows in enumerate(found))
    assert found == sample_batches(300, 3, 32, 7)
    assert [len(rows) for rows in sample_batches(4, 3, 32, 7)] == [1, 1, 2]
    assert sample_batches(0, 3, 32, 7) == []


def test_the_total_is_the_share_of_the_sums() -> None:
    first = Row("a", 1, 2, 3, Seconds(1.0, 1.0), {"float32": Seconds(10.0, 16.0)})
    second = Row("b", 1, 2, 3, Seconds(3.0, 2.0), {"float32": Seconds(30.0, 44.0)})
    whole = total([first, second], ["float32"])
    assert whole == Row("all", 2, 4, 6, Seconds(4.0, 3.0), {"float32": Seconds(40.0, 60.0)})
    assert (whole.share("float32"), whole.idle_share("float32", 2)) == (0.1, 0.1)


def test_a_table_is_aligned() -> None:
    assert table(["name", "n"], [["a", "10"], ["longer", "5"]]) == "name     n\na       10\nlonger   5"


def test_missing_data_is_said_loudly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TESTS_SHARED", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        shared_folder("kb-real")
    assert ended.value.code == 3
    assert "MISSING" in capsys.readouterr().err
