"""A document cut into chunks that the embedder reads whole, each with an id that survives edits elsewhere in the file."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.knowledge.chunk_names import encode_source, make_breadcrumb, section_slug, unique_slug
from engine.knowledge.corpus import Document
from engine.knowledge.outline import Block
from engine.tokenizer import Tokenizer, TokenMap

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])")
_GLUE = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document; `content` begins with `carried` when a table or fence was cut."""

    id: str
    source: str
    section: str
    piece: int
    breadcrumb: str
    start_line: int  # 1-based
    end_line: int  # included
    carried: str
    content: str
    tokens: int
    readable: float

    @property
    def embedded_text(self) -> str:
        """What L1 and the lexical rules see."""
        return f"{self.breadcrumb}\n{self.content}"


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch of text that is not cut further; `carried` is put before it when a piece begins with it."""

    start: int
    end: int
    carried: str = ""


def chunk_document(document: Document, tokenizer: Tokenizer, limit: int) -> list[Chunk]:
    """The chunks of a document in order; breadcrumb, special tokens and content together stay within `limit` tokens."""
    cutter = _Cutter(document.lines, tokenizer)
    seen: dict[str, int] = {}
    chunks: list[Chunk] = []
    for section in document.sections:
        slug = unique_slug(section_slug(section.headings), seen)
        breadcrumb = make_breadcrumb(document.title, section.headings, tokenizer, limit)
        room = limit - tokenizer.reserved - tokenizer.count(breadcrumb)
        for piece, unit in enumerate(cutter.pieces(section.blocks, room), start=1):
            chunks.append(cutter.chunk(document.source, slug, piece, breadcrumb, unit))
    return chunks


class _Cutter:
    """The text of one document with its tokens counted once."""

    def __init__(self, lines: tuple[str, ...], tokenizer: Tokenizer) -> None:
        self._lines = lines
        self._text = "\n".join(lines)
        self._tokens: TokenMap = tokenizer.map(self._text)
        self._tokenizer = tokenizer
        self._line_starts = [0]
        for line in lines:
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def pieces(self, blocks: tuple[Block, ...], room: int) -> Iterator[_Unit]:
        """Neighbouring units joined as long as they fit."""
        current: _Unit | None = None
        for unit in (unit for block in blocks for unit in self._units(block, room)):
            if current is not None and self._size(_Unit(current.start, unit.end, current.carried)) <= room:
                current = _Unit(current.start, unit.end, current.carried)
                continue
            if current is not None:
                yield current
            current = unit
        if current is not None:
            yield current

    def chunk(self, source: str, slug: str, piece: int, breadcrumb: str, unit: _Unit) -> Chunk:
        start, end = unit.start, unit.end
        while self._text[start] == "\n":
            start += 1
        while self._text[end - 1] == "\n":
            end -= 1
        content = unit.carried + self._text[start:end]
        return Chunk(
            id=f"{encode_source(source)}#{slug}~{piece}",
            source=source,
            section=slug,
            piece=piece,
            breadcrumb=breadcrumb,
            start_line=bisect.bisect_right(self._line_starts, start),
            end_line=bisect.bisect_right(self._line_starts, end - 1),
            carried=unit.carried,
            content=content,
            tokens=self._size(unit),
            readable=round(self._tokens.readable(unit.start, unit.end), 6),
        )

    def _size(self, unit: _Unit) -> int:
        return self._tokens.count(unit.start, unit.end) + (self._tokenizer.count(unit.carried) if unit.carried else 0)

    def _units(self, block: Block, room: int) -> Iterator[_Unit]:
        """The block whole where it fits, else cut at its own borders: items, rows, lines, sentences, words."""
        whole = self._stretch(block.start, block.end)
        if whole is None:
            return
        if self._size(whole) <= room:
            yield whole
        elif block.kind == "table":
            head_end = block.children[0].end + 1  # the row of dashes
            rows = [row.start for part in block.children[1:] for row in part.children]
            yield from self._repeated(block, head_end, rows, room)
        elif block.kind == "fence":
            yield from self._repeated(block, block.start + 1, list(range(block.start + 1, block.end - 1)), room)
        elif block.children:
            borders = [block.start, *(child.start for child in block.children[1:]), block.end]
            for child, (start, end) in zip(block.children, pairwise(borders), strict=True):
                yield from self._units(Block(child.kind, start, end, child.children), room)
        else:
            yield from self._sentences(whole, room)

    def _repeated(self, block: Block, head_end: int, rows: list[int], room: int) -> Iterator[_Unit]:
        """Rows or code lines one by one; each piece after the first repeats the head, unless that takes half the room."""
        head = "\n".join(self._lines[block.start : head_end]) + "\n"
        if self._tokenizer.count(head) * 2 > room:
            head = ""
        borders = [block.start, *rows[1:], block.end]
        for start, end in pairwise(borders):
            unit = self._stretch(start, end)
            if unit is not None:
                carried = head if start > block.start else ""
                yield from self._sentences(_Unit(unit.start, unit.end, carried), room)

    def _sentences(self, unit: _Unit, room: int) -> Iterator[_Unit]:
        if self._size(unit) <= room:
            yield unit
            return
        ends = [match.end() for match in _SENTENCE_END.finditer(self._text, unit.start, unit.end)]
        for start, end in pairwise(sorted({unit.start, *ends, unit.end})):
            yield from self._words(_Unit(start, end, unit.carried), room)

    def _words(self, unit: _Unit, room: int) -> Iterator[_Unit]:
        """A sentence that is longer than the room, cut before a word, or before a character that stands alone."""
        room_left = max(1, room - (self._tokenizer.count(unit.carried) if unit.carried else 0))
        start = unit.start
        while self._tokens.count(start, unit.end) > room_left:
            first = bisect.bisect_left(self._tokens.starts, start)
            latest = int(self._tokens.starts[first + room_left])
            earliest = int(self._tokens.starts[first + room_left * 3 // 4])
            cut = next((i for i in range(latest, earliest, -1) if self._text[i - 1].isspace()), latest)
            while cut > start + 1 and _inside_a_character(self._text, cut):
                cut -= 1
            yield _Unit(start, cut, unit.carried)
            start = cut
        yield _Unit(start, unit.end, unit.carried)

    def _stretch(self, first_line: int, end_line: int) -> _Unit | None:
        """Whole lines without the blank ones around them; None when all are blank."""
        while first_line < end_line and not self._lines[first_line].strip():
            first_line += 1
        while end_line > first_line and not self._lines[end_line - 1].strip():
            end_line -= 1
        if first_line == end_line:
            return None
        return _Unit(self._line_starts[first_line], self._line_starts[end_line] - 1)


def _inside_a_character(text: str, at: int) -> bool:
    """Whether a cut here would tear an emoji or an accent from what it belongs to."""
    return bool(_GLUE.match(text[at]) or text[at - 1] == "\u200d" or unicodedata.combining(text[at]))
