"""Similarity plus weighted signals, every point accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.lookup.rerank import MILLION, Ranked
from engine.lookup.rules import RULES
from tests.documents import SITUATIONS
from tests.knowledge_base import Bench, document, open_bench

EVERYTHING = "NET-4711: certificate of the gateway listener expired, edge errors"  # a question with every signal


def by_id(ranked: tuple[Ranked, ...]) -> dict[str, Ranked]:
    return {one.candidate.record.id: one for one in ranked}


@pytest.fixture(scope="module")
def everything(bench: Bench) -> dict[str, Ranked]:
    return by_id(bench.attempt(EVERYTHING).ranked)


def test_every_rule_has_a_weight_and_a_signal_for_the_right_passage(everything: dict[str, Ranked]) -> None:
    first = everything["runbooks/edge-errors.md#edge-errors/codes~1"]
    assert first.final_rank == 1
    assert [part.code for part in first.parts] == ["similarity", *(rule.code for rule in RULES)]
    assert all(0 < part.raw <= 1 for part in first.parts)
    assert {part.code for part in first.parts if part.raw == 1} == {"hint", "category"}


@pytest.mark.parametrize("name", ["filtered_is_enough", "filtered_finds_little", "alias", "exact_code", "tight_budget", "chinese"])
def test_parts_add_up_exactly_for_every_candidate(bench: Bench, name: str) -> None:
    for one in bench.attempt(SITUATIONS[name].query).ranked:
        assert one.score == sum(part.points for part in one.parts)
        assert [part.points for part in one.parts] == [round(part.raw * part.weight * MILLION) for part in one.parts]
        assert one.parts[0].raw == one.candidate.similarity
        assert all(0 <= part.raw <= 1 and round(part.raw, 6) == part.raw for part in one.parts)


@pytest.mark.parametrize("code", [rule.code for rule in RULES if rule.code != "hint"])
def test_a_zero_weight_removes_a_part_and_changes_no_other(bench: Bench, everything: dict[str, Ranked], code: str) -> None:
    after = by_id(bench.attempt(EVERYTHING, **{f"rule_weights.{code}": 0}).ranked)
    for chunk_id, one in everything.items():
        assert after[chunk_id].parts == tuple(part for part in one.parts if part.code != code)


def test_a_hint_of_no_weight_gives_no_points_and_stays_a_reason(bench: Bench, everything: dict[str, Ranked]) -> None:
    after = by_id(bench.attempt(EVERYTHING, **{"rule_weights.hint": 0}).ranked)
    hinted = [chunk_id for chunk_id, one in everything.items() if any(part.code == "hint" for part in one.parts)]
    assert hinted
    for chunk_id in hinted:
        [part] = [part for part in after[chunk_id].parts if part.code == "hint"]
        assert (part.points, part.reason.startswith("L0 hint: ")) == (0, True)


def test_without_rules_the_score_is_the_similarity(bench: Bench) -> None:
    ranked = bench.attempt(EVERYTHING, **{f"rule_weights.{rule.code}": 0 for rule in RULES}).ranked
    assert [one.score for one in ranked] == [round(one.candidate.similarity * MILLION) for one in ranked]
    assert [one.final_rank for one in ranked] == [one.candidate.base_rank for one in ranked]


def test_a_heavier_hint_lifts_its_document_and_changes_no_similarity(bench: Bench) -> None:
    query = "rewind offsets and the root volume"
    light, heavy = (by_id(bench.attempt(query, **{"rule_weights.hint": weight}).ranked) for weight in (0, 5))
    similarities = [{chunk_id: one.candidate.similarity for chunk_id, one in ranked.items()} for ranked in (light, heavy)]
    hinted = "runbooks/disk-filling.md#disk-filling/escalation~1"
    assert light[hinted].final_rank > 1
    assert heavy[hinted].final_rank <= 3
    assert similarities[0] == similarities[1]


def test_ranks_are_numbered_by_score_and_ties_go_by_chunk_id(tmp_path: Path) -> None:
    files = {f"{name}.md": "# Same page\n\nThe blue lamp.\n" for name in ("delta", "alpha", "charlie", "bravo")}
    files["echo.md"] = "# Same page\n\nThe blue lamp, blue lamp.\n"
    ranked = open_bench(tmp_path, files).attempt("blue lamp").ranked
    assert [one.final_rank for one in ranked] == [1, 2, 3, 4, 5]
    assert [one.candidate.record.source for one in ranked if one.score == ranked[-1].score] == ["alpha.md", "bravo.md", "charlie.md", "delta.md"]
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


def test_ties_at_the_end_of_the_candidates_go_by_chunk_id(tmp_path: Path) -> None:
    files = {f"n{i:03}.md": "# Same page\n\nThe blue lamp.\n" for i in range(60)}
    kb = open_bench(tmp_path, files)
    assert [one.record.source for one in kb.attempt("blue lamp", candidate_count=3).candidates] == ["n000.md", "n001.md", "n002.md"]


def test_a_similarity_does_not_depend_on_what_else_is_found(bench: Bench, everything: dict[str, Ranked]) -> None:
    full = {chunk_id: one.candidate.similarity for chunk_id, one in everything.items()}
    few = {one.record.id: one.similarity for one in bench.attempt(EVERYTHING, candidate_count=2).candidates}
    assert len(few) == 2
    assert few.items() <= full.items()


def test_the_order_of_words_counts_for_the_phrase_rule_only(tmp_path: Path) -> None:
    files = {"a.md": "# Page\n\nred lamp blue door\n", "b.md": "# Page\n\nblue lamp red door\n"}
    first, second = open_bench(tmp_path, files).attempt("red lamp").ranked
    assert (first.candidate.record.source, first.candidate.similarity) == ("a.md", second.candidate.similarity)
    assert {part.code for part in first.parts} - {part.code for part in second.parts} == {"phrase"}
    assert next(part.reason for part in first.parts if part.code == "phrase") == "has in this order: red lamp"


def test_reasons_name_the_words_as_the_question_writes_them(bench: Bench) -> None:
    reasons = {part.code: part.reason for part in bench.attempt("Renewing CERTIFICATES, NET-4711").ranked[0].parts}
    assert reasons["lexical"] == "has the words Renewing, CERTIFICATES, NET-4711"
    assert reasons["document_words"] == "3 of 3 words in its document"
    assert "category" not in reasons  # one passage alone names NET-4711, which says nothing of a category


def test_the_category_rule_counts_by_the_share_of_the_votes(tmp_path: Path) -> None:
    files = {
        "a/x.md": document("# One thing\n\nLamp.\n", keywords=["blue lamp", "green lamp"]),
        "b/y.md": document("# Other thing\n\nLamp.\n", keywords=["green lamp"]),
        "c/z.md": "# Third thing\n\nLamp.\n",
        "d/z.md": "# Fourth thing\n\nLamp.\n",
    }
    ranked = open_bench(tmp_path, files).attempt("blue lamp and green lamp").ranked
    raws = {one.candidate.record.source: part.raw for one in ranked for part in one.parts if part.code == "category"}
    assert raws == {"a/x.md": 0.666667, "b/y.md": 0.333333}
