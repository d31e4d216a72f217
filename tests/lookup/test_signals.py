"""What the rules see of a whole document: words that are spread over its sections count for every passage of it alike."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine.lookup.lexical import as_signal, words_matched
from engine.lookup.rerank import Part, Ranked
from engine.lookup.signals import Signals, gather
from tests.knowledge_base import Bench, document, open_bench

QUERY = "copper kettle whistles"
FILES = {
    "a/spread.md": document(
        "# Kitchen\n\n## First\n\nThe copper stays bright, copper.\n\n## Second\n\nThe kettle stands there.\n\n## Third\n\nIt whistles.\n",
        keywords=["samovar"],
    ),
    "b/one.md": "# Garden\n\n## Pond\n\nThe kettle of the gardener.\n\n## Fence\n\nPaint that fence.\n",
    "c/none.md": "# Street\n\nLamps along the road.\n",
    "d/empty.md": "",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("signals"), FILES)


def signals(kb: Bench, query: str) -> Signals:
    question = kb.question(query)
    return gather(question.text, question, kb.attempt(query).candidates, kb.snapshot)


def document_words(kb: Bench, query: str) -> dict[str, list[Part]]:
    """The parts of the rule by source, one a passage that it lifts."""
    found: dict[str, list[Part]] = {}
    for one in sorted(kb.attempt(query).ranked, key=lambda one: one.candidate.record.row):
        found.setdefault(one.candidate.record.source, []).extend(part for part in one.parts if part.code == "document_words")
    return found


def part_of(one: Ranked, code: str) -> Part | None:
    return next((part for part in one.parts if part.code == code), None)


def test_words_that_are_spread_over_the_sections_lift_every_passage_of_the_document_alike(kb: Bench) -> None:
    parts = document_words(kb, QUERY)
    assert len(parts["a/spread.md"]) == 3
    assert len(set(parts["a/spread.md"])) == 1
    assert len(parts["b/one.md"]) == 2
    assert len(set(parts["b/one.md"])) == 1
    assert parts["c/none.md"] == []
    assert parts["a/spread.md"][0].points > parts["b/one.md"][0].points > 0


def test_the_signal_is_bm25_of_the_whole_document_among_documents_with_text(kb: Bench) -> None:
    found = signals(kb, QUERY)
    greatest = math.log(1 + 3.5 / 0.5)  # three documents have a passage, the empty one does not count
    in_one, in_two = math.log(1 + 2.5 / 1.5) / greatest, math.log(1 + 1.5 / 2.5) / greatest
    assert found.document_rarities == pytest.approx({"copper": in_one, "kettl": in_two, "whistl": in_one})
    whole = found.documents["a/spread.md"]
    assert whole.words == {"copper": 2, "kettl": 1, "whistl": 1}
    # Title in every passage, a heading in each, and: copper stays bright copper; kettle stands; whistles
    assert whole.length == 3 * 2 + 4 + 2 + 1
    norm = 1.2 * (0.25 + 0.75 * 13 / found.average_document)
    expected = as_signal(in_one * 2 / (2 + norm) + (in_two + in_one) / (1 + norm))
    assert document_words(kb, QUERY)["a/spread.md"][0].raw == round(expected, 6)


def test_the_average_document_is_that_of_documents_with_text(kb: Bench) -> None:
    lengths = kb.snapshot.lengths.document_terms.tolist()
    assert len(lengths) == 3
    assert lengths[0] == 13
    assert signals(kb, QUERY).average_document == sum(lengths) / 3


@pytest.mark.parametrize(
    ("query", "spread", "one"),
    [
        (QUERY, "3 of 3 words in its document", "1 of 3 words in its document"),
        ("the kettle, a kettle or two KETTLES of copper", "2 of 3 words in its document", "1 of 3 words in its document"),
        ("whistles on a zeppelin", "1 of 2 words in its document", None),
    ],
)
def test_the_reason_counts_the_distinct_words_of_the_question_in_the_document(kb: Bench, query: str, spread: str, one: str | None) -> None:
    reasons = {source: {part.reason for part in parts} for source, parts in document_words(kb, query).items()}
    assert reasons["a/spread.md"] == {spread}
    assert reasons["b/one.md"] == ({one} if one else set())


def test_a_passage_without_a_word_of_the_question_is_lifted_by_its_document_only(kb: Bench) -> None:
    [fence] = [one for one in kb.attempt(QUERY).ranked if one.candidate.record.section == "garden/fence"]
    assert part_of(fence, "lexical") is None
    lifted = part_of(fence, "document_words")
    assert lifted is not None
    assert lifted.points == round(lifted.raw * kb.settings.rule_weights.document_words * 1_000_000) > 0


def test_passages_that_are_no_candidates_count_for_their_document(kb: Bench) -> None:
    [only] = kb.attempt(QUERY, candidate_count=1).ranked
    part = part_of(only, "document_words")
    assert part is not None
    assert part.reason == "3 of 3 words in its document"
    assert part == document_words(kb, QUERY)["a/spread.md"][0]


def test_a_keyword_that_no_passage_has_is_no_word_of_the_document(kb: Bench) -> None:
    assert document_words(kb, "samovar")["a/spread.md"] == []
    assert signals(kb, "samovar").documents["a/spread.md"].words == {}


def test_the_passage_counts_by_its_own_length_and_the_rarity_among_passages(kb: Bench) -> None:
    found = signals(kb, QUERY)
    greatest = math.log(1 + 6.5 / 0.5)
    shares = {"copper": math.log(1 + 5.5 / 1.5), "kettl": math.log(1 + 4.5 / 2.5), "whistl": math.log(1 + 5.5 / 1.5)}
    assert found.rarities == pytest.approx({term: share / greatest for term, share in shares.items()})
    [first] = [one for one in kb.attempt(QUERY).ranked if one.candidate.record.section == "kitchen/first"]
    part = part_of(first, "lexical")
    assert part is not None
    average = sum(kb.snapshot.lengths.terms.tolist()) / 6
    assert part.raw == round(as_signal(words_matched({"copper": found.rarities["copper"]}, {"copper": 2}, 6, average)), 6)


def test_nothing_is_known_where_nothing_was_found(tmp_path: Path) -> None:
    kb = open_bench(tmp_path, {"a.md": ""})
    found = signals(kb, QUERY)
    assert (found.documents, found.average_document, found.document_rarities, found.rarities) == ({}, 0.0, {}, {})
    assert list(found.surfaces) == ["copper", "kettl", "whistl"]
