"""A block of Markdown cut at its own borders: items, rows, code lines, sentences, words."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from itertools import pairwise

from engine.characters import border_before, inside_a_character
from engine.knowledge.measured_text import MeasuredText, Stretch
from engine.knowledge.outline import Block

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])")
_LINE_OR_WORD_END = re.compile(r"(?s).*\n|.*\s")


def cut(text: MeasuredText, block: Block, room: int) -> Iterator[Stretch]:
    """The block whole where it has at most `room` tokens, else in the largest parts of its own that have."""
    whole = text.whole_lines(block.start, block.end)
    if whole is None:
        return
    if text.fits(whole, room):
        yield whole
    elif block.kind == "table":
        head_end = block.children[0].end + 1  # the row of dashes
        rows = [row.start for part in block.children[1:] for row in part.children]
        yield from _line_by_line(text, block, head_end, rows, room)
    elif block.kind == "fence":
        yield from _line_by_line(text, block, block.start + 1, range(block.start + 1, block.end - 1), room)
    elif block.kind in ("code", "html"):
        yield from _line_by_line(text, block, block.start, range(block.start, block.end), room)
    elif block.children:
        borders = [block.start, *(child.start for child in block.children[1:]), block.end]
        for child, (start, end) in zip(block.children, pairwise(borders), strict=True):
            yield from cut(text, Block(child.kind, start, end, child.children), room)
    else:
        yield from _sentences(text, whole, room)


def _line_by_line(text: MeasuredText, block: Block, head_end: int, rows: list[int] | range, room: int) -> Iterator[Stretch]:
    """Rows or code lines one by one; each but the first carries the head, unless that takes half the room."""
    head = "".join(f"{line}\n" for line in text.lines[block.start : head_end])
    if text.count(head) * 2 > room:
        head = ""
    borders = [block.start, *rows[1:], block.end]
    for start, end in pairwise(borders):
        line = text.whole_lines(start, end)
        if line is None:
            continue
        if start > block.start or text.fits(line, room):
            yield from _sentences(text, Stretch(line.start, line.end, head if start > block.start else ""), room)
        else:
            for piece, part in enumerate(_sentences(text, line, room - text.count(head))):
                yield Stretch(part.start, part.end, head if piece else "")


def _sentences(text: MeasuredText, stretch: Stretch, room: int) -> Iterator[Stretch]:
    if text.fits(stretch, room):
        yield stretch
        return
    matches = _SENTENCE_END.finditer(text.text, stretch.start, stretch.end)
    ends = [match.end() for match in matches if not inside_a_character(text.text, match.end())]
    for start, end in pairwise(sorted({stretch.start, *ends, stretch.end})):
        yield from _words(text, Stretch(start, end, stretch.carried), room)


def _words(text: MeasuredText, sentence: Stretch, room: int) -> Iterator[Stretch]:
    """A sentence that is longer than the room, cut before a line or word, or before a character that stands alone."""
    room_left = max(1, room - text.count(sentence.carried))
    start = sentence.start
    while not text.fits(Stretch(start, sentence.end), room_left):
        end = _end_of_piece(text, start, sentence.end, room_left)
        yield Stretch(start, end, sentence.carried)
        start = end
    yield Stretch(start, sentence.end, sentence.carried)


def _end_of_piece(text: MeasuredText, start: int, end: int, room: int) -> int:
    """In the last quarter of the room at a line's end, else at a space, else wherever it fits."""
    starts = text.token_starts
    first = bisect.bisect_left(starts, start)
    latest, earliest = (starts[first + many] if first + many < len(starts) else end for many in (room, room * 3 // 4))
    latest = min(latest, end)
    border = _LINE_OR_WORD_END.match(text.text, earliest, latest)
    if border is not None and text.fits(Stretch(start, border.end()), room):
        return border.end()
    end_of_piece = border_before(text.text, latest, start)
    while end_of_piece > start + 1 and not text.fits(Stretch(start, end_of_piece), room):
        end_of_piece = border_before(text.text, start + (end_of_piece - start) * 3 // 4, start)
    return end_of_piece
