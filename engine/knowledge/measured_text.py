"""The text of one document with its tokens counted once, so that any stretch of it can be measured."""

from __future__ import annotations

import bisect
import re
import unicodedata
from dataclasses import dataclass

from engine.text import CJK
from engine.tokenizer import Tokenizer

_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text by character; `carried` is put before it when it begins a chunk."""

    start: int
    end: int
    carried: str = ""


class MeasuredText:
    """Lines, characters and tokens of one document."""

    def __init__(self, lines: tuple[str, ...], tokenizer: Tokenizer) -> None:
        self.lines = lines
        self.text = "\n".join(lines)
        self.tokens = tokenizer.map(self.text)
        self.token_starts: list[int] = self.tokens.starts.tolist()  # a search for one number takes numpy ten times as long
        self._tokenizer = tokenizer
        self._counted: dict[str, int] = {}
        self._line_starts = [0]
        for line in lines:
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def count(self, text: str) -> int:
        """The tokens of a text that stands apart: a breadcrumb, or a head that many pieces carry."""
        if text not in self._counted:
            self._counted[text] = self._tokenizer.count(text) if text else 0
        return self._counted[text]

    def size(self, stretch: Stretch) -> int:
        """The tokens of a stretch with what it carries."""
        start, end = stretch.start, stretch.end
        torn = self._is_torn(start) or self._is_torn(end)  # a part of a word has tokens of its own
        return self.count(stretch.carried) + (self._tokenizer.count(self.text[start:end]) if torn else self._tokens_in(start, end))

    def fits(self, stretch: Stretch, room: int) -> bool:
        """Whether a stretch has at most `room` tokens."""
        at_least = self._tokens_in(stretch.start, stretch.end) + self.count(stretch.carried)
        return at_least <= room and self.size(stretch) <= room

    def _tokens_in(self, start: int, end: int) -> int:
        """Tokens of the whole text that begin in `start:end`."""
        return bisect.bisect_left(self.token_starts, end) - bisect.bisect_left(self.token_starts, start)

    def is_blank(self, stretch: Stretch) -> bool:
        """Whether there is nothing to read in a stretch."""
        return not self.text[stretch.start : stretch.end].strip()

    def whole_lines(self, first: int, end: int) -> Stretch | None:
        """Lines `first` to before `end` (0-based) without the blank ones around them; None when all are blank."""
        while first < end and not self.lines[first].strip():
            first += 1
        while end > first and not self.lines[end - 1].strip():
            end -= 1
        return Stretch(self._line_starts[first], self._line_starts[end] - 1) if first < end else None

    def without_line_ends(self, stretch: Stretch) -> tuple[int, int]:
        """Where a stretch begins and ends without the line ends around it."""
        start, end = stretch.start, stretch.end
        while self.text[start] == "\n":
            start += 1
        while self.text[end - 1] == "\n":
            end -= 1
        return start, end

    def line_at(self, character: int) -> int:
        """The line of a character, 1-based."""
        return bisect.bisect_right(self._line_starts, character)

    def _is_torn(self, at: int) -> bool:
        """Whether a cut here may fall inside of a word as the model sees it."""
        return 0 < at < len(self.text) and not self._is_border(self.text[at - 1]) and not self._is_border(self.text[at])

    def _is_border(self, mark: str) -> bool:
        """Whether a character is no part of a word; other white space than this is taken out by models, which joins what it parts."""
        if mark in " \n\t\r":
            return True
        category = unicodedata.category(mark)
        return category[0] == "Z" or (self._tokenizer.parts_marks and (category[0] == "P" or bool(_CJK.match(mark))))
