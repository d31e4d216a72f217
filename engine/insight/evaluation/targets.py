"""What a golden question names: a document, a section with those below it, or a chunk; and which chunks satisfy it.

A chunk id is `path#slug~n` with the marks `%`, `#` and `~` of the path percent-encoded. A slug has none of them, so the last `#`
ends the path.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.contracts.reports import Case
from engine.errors import BadInput
from engine.index.catalog import Catalog
from engine.knowledge.chunk_names import encode_source

_PIECE = re.compile(r"~([0-9]+)$")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands."""

    source: str
    section: str
    piece: int

    def unit(self, depth: int) -> tuple[str, ...]:
        """What a chunk there counts as: depth 1 its document, 2 its section, 3 itself."""
        return (self.source, self.section, str(self.piece))[:depth]


@dataclass(frozen=True, slots=True)
class Target:
    """A document; with a section that section and those below it; with a piece one chunk."""

    written: str
    source: str
    section: str | None = None
    piece: int | None = None

    def holds(self, place: Place) -> bool:
        """Whether a chunk there satisfies it."""
        if self.section is None or self.source != place.source:
            return self.source == place.source
        if self.piece is not None:
            return (self.section, self.piece) == (place.section, place.piece)
        return place.section == self.section or (bool(self.section) and place.section.startswith(f"{self.section}/"))

    @property
    def depth(self) -> int:
        """1 for a document, 2 for a section, 3 for a chunk."""
        return 1 if self.section is None else 2 if self.piece is None else 3


@dataclass(frozen=True, slots=True)
class Question:
    """A case whose targets exist in the snapshot."""

    case: Case
    expected: tuple[Target, ...]
    must_not: tuple[Target, ...]


def place_of(chunk_id: str, source: str) -> Place:
    """Where the chunk with an id of ours stands."""
    section, _, piece = chunk_id.removeprefix(f"{encode_source(source)}#").rpartition("~")
    return Place(source, section, int(piece))


def read_questions(cases: Sequence[Case], catalog: Catalog) -> list[Question]:
    """The cases with their targets. Raises BadInput where a target is not in the snapshot or contradicts its case."""
    known = _Known(catalog)
    questions = []
    for case in cases:
        if case.expected and not case.answerable:
            raise BadInput(f"case {case.id} expects {case.expected[0]} and is not answerable; remove one of the two")
        expected, must_not = (
            tuple(known.target(case.id, field, written) for written in dict.fromkeys(targets))
            for field, targets in (("expects", case.expected), ("has the mustNot", case.must_not))
        )
        questions.append(Question(case, expected, must_not))
    return questions


class _Known:
    """Everything in a snapshot that has a name."""

    def __init__(self, catalog: Catalog) -> None:
        self._sources = {document.source for document in catalog.documents()}
        self._encoded = {encode_source(source): source for source in self._sources}
        self._pieces = catalog.pieces()

    def target(self, case: str, field: str, written: str) -> Target:
        """What a name stands for. Raises BadInput."""
        path, mark, rest = written.rpartition("#")
        found = None
        if written in self._sources or written in self._encoded:
            found = Target(written, written if written in self._sources else self._encoded[written])
        elif mark and (source := self._encoded.get(path) or (path if path in self._sources else None)):
            found = self._inside(written, source, rest)
        if found is None:
            raise BadInput(f"case {case} {field} {written}, which is not in the index; {self._next_step(written)}")
        return found

    def _inside(self, written: str, source: str, rest: str) -> Target | None:
        sections = self._pieces.get(source, {})
        if piece := _PIECE.search(rest):
            section, number = rest[: piece.start()], int(piece[1])
            return Target(written, source, section, number) if number in sections.get(section, ()) else None
        target = Target(written, source, rest)
        return target if any(target.holds(Place(source, section, 1)) for section in sections) else None

    def _next_step(self, written: str) -> str:
        names = [*sorted(self._sources), *(f"{encode_source(at)}#{section}" for at, inner in sorted(self._pieces.items()) for section in inner)]
        of_document = [name for name in names if name.startswith(f"{written.partition('#')[0]}#")]
        near = difflib.get_close_matches(written, of_document or names, n=1, cutoff=0.5)
        return f"did you mean {near[0]}?" if near else "write the path of a document, or path#slug of one of its sections, and sync if it is new"
