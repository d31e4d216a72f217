"""Candidates become blocks: floor, duplicates, neighbours, caps."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contracts.codes import AttemptName, DropCode
from engine.lookup.attempt import Attempt
from engine.lookup.blocks import Block
from tests.documents import SITUATIONS
from tests.knowledge_base import Bench, document, open_bench

FLOOR = {"evidence_floor": 0.1}


def ids(block: Block) -> list[str]:
    return [member.candidate.record.id.rpartition("~")[2] for member in block.members]


def dropped(attempt: Attempt, code: DropCode) -> list[str]:
    return [one.ranked.candidate.record.id for one in attempt.dropped if one.code is code]


def lines_of(files: dict[str, str], block: Block) -> str:
    """What stands in the file on the lines of a block."""
    first, last = block.lines
    return "\n".join(files[block.best.candidate.record.source].split("\n")[first - 1 : last])


def paragraph(*words: str) -> str:
    """A paragraph of about 25 tokens that begins with some words; two of them make a piece of 64 tokens with the breadcrumb."""
    filler = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    return " ".join([*words, *filler.split()[: 24 - len(words)]]) + "."


def open_pieces(folder: Path, *paragraphs: str) -> tuple[Bench, dict[str, str]]:
    """A section in as many pieces as paragraphs."""
    files = {"doc.md": "# Long page\n\n## Part\n\n" + "\n\n".join(paragraphs) + "\n", "other.md": "# Other page\n\nNothing to see.\n"}
    return open_bench(folder, files, chunk_tokens=36, **FLOOR), files


def test_the_best_score_comes_first_and_every_candidate_is_in_a_block_or_dropped(bench: Bench) -> None:
    for name in ("filtered_is_enough", "filtered_finds_little", "tight_budget"):
        attempt = bench.attempt(SITUATIONS[name].query)
        scores = [block.best.score for block in attempt.blocks]
        assert scores == sorted(scores, reverse=True)
        kept = [member.candidate.record.id for block in attempt.blocks for member in block.members]
        out = [one.ranked.candidate.record.id for one in attempt.dropped]
        assert sorted(kept + out) == sorted(one.record.id for one in attempt.candidates)


def test_exact_duplicates_are_dropped_with_the_one_that_is_kept(tmp_path: Path) -> None:
    text = "Turn the blue lamp off and on.\n"
    files = {"a.md": f"# Lamp\n\n{text}", "b.md": f"# Blue lamp\n\n{text}", "c.md": f"# Lamp\n\n{text[:-1]} Twice.\n"}
    attempt = open_bench(tmp_path, files).attempt("blue lamp off")
    assert [block.best.candidate.record.source for block in attempt.blocks] == ["b.md", "c.md"]
    assert [(one.ranked.candidate.record.id, one.code, one.kept_instead) for one in attempt.dropped] == [
        ("a.md#lamp~1", DropCode.DUPLICATE_OF, "b.md#blue-lamp~1")
    ]


def test_neighbours_of_one_section_are_merged_into_the_text_of_the_file(tmp_path: Path) -> None:
    kb, files = open_pieces(tmp_path, paragraph("lamp", "blue"), paragraph("lamp"), paragraph("nothing"))
    (block,) = kb.attempt("blue lamp").blocks
    assert ids(block) == ["1", "2"]
    assert (block.best.candidate.record.piece, block.lines) == (1, (5, 7))
    assert block.content == lines_of(files, block)
    assert block.content[slice(*block.best_span)] == files["doc.md"].split("\n")[4]


def test_a_chunk_between_two_blocks_joins_them(tmp_path: Path) -> None:
    kb, files = open_pieces(tmp_path, paragraph("blue", "lamp", "broken"), paragraph("lamp"), paragraph("blue", "lamp"), paragraph())
    attempt = kb.attempt("blue lamp broken")
    assert [one.candidate.record.piece for one in attempt.ranked if one.candidate.similarity > 0.1] == [1, 3, 2]
    (block,) = attempt.blocks
    assert (ids(block), block.best.candidate.record.piece) == (["1", "2", "3"], 1)
    assert block.content == lines_of(files, block)


def test_the_place_of_the_best_chunk_in_a_merged_block_is_known(tmp_path: Path) -> None:
    kb, files = open_pieces(tmp_path, paragraph("lamp", "first"), paragraph("lamp", "blue", "broken"), paragraph("lamp", "last"))
    (block,) = kb.attempt("blue lamp broken").blocks
    assert (ids(block), block.best.candidate.record.piece) == (["1", "2", "3"], 2)
    assert block.content[slice(*block.best_span)] == files["doc.md"].split("\n")[6]


def test_chunks_of_different_sections_and_chunks_apart_are_not_merged(tmp_path: Path) -> None:
    kb, _ = open_pieces(tmp_path, paragraph("blue", "lamp"), paragraph(), paragraph("lamp", "blue"), "## Next\n\n" + paragraph("a", "blue", "lamp"))
    blocks = kb.attempt("blue lamp").blocks
    assert sorted(block.best.candidate.record.id for block in blocks) == [
        "doc.md#long-page/next~1",
        "doc.md#long-page/part~1",
        "doc.md#long-page/part~3",
    ]


def test_a_sentence_that_was_cut_is_whole_again_in_a_merged_block(tmp_path: Path) -> None:
    files = {"doc.md": "# Page\n\n" + " ".join(f"The lamp number {i} is blue." for i in range(30)) + "\n"}
    kb = open_bench(tmp_path, files, chunk_tokens=40, **FLOOR)
    (block,) = kb.attempt("blue lamp").blocks
    assert len(block.members) == 6
    assert block.lines == (3, 3)
    assert block.content == lines_of(files, block)


def test_the_repeated_head_of_a_table_stands_once_in_a_merged_block(tmp_path: Path) -> None:
    rows = "".join(f"| lamp {i} | blue |\n" for i in range(20))
    files = {"doc.md": f"# Page\n\n| Lamp | Colour |\n|---|---|\n{rows}"}
    kb = open_bench(tmp_path, files, chunk_tokens=64, **FLOOR)
    (block,) = kb.attempt("blue lamp").blocks
    assert len(block.members) > 2
    assert block.content == lines_of(files, block)


def test_a_single_piece_of_a_table_keeps_the_head_above_it(tmp_path: Path) -> None:
    rows = "".join(f"| valve {i} | red |\n" for i in range(20)) + "| lamp | blue |\n"
    files = {"doc.md": f"# Page\n\n| Thing | Colour |\n|---|---|\n{rows}"}
    kb = open_bench(tmp_path, files, chunk_tokens=64)
    (block,) = kb.attempt("blue lamp", evidence_floor=0.2).blocks
    assert block.content.split("\n")[:2] == ["| Thing | Colour |", "|---|---|"]
    assert block.content.endswith("| lamp | blue |")
    assert block.lines[1] == 25


def test_a_document_gives_at_most_its_share_of_blocks(tmp_path: Path) -> None:
    sections = "\n\n".join(f"## Part {i}\n\nThe blue lamp {i}." for i in range(5))
    kb = open_bench(tmp_path, {"long.md": f"# Page\n\n{sections}\n", "short.md": "# Small\n\nA lamp.\n"}, max_blocks_per_document=2)
    attempt = kb.attempt("blue lamp")
    assert sorted(block.best.candidate.record.source for block in attempt.blocks) == ["long.md", "long.md", "short.md"]
    assert len(dropped(attempt, DropCode.MAX_BLOCKS_PER_DOCUMENT)) == 3


def test_a_merged_block_counts_once_for_its_document(tmp_path: Path) -> None:
    kb, _ = open_pieces(tmp_path, paragraph("blue", "lamp"), paragraph("lamp", "on"), paragraph(), "## Next\n\n" + paragraph("lamp"))
    blocks = kb.attempt("blue lamp", max_blocks_per_document=2).blocks
    assert [ids(block) for block in blocks] == [["1", "2"], ["1"]]


def test_there_are_at_most_so_many_blocks(bench: Bench) -> None:
    attempt = bench.attempt("scans offsets timeline root volume", max_blocks=2, evidence_floor=0.05)
    assert len(attempt.blocks) == 2
    assert dropped(attempt, DropCode.MAX_BLOCKS)


def test_a_candidate_below_the_floor_is_no_evidence_however_high_its_score(bench: Bench) -> None:
    attempt = bench.attempt("signed permission", **{"rule_weights.hint": 5})
    assert attempt.ranked[0].score == 5_050_000
    assert attempt.blocks == ()
    assert len(dropped(attempt, DropCode.BELOW_FLOOR)) == len(attempt.candidates)


def test_a_similarity_equal_to_the_floor_is_evidence(bench: Bench) -> None:
    top = bench.attempt("replay from a time stamp").top_similarity
    assert top == 0.560112
    at = {"evidence_floor": top, "reference_threshold": top, "medium_threshold": top, "high_threshold": top}
    assert len(bench.attempt("replay from a time stamp", **at).blocks) == 1
    above = {name: value + 0.000001 for name, value in at.items()}
    assert bench.attempt("replay from a time stamp", **above).blocks == ()


def test_every_error_code_of_the_question_waives_the_floor(bench: Bench) -> None:
    query = SITUATIONS["exact_code"].query
    (block,) = bench.attempt(query).blocks
    assert block.best.candidate.record.id == "runbooks/edge-errors.md#edge-errors/codes~1"
    assert (block.similarity, block.waived) == (0.1875, True)
    assert [reason.text for reason in block.reasons if reason.code == "exact_terms"] == [
        "has every error code of the question; by its similarity alone it would be no evidence (floor 0.2)"
    ]
    assert bench.attempt(query, exact_terms_waive_floor=False).blocks == ()


def test_one_of_two_error_codes_waives_nothing(bench: Bench) -> None:
    query = SITUATIONS["exact_code"].query
    assert not any(block.waived for block in bench.attempt(f"{query} or LDG-1042").blocks)
    (block,) = bench.attempt(query.replace("NET-4711", "LDG-1042 and NET-4712"), evidence_floor=0.35).blocks
    assert (block.best.candidate.record.id, block.waived) == ("runbooks/edge-errors.md#edge-errors/further-codes~1", True)


def test_a_code_above_the_floor_is_not_waived(bench: Bench) -> None:
    block = bench.attempt("NET-4711 certificate").blocks[0]
    assert block.similarity > 0.2
    assert not block.waived


def test_text_that_the_embedder_cannot_read_is_searched_and_is_no_evidence(model_tokens: Bench) -> None:
    attempt = model_tokens.attempt("扫码失败怎么办")
    best = attempt.candidates[0]
    assert best.record.source == "depots/handheld-scanner-zh.md"
    assert best.similarity > 0.3
    assert best.record.readable < 0.5
    assert attempt.blocks == ()
    assert {one.code for one in attempt.dropped} == {DropCode.UNREADABLE_BY_EMBEDDER}


def test_a_readable_question_finds_no_unreadable_passage(model_tokens: Bench) -> None:
    attempt = model_tokens.attempt("root volume 扫码")
    codes = {one.ranked.candidate.record.source: one.code for one in attempt.dropped}
    assert codes["depots/handheld-scanner-zh.md"] is DropCode.UNREADABLE_BY_EMBEDDER
    assert {block.best.candidate.record.source for block in attempt.blocks} == {"runbooks/disk-filling.md"}


def test_unreadable_text_is_evidence_when_the_settings_ask_for_it(model_tokens: Bench) -> None:
    attempt = model_tokens.attempt("扫码失败怎么办", minimum_readable=0.0)
    assert [block.best.candidate.record.source for block in attempt.blocks] == ["depots/handheld-scanner-zh.md"]


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        (AttemptName.FILTERED, "filter", "inside the category runbooks, which L0 chose"),
        (AttemptName.UNFILTERED, "fallback", "from the retry without the L0 filter; filed under runbooks"),
    ],
)
def test_a_block_says_how_it_passed_the_l0_filter(bench: Bench, name: AttemptName, code: str, text: str) -> None:
    block = bench.attempt("free the root volume", name).blocks[0]
    assert (block.reasons[-1].code, block.reasons[-1].text, block.reasons[-1].points) == (code, text, 0)


def test_a_block_of_a_search_without_any_filter_says_nothing_of_it(bench: Bench) -> None:
    reasons = bench.attempt("replay from a time stamp").blocks[0].reasons
    assert {reason.code for reason in reasons} & {"filter", "fallback"} == set()


def test_a_document_of_no_category_says_so_in_the_retry(tmp_path: Path) -> None:
    files = {"a/one.md": document("# One thing\n\nText.\n", keywords=["blue lamp"]), "b/two.md": "# Two\n", "loose.md": "# Loose\n\nThe blue lamp.\n"}
    block = open_bench(tmp_path, files).attempt("blue lamp").blocks[0]
    assert block.reasons[-1].text == "from the retry without the L0 filter; filed under no category"
