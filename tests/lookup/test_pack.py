"""Blocks into one text within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.contracts.codes import OmitReason
from engine.lookup.blocks import Block
from engine.lookup.pack import LEAST_CONTENT_TOKENS, Pack, pack, to_pack
from engine.lookup.pack_format import parse, write_content, write_header
from engine.trace import Recorder
from tests.documents import SITUATIONS
from tests.knowledge_base import Bench, open_bench

WORDS = [f"word{i}" for i in range(97)]


def prose(first: int, count: int) -> str:
    """Words that never repeat in the same order within a page."""
    return " ".join(WORDS[(first + i * (1 + first % 7)) % 97] for i in range(count))


def wrapped(first: int, lines: int) -> str:
    return "\n".join(prose(first + line, 10) for line in range(lines))


FILES = {
    "a/wrapped.md": "# Wrapped\n\n## Lines\n\n" + "\n\n".join(wrapped(i * 5, 5) for i in range(8)) + "\n\nThe needle is the last short line.\n",
    "a/one-line.md": "# Line\n\n## Single\n\n"
    + " ".join(prose(i, 11).capitalize() + "." for i in range(60))
    + " The needle zebra is in the midst of it. "
    + " ".join(prose(i, 11).capitalize() + "." for i in range(30))
    + "\n",
    "b/table.md": "# Table\n\n## Rows\n\n| needle | zebra |\n|---|---|\n" + "".join(f"| {prose(i, 5)} | {prose(i + 40, 3)} |\n" for i in range(60)),
    "b/chinese.md": "# 中文\n\n## 一\n\nneedle zebra " + "手持扫描枪故障处理方法如下请先换一个包裹试" * 20 + "\n",
    "c/short.md": "# Short\n\n## Needle\n\nA needle and a zebra.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("pack"), FILES, evidence_floor=0.0)


@pytest.fixture(scope="module")
def blocks(kb: Bench) -> tuple[Block, ...]:
    """A merged block of whole paragraphs, one of a single long line, a table, Chinese without spaces, and a short one."""
    found = kb.attempt("needle zebra").blocks
    assert len(found) == 5
    return found


def block_of(blocks: Sequence[Block], source: str) -> Block:
    return next(block for block in blocks if block.best.candidate.record.source == source)


def pack_at(kb: Bench, blocks: Sequence[Block], budget: int) -> Pack:
    return pack(blocks, budget, kb.embedder.tokenizer, Recorder())


def lines_of(block: Block, first: int, last: int) -> list[str]:
    return FILES[block.best.candidate.record.source].split("\n")[first - 1 : last]


@pytest.mark.parametrize("first", [1, 101, 201, 301])
def test_no_budget_is_ever_exceeded(kb: Bench, blocks: tuple[Block, ...], first: int) -> None:
    tokenizer = kb.embedder.tokenizer
    three = [block_of(blocks, source) for source in ("a/wrapped.md", "b/chinese.md", "c/short.md")]
    for budget in range(first, first + 100):
        packed = pack_at(kb, three, budget)
        assert packed.tokens == tokenizer.count(packed.text) <= budget
        listed = [one.block for one in packed.included] + [one.block for one in packed.omitted]
        assert sorted(block.best.final_rank for block in listed) == sorted(block.best.final_rank for block in three)
        assert parse(packed.text) == tuple(one.packed for one in packed.included)


def test_everything_is_packed_whole_when_there_is_room(kb: Bench, blocks: tuple[Block, ...]) -> None:
    packed = pack_at(kb, blocks, 32000)
    assert [one.packed.content for one in packed.included] == [block.content for block in blocks]
    assert (packed.omitted, {one.packed.truncated for one in packed.included}) == ((), {False})
    assert packed.tokens == sum(one.tokens for one in packed.included)


def test_the_budget_of_the_whole_text_is_enough_and_one_token_less_cuts(kb: Bench, blocks: tuple[Block, ...]) -> None:
    needed = pack_at(kb, blocks[:2], 32000).tokens
    assert [one.packed.truncated for one in pack_at(kb, blocks[:2], needed).included] == [False, False]
    assert [one.packed.truncated for one in pack_at(kb, blocks[:2], needed - 1).included] == [False, True]


@pytest.mark.parametrize("source", sorted(FILES))
def test_a_block_is_cut_as_soon_as_its_header_and_32_tokens_fit(kb: Bench, blocks: tuple[Block, ...], source: str) -> None:
    block = block_of(blocks, source)
    tokenizer = kb.embedder.tokenizer
    whole = to_pack(block)
    header = tokenizer.count(write_header(1, whole))
    cut_header = header + tokenizer.count(" of 100-200")
    total = header + tokenizer.count("\n" + write_content(whole.content))
    for budget in (1, header, *range(header + 1, header + 80), *range(header + 80, total - 3, 97), *range(total - 3, total + 3)):
        packed = pack_at(kb, [block], budget)
        if budget >= total:
            assert [one.packed for one in packed.included] == [whole]
        elif budget < header + LEAST_CONTENT_TOKENS or tokenizer.count(whole.content) < LEAST_CONTENT_TOKENS:
            assert packed.included == ()
            assert packed.omitted[0].tokens == total
            assert packed.omitted[0].reason is (OmitReason.HEADER_EXCEEDS_BUDGET if budget <= cut_header else OmitReason.NO_ROOM)
        elif budget >= cut_header + LEAST_CONTENT_TOKENS + 14:  # a mark for each line, and the words up to a border
            assert packed.included[0].packed.truncated
            assert tokenizer.count(packed.included[0].packed.content) >= LEAST_CONTENT_TOKENS


@pytest.mark.parametrize("source", ["a/wrapped.md", "b/table.md"])
def test_a_cut_keeps_whole_lines_and_names_them(kb: Bench, blocks: tuple[Block, ...], source: str) -> None:
    block = block_of(blocks, source)
    header = kb.embedder.tokenizer.count(write_header(1, to_pack(block)))
    for budget in range(header + 60, header + 400, 23):
        (one,) = pack_at(kb, [block], budget).included
        first, last = one.packed.lines
        assert one.packed.content.split("\n") == lines_of(block, first, last)
        assert block.lines[0] <= first <= last <= block.lines[1]
        assert one.packed.whole_lines == block.lines


def test_a_cut_prefers_the_end_of_a_paragraph(kb: Bench, blocks: tuple[Block, ...]) -> None:
    block = block_of(blocks, "a/wrapped.md")
    header = kb.embedder.tokenizer.count(write_header(1, to_pack(block)))
    (one,) = pack_at(kb, [block], header + 9 + 5 * 11 * 3 + 2 * 1 + 11).included  # three paragraphs and a line
    last = one.packed.lines[1]
    assert FILES["a/wrapped.md"].split("\n")[last] == ""


def test_a_line_that_is_too_long_is_cut_after_a_word(kb: Bench, blocks: tuple[Block, ...]) -> None:
    block = block_of(blocks, "a/one-line.md")
    (one,) = pack_at(kb, [block], 200).included
    at = block.content.index(one.packed.content)
    assert block.content[at + len(one.packed.content)] == " "
    assert (one.packed.lines, one.packed.truncated) == ((5, 5), True)


def test_text_without_spaces_is_cut_between_characters(kb: Bench, blocks: tuple[Block, ...]) -> None:
    block = block_of(blocks, "b/chinese.md")
    (one,) = pack_at(kb, [block], 200).included
    assert one.packed.content.endswith(tuple("手持扫描枪故障处理方法如下请先换一个包裹试"))
    assert 32 <= kb.embedder.tokenizer.count(one.packed.content) < 200


@pytest.mark.parametrize("source", sorted(FILES))
def test_the_beginning_of_the_best_chunk_survives_every_cut(kb: Bench, blocks: tuple[Block, ...], source: str) -> None:
    block = block_of(blocks, source)
    start, end = block.best_span
    for budget in range(50, 700, 31):
        for one in pack_at(kb, [block], budget).included:
            at = block.content.index(one.packed.content)
            assert at <= start
            assert at + len(one.packed.content) >= min(end, start + 40)


def test_a_short_best_chunk_at_the_end_brings_the_text_before_it(tmp_path: Path) -> None:
    body = "\n\n".join(wrapped(i * 5, 3) for i in range(6))
    files = {"doc.md": f"# Page\n\n## Part\n\n{body}\n\nThe blue lamp.\n"}
    kb = open_bench(tmp_path, files, chunk_tokens=36, evidence_floor=0.0)
    (block,) = kb.attempt("blue lamp").blocks
    start, end = block.best_span
    assert (block.content[start:end], end) == ("The blue lamp.", len(block.content))
    (one,) = pack_at(kb, [block], 150).included
    assert one.packed.content.endswith("The blue lamp.")
    assert len(one.packed.content.split("\n")) > 2
    assert one.packed.content.split("\n") == files["doc.md"].split("\n")[one.packed.lines[0] - 1 : one.packed.lines[1]]


def test_the_next_smaller_block_still_fits_after_one_was_left_out(kb: Bench, blocks: tuple[Block, ...]) -> None:
    long, short = block_of(blocks, "b/table.md"), block_of(blocks, "c/short.md")
    room = kb.embedder.tokenizer.count(write_header(1, to_pack(short)) + "\n" + write_content(short.content))
    packed = pack_at(kb, [long, short], room)
    assert [(one.block, one.tokens) for one in packed.included] == [(short, room)]
    assert [(one.block, one.reason) for one in packed.omitted] == [(long, OmitReason.NO_ROOM)]
    assert packed.text.startswith('[1] source: "c/short.md" lines: 5-5\n')


def test_headers_are_numbered_in_the_order_of_the_pack_and_separated_by_a_blank_line(kb: Bench, blocks: tuple[Block, ...]) -> None:
    text = pack_at(kb, blocks, 32000).text
    assert [f"[{number}] source" in text for number in (1, 5, 6)] == [True, True, False]
    assert text.count("\n\n[") == 4


def test_nothing_to_pack_is_an_empty_text(kb: Bench) -> None:
    packed = pack_at(kb, [], 100)
    assert (packed.text, packed.tokens, packed.included, packed.omitted, parse(packed.text)) == ("", 0, (), (), ())


def test_the_model_tokenizer_keeps_the_budget_too(model_tokens: Bench) -> None:
    query = SITUATIONS["tight_budget"].query
    found = model_tokens.attempt(query, evidence_floor=0.0, minimum_readable=0.0, max_blocks=20).blocks
    for budget in range(40, 400, 17):
        packed = pack(found, budget, model_tokens.embedder.tokenizer, Recorder())
        assert packed.tokens <= budget
        assert parse(packed.text) == tuple(one.packed for one in packed.included)
