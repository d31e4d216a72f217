"""The quality benchmark on a set of a few documents with the hash embedder: its peers, its figures, and what it prints."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import KnowledgeEngine
from engine.lookup.lexical import query_words
from engine.text import terms
from tests.benchmarks.peers import DEPTH, Peers, fused, ordered
from tests.benchmarks.quality import Row, _outcome, main, measure
from tests.benchmarks.retrieval_set import read_set, write_knowledge_base
from tests.benchmarks.test_retrieval_set import URL, write_set
from tests.knowledge_base import THRESHOLDS, hash_settings

HASH = ["embedding_model=hash", *(f"{name}={value}" for name, value in THRESHOLDS.items())]
PARTS = "## Door\n\nA door.\n\n## Tap\n\nThe valve is made of brass.\n"
DOCUMENTS: list[dict[str, Any]] = [
    {"_id": URL, "title": "Copper kettle", "text": "The copper kettle whistles on the stove.", "category": "kitchen: hot", "keywords": ["tea time"]},
    {"_id": "lamp", "title": "", "text": "A brass lamp shines over the kitchen table.", "category": 'light "---"'},
    {"_id": "long", "title": "Two parts", "text": PARTS, "category": "kitchen: hot"},
    {"_id": "same-1", "title": "Same", "text": "Velvet curtain.", "category": 'light "---"'},
    {"_id": "same-0", "title": "Same", "text": "Velvet curtain.", "category": 'light "---"'},
    {"_id": "empty", "title": "", "text": "", "category": "third"},
    {"_id": "mill", "title": "Wind mill", "text": "Grain and flour.", "category": "fourth\nfloor"},
]
QUERIES = {"q1": "copper kettle", "q2": "velvet curtain", "q3": "zeppelin", "q4": "brass valve", "q5": "tea time for a lamp"}
GRADES = [
    *[("q1", URL, 1), ("q1", "mill", 1), ("q2", "same-1", 1), ("q2", "same-0", 1), ("q3", "lamp", 0)],
    *[("q4", "long", 1), ("q4", "lamp", 2), ("q5", "lamp", 1), ("q5", "mill", 1)],
]
SECOND = 1 / math.log2(3)  # the discount of the second place
Q4 = (1 + 2 * SECOND) / (2 + SECOND)  # "long" before the better "lamp"
Q1 = Q5 = 1 / (1 + SECOND)  # what shares a word is first, and the mill shares none


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("sets") / "tiny", DOCUMENTS, QUERIES, GRADES)


@pytest.fixture(scope="module")
def row(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Row:
    return measure(folder, HASH, None, str(tmp_path_factory.mktemp("index")))


@pytest.fixture(scope="module")
def opened(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[KnowledgeEngine, dict[str, str]]]:
    home = tmp_path_factory.mktemp("opened")
    ids = write_knowledge_base(read_set(folder), home / "kb")
    with KnowledgeEngine.open(home / "kb", settings=hash_settings(home / "index")) as engine:
        yield engine, ids


def run_main(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], index: Path, *arguments: str) -> str:
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(index))
    monkeypatch.setattr(sys, "argv", ["quality", *arguments, *(part for text in HASH for part in ("--set", text))])
    main()
    return capsys.readouterr().out


def naive(engine: KnowledgeEngine, ids: dict[str, str], question: str) -> tuple[dict[str, float], dict[str, float]]:
    """Best cosine and best BM25 of each document over its passages, as the formulas say."""
    catalog = engine._snapshot.catalog
    rows = np.arange(catalog.chunk_count)
    contents = catalog.contents(rows.tolist())
    texts = [(ids[one.source], f"{one.breadcrumb}\n{contents[one.row][0]}") for one in catalog.records(rows)]
    words = [terms(text) for _, text in texts]
    average = sum(map(len, words)) / len(words)
    vector = engine._embedder.embed_query(question)
    dense: dict[str, float] = {}
    lexical: dict[str, float] = {}
    for (document, text), has in zip(texts, words, strict=True):
        score = 0.0
        for term in query_words(question):
            having = sum(term in other for other in words)
            idf = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
            score += idf * has.count(term) / (has.count(term) + 1.2 * (0.25 + 0.75 * len(has) / average))
        dense[document] = max(dense.get(document, -1.0), float(vector @ engine._embedder.embed_query(text)))
        if score:
            lexical[document] = max(lexical.get(document, 0.0), score)
    return dense, lexical


def test_fusion_sums_reciprocal_ranks_and_what_a_leg_has_not_gets_nothing_from_it() -> None:
    found = fused([{"a": 0.9, "b": 0.5, "c": 0.1}, {"b": 7.0, "d": 3.0}])
    assert found == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 63, "d": 1 / 62})
    assert ordered(found) == ["b", "a", "d", "c"]
    assert fused([{}, {"b": 7.0}]) == {"b": 1 / 61}
    assert fused([{}, {}]) == {}


def test_fusion_sees_a_thousand_documents_of_each_leg() -> None:
    found = fused([{f"{i:04}": -float(i) for i in range(DEPTH + 5)}, {f"{DEPTH:04}": 1.0}])
    assert len(found) == DEPTH + 1
    assert found[f"{DEPTH - 1:04}"] == 1 / (60 + DEPTH)
    assert found[f"{DEPTH:04}"] == 1 / 61


def test_ties_are_ordered_by_id() -> None:
    assert ordered({"b": 1.0, "c": 2.0, "a": 1.0, "10": 1.0}) == ["c", "10", "a", "b"]


@pytest.mark.parametrize(
    ("ours", "unfiltered", "unretried", "expected"),
    [
        (0.4, 0.5, 0.4, "lost"),
        (0.4, 0.5, 0.6, "lost"),
        (0.5, 0.5, 0.2, "rescued"),
        (0.6, 0.5, 0.2, "rescued"),
        (0.6, 0.5, 0.6, "helped"),
        (0.6, 0.5, 0.5, "helped"),
        (0.5, 0.5, 0.5, "nothing"),
        (0.5, 0.5, 0.7, "nothing"),
        (0.5 - 1e-12, 0.5, 0.5 - 1e-12, "nothing"),
    ],
)
def test_a_filtered_query_is_lost_rescued_helped_or_the_same(ours: float, unfiltered: float, unretried: float, expected: str) -> None:
    assert _outcome(ours, unfiltered, unretried) == expected


@pytest.mark.parametrize("question", [*QUERIES.values(), "brass brass lamp", "door of brass, brass table"])
def test_the_peers_equal_a_naive_computation(opened: tuple[KnowledgeEngine, dict[str, str]], question: str) -> None:
    engine, ids = opened
    found = Peers(engine._snapshot, ids).rank(question, engine._embedder.embed_query(question))
    dense, lexical = naive(engine, ids, question)
    assert found["dense"] == pytest.approx(dense, abs=1e-6)
    assert found["bm25"] == pytest.approx(lexical, abs=1e-6)
    assert found["rrf"] == fused([found["dense"], found["bm25"]])
    assert "empty" not in found["rrf"]


def test_a_document_stands_where_its_best_passage_stands(opened: tuple[KnowledgeEngine, dict[str, str]]) -> None:
    engine, ids = opened
    assert engine.report().chunks == 7  # two of the document "long", none of the empty one
    found = Peers(engine._snapshot, ids).rank("valve", engine._embedder.embed_query("valve"))
    assert ordered(found["bm25"]) == ["long"]
    assert ordered(found["dense"])[0] == "long"


def test_only_queries_with_a_relevant_document_are_asked(row: Row) -> None:
    assert (row.set, row.documents, row.queries) == ("tiny", 7, 4)
    assert row.passages == 7


def test_every_ranking_has_both_measures_between_nought_and_one(row: Row) -> None:
    rules = ("lexical", "phrase", "title", "document_words", "hint", "category")
    views = ("ours", "no rules", "no L0 filter", "filter without retry", "lexical_candidates 100")
    parts = [name for code in rules for name in (f"only {code}", f"without {code}")]
    assert list(row.rows) == ["dense", "bm25", "rrf", *views, *parts]
    for found in row.rows.values():
        assert list(found) == ["nDCG@10", "R@10"]
        assert all(0 <= value <= 1 for value in found.values())


def test_the_figures_by_hand(row: Row) -> None:
    assert row.rows["bm25"] == {"nDCG@10": round((Q1 + 1 + Q4 + Q5) / 4, 4), "R@10": (0.5 + 1 + 1 + 0.5) / 4}
    assert row.rows["dense"]["R@10"] == 1.0  # every document has some cosine


def test_a_filter_that_shuts_out_what_is_relevant_is_counted(row: Row) -> None:
    assert row.filter is not None
    assert row.filter.filtered == 2  # q1 by a title whose category has one of two relevant documents, q5 by a keyword whose category has none
    assert row.filter.excluding == 1
    assert row.filter.excluding_share == 0.25
    assert list(row.filter.outcomes.items()) == [("helped", 0), ("nothing", 0), ("rescued", 1), ("lost", 1)]  # q5 by the retry, q1 its mill


def test_a_set_without_categories_tells_nothing_of_the_filter(tmp_path: Path) -> None:
    documents = [{"_id": "a", "title": "Copper kettle", "text": "It whistles."}, {"_id": "b", "text": "A lamp."}]
    bare = write_set(tmp_path / "bare", documents, {"q": "kettle"}, [("q", "a", 1)])
    found = measure(bare, HASH, None, str(tmp_path / "index"))
    assert found.filter is None
    assert found.rows["ours"] == {"nDCG@10": 1.0, "R@10": 1.0}


def test_the_halves_take_every_other_query(folder: Path, tmp_path: Path) -> None:
    first, second = (measure(folder, HASH, half, str(tmp_path)) for half in (1, 2))
    assert (first.queries, second.queries) == (2, 2)
    assert first.rows["bm25"]["nDCG@10"] == round((Q1 + Q4) / 2, 4)
    assert second.rows["bm25"]["nDCG@10"] == round((1 + Q5) / 2, 4)


def test_json_is_a_list_of_sets(folder: Path, row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    printed: list[dict[str, Any]] = json.loads(run_main(monkeypatch, capsys, tmp_path, str(folder), "--json"))
    assert [list(one) for one in printed] == [["set", "documents", "passages", "queries", "rows", "filter"]]
    assert (printed[0]["set"], printed[0]["documents"], printed[0]["queries"]) == ("tiny", 7, 4)
    assert printed[0]["rows"] == row.rows
    assert list(printed[0]["filter"]) == ["filtered", "outcomes", "excluding", "excluding_share"]


def test_the_text_names_every_set_and_the_means(
    folder: Path, row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run_main(monkeypatch, capsys, tmp_path, str(folder), str(folder))
    assert printed.count(f"tiny: 7 documents, {row.passages} passages, 4 queries\n") == 2
    assert printed.count("L0 filter: 2 of 4 queries; ") == 2
    assert "1 filters (25.0% of all queries) shut every relevant document out" in printed
    means = printed.split("mean of 2 sets\n")[1].splitlines()
    assert means[0].split() == ["nDCG@10", "to", "rrf"]
    by_name = {line.rsplit(maxsplit=2)[0]: line.split()[-2:] for line in means[1:]}
    assert by_name["rrf"] == [f"{row.rows['rrf']['nDCG@10']:.4f}", "+0.0000"]
    assert by_name["ours"][0] == f"{row.rows['ours']['nDCG@10']:.4f}"


def test_a_setting_reaches_the_engine(folder: Path, row: Row, tmp_path: Path) -> None:
    whole = measure(folder, [*HASH, "rule_weights.phrase=0", "use_l0_filter=false"], None, str(tmp_path))
    assert "only phrase" in row.rows
    assert "only phrase" not in whole.rows
    assert whole.filter is not None
    assert whole.filter.filtered == 0
    assert whole.rows["no rules"] == whole.rows["dense"] != row.rows["no rules"]  # without rule and filter there is similarity only


def test_a_rule_is_left_out_or_left_alone_by_its_points(folder: Path, tmp_path: Path) -> None:
    weights = {"lexical": 0, "phrase": 0, "title": 0, "document_words": 0, "hint": 5, "category": 0}
    chosen = [f"rule_weights.{code}={weight}" for code, weight in weights.items()]
    rows = measure(folder, [*HASH, *chosen, "use_l0_filter=false"], None, str(tmp_path)).rows
    assert rows["only hint"] == rows["ours"]
    assert rows["without hint"] == rows["no rules"] == rows["dense"]
    assert rows["ours"]["nDCG@10"] < rows["dense"]["nDCG@10"]  # the keyword of q5 belongs to another document


def test_candidates_by_words_find_what_few_nearest_miss(folder: Path, tmp_path: Path) -> None:
    rows = measure(folder, [*HASH, "candidate_count=1", "use_l0_filter=false"], None, str(tmp_path)).rows
    assert rows["ours"]["R@10"] == (0.5 + 0.5 + 0.5 + 0.5) / 4
    assert rows["lexical_candidates 100"]["R@10"] == (0.5 + 1 + 1 + 0.5) / 4
