"""Stage 5: blocks into one text within a budget of tokens; content is cut, headers never."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.characters import border_after, border_before
from engine.contracts.codes import OmitReason
from engine.lookup.blocks import Block
from engine.lookup.pack_format import PackedBlock, write_content, write_header
from engine.tokenizer import Tokenizer
from engine.trace import Recorder

LEAST_CONTENT_TOKENS = 32  # less of a passage than this tells an agent nothing
_SEPARATOR = "\n\n"
_BORDER_WORTH = 0.75  # a cut moves back to the end of a paragraph, or of a word, when that keeps at least this share


@dataclass(frozen=True, slots=True)
class Included:
    """A block that is in the pack."""

    block: Block
    packed: PackedBlock
    tokens: int


@dataclass(frozen=True, slots=True)
class Omitted:
    """A block that is not in the pack."""

    block: Block
    tokens: int
    reason: OmitReason


@dataclass(frozen=True, slots=True)
class Pack:
    """The packed context and what became of each block."""

    text: str
    tokens: int
    included: tuple[Included, ...]
    omitted: tuple[Omitted, ...]


def pack(blocks: Sequence[Block], budget: int, tokenizer: Tokenizer, recorder: Recorder) -> Pack:
    """Pack blocks in order until the budget is used; one that does not fit is cut or left out, and the next one tried."""
    with recorder.span("pack") as attributes:
        text = ""
        included: list[Included] = []
        omitted: list[Omitted] = []
        for block in blocks:
            before = text + _SEPARATOR if text else ""
            whole = to_pack(block)
            number = len(included) + 1
            fitting = _fit(before, number, whole, block.best_span, budget, tokenizer)
            if fitting is None:
                header_tokens = tokenizer.count(write_header(number, replace(whole, truncated=True)))
                reason = OmitReason.HEADER_EXCEEDS_BUDGET if header_tokens >= budget else OmitReason.NO_ROOM
                omitted.append(Omitted(block, tokenizer.count(_written(number, whole)), reason))
            else:
                written = _written(number, fitting)
                text = before + written
                included.append(Included(block, fitting, tokenizer.count(written)))
        tokens = tokenizer.count(text)
        attributes |= {"tokens": tokens, "included": len(included), "omitted": len(omitted)}
        return Pack(text, tokens, tuple(included), tuple(omitted))


def to_pack(block: Block) -> PackedBlock:
    """A block as it would stand in a pack without a limit."""
    record = block.best.candidate.record
    reasons = tuple(reason.text for reason in block.reasons)
    return PackedBlock(record.source, record.title, record.breadcrumb, reasons, block.lines, block.lines, False, block.content)


def _written(number: int, block: PackedBlock) -> str:
    return write_header(number, block) + "\n" + write_content(block.content)


def _fit(before: str, number: int, whole: PackedBlock, best: tuple[int, int], budget: int, tokenizer: Tokenizer) -> PackedBlock | None:
    """The block whole, or cut to the longest part that fits; None when less than 32 tokens of it would be left."""
    if tokenizer.count(before + _written(number, whole)) <= budget:
        return whole
    room = budget - tokenizer.count(before + write_header(number, replace(whole, truncated=True)))
    if room < LEAST_CONTENT_TOKENS:
        return None
    content = whole.content
    places = [*tokenizer.map(content).starts.tolist(), len(content)]

    def fits(start: int, end: int) -> bool:
        return tokenizer.count(before + _written(number, _part(whole, start, end))) <= budget

    def furthest(start: int) -> int:
        first = bisect.bisect_left(places, start)
        at = bisect.bisect_left(places, True, first, min(first + room + 1, len(places)), key=lambda place: not fits(start, place))
        return places[at - 1] if at > first else start

    start, end = 0, furthest(0)
    if end < best[1] and best[0] > 0:  # the best chunk would be cut: begin with it
        start, end = best[0], furthest(best[0])
    if end == len(content):  # and before it, where there is room left
        earliest = places[bisect.bisect_left(places, True, max(0, len(places) - 1 - room), len(places) - 1, key=lambda place: fits(place, end))]
        parts = [_part(whole, at, end) for at in _starts(content, earliest, best[0])]
    else:
        parts = [_part(whole, start, at) for at in _ends(content, start, end)]
    return next((part for part in parts if tokenizer.count(part.content) >= LEAST_CONTENT_TOKENS), None)


def _part(whole: PackedBlock, start: int, end: int) -> PackedBlock:
    """Some characters of a block, with their lines in the file; a repeated table head counts as the first line."""
    repeated = whole.content.count("\n") - (whole.whole_lines[1] - whole.whole_lines[0])

    def line(at: int) -> int:
        return whole.whole_lines[0] + max(0, whole.content.count("\n", 0, at) - repeated)

    return replace(whole, content=whole.content[start:end], lines=(line(start), line(max(start, end - 1))), truncated=True)


def _ends(content: str, start: int, end: int) -> Iterator[int]:
    """Where to cut at or before `end`, best first: after a paragraph, a line, a word, right there."""
    line = start + len(content[start : max(start, content.rfind("\n", start, end))].rstrip("\n"))
    paragraph = content.rfind("\n\n", start, line + 2)
    if paragraph - start >= _BORDER_WORTH * (line - start):
        yield paragraph
    yield line
    word = content.rfind(" ", start, end)
    if word - start >= _BORDER_WORTH * (end - start):
        yield word
    yield border_before(content, end, start)


def _starts(content: str, earliest: int, latest: int) -> Iterator[int]:
    """Where to begin at or after `earliest`, best first: with a line, a word, right there."""
    for border in ("\n", " "):
        before = content.find(border, max(0, earliest - 1), latest)
        if before >= 0:
            yield before + 1
    yield border_after(content, earliest, latest)
