"""Stage 5: blocks into one text within a budget of tokens; content is cut, headers never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.contracts.lookup import OmitReason
from engine.lookup.blocks import Block
from engine.lookup.pack_format import PackedBlock, write_content, write_header
from engine.text import Tokenizer
from engine.trace import Recorder

LEAST_CONTENT_TOKENS = 32  # less of a passage than this tells an agent nothing
_SEPARATOR = "\n\n"
_PARAGRAPH_WORTH = 0.75  # a cut moves back to a paragraph's end when that keeps at least this share of the lines


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
            fitting = _fit(before, number, whole, _anchor(block), budget, tokenizer)
            alone = _written(number, whole)
            if fitting is None:
                header_tokens = tokenizer.count(write_header(number, replace(whole, truncated=True)))
                reason = OmitReason.HEADER_EXCEEDS_BUDGET if header_tokens >= budget else OmitReason.NO_ROOM
                omitted.append(Omitted(block, tokenizer.count(alone), reason))
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
    reasons = tuple(part.reason for part in block.best.parts)
    return PackedBlock(record.source, record.title, record.breadcrumb, reasons, block.lines, block.lines, False, block.content)


def _written(number: int, block: PackedBlock) -> str:
    return write_header(number, block) + "\n" + write_content(block.content)


def _anchor(block: Block) -> tuple[int, int]:
    """The lines of the content, from 0, that hold the best chunk; a cut must not lose its beginning."""
    record = block.best.candidate.record
    first = record.start_line - block.lines[0] + (block.carried_lines if record.start_line > block.lines[0] else 0)
    return first, record.end_line - block.lines[0] + block.carried_lines


def _fit(before: str, number: int, whole: PackedBlock, anchor: tuple[int, int], budget: int, tokenizer: Tokenizer) -> PackedBlock | None:
    """The block whole, or cut to the longest part that fits; None when less than 32 tokens of it would be left."""
    if tokenizer.count(before + _written(number, whole)) <= budget:
        return whole
    lines = whole.content.split("\n")
    carried = len(lines) - (whole.lines[1] - whole.lines[0] + 1)

    def cut(first: int, end: int) -> PackedBlock:
        shown = (whole.lines[0] + max(0, first - carried), whole.lines[0] + max(0, end - 1 - carried))
        return replace(whole, content="\n".join(lines[first:end]), lines=shown, truncated=True)

    def fits(block: PackedBlock) -> bool:
        return tokenizer.count(before + _written(number, block)) <= budget

    first, end = 0, _most(lambda n: fits(cut(0, n)), len(lines))
    if anchor[0] > 0 and end <= anchor[1]:
        first = anchor[0]
        end = first + _most(lambda n: fits(cut(first, first + n)), len(lines) - first)
    end = _paragraph_end(lines, first, end)
    if end > first and tokenizer.count("\n".join(lines[first:end])) >= LEAST_CONTENT_TOKENS:
        return cut(first, end)
    return _cut_in_a_line(cut(first, max(end, first) + 1), fits, tokenizer)


def _most(fits: object, high: int) -> int:
    """The largest n up to `high` for which `fits(n)` holds, 0 if there is none; longer is never smaller."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):  # type: ignore[operator]
            low = middle
        else:
            high = middle - 1
    return low


def _paragraph_end(lines: list[str], first: int, end: int) -> int:
    """Back to the end of a paragraph, where that costs little."""
    borders = [i for i in range(first + 1, end + 1) if not lines[i - 1].strip() or i == len(lines)]
    back = borders[-1] if borders else end
    end = back if (back - first) >= _PARAGRAPH_WORTH * (end - first) else end
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end


def _cut_in_a_line(block: PackedBlock, fits: object, tokenizer: Tokenizer) -> PackedBlock | None:
    """A line that is too long for the room, cut after a word."""
    words = block.content.split(" ")
    kept = _most(lambda n: fits(replace(block, content=" ".join(words[:n]))), len(words) - 1)  # type: ignore[operator]
    content = " ".join(words[:kept])
    return replace(block, content=content) if tokenizer.count(content) >= LEAST_CONTENT_TOKENS else None
