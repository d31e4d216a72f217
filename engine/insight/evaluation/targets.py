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
from engine.knowledge.chunk_names import decode_source, encode_source

_PIECE = re.compile(r"~([0-9]+)$")
_LOOKED_AT = 100  # sources that the database finds near a misspelt one; difflib, which knows better, is slow


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
    known = _Known(catalog, [written for case in cases for written in (*case.expected, *case.must_not)])
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
    """What a snapshot has of the documents that some names speak of."""

    def __init__(self, catalog: Catalog, names: Sequence[str]) -> None:
        self._catalog = catalog
        paths = {path for name in names for path in (name, name.rpartition("#")[0])}
        self._pieces = catalog.pieces(sorted({reading for path in paths for reading in (path, decode_source(path))}))

    def target(self, case: str, field: str, written: str) -> Target:
        """What a name stands for. Raises BadInput."""
        path, mark, rest = written.rpartition("#")
        found = None
        if written in self._pieces:
            found = Target(written, written)
        elif source := self._encoded(written):
            found = Target(written, source)
        elif mark and (source := self._encoded(path) or (path if path in self._pieces else None)):
            found = self._inside(written, source, rest)
        if found is None:
            raise BadInput(f"case {case} {field} {written!r}, which is not in the index; {self._next_step(written)}")
        return found

    def _encoded(self, path: str) -> str | None:
        """The document whose path stands so in an id."""
        source = decode_source(path)
        return source if source in self._pieces and encode_source(source) == path else None

    def _inside(self, written: str, source: str, rest: str) -> Target | None:
        sections = self._pieces[source]
        if piece := _PIECE.search(rest):
            section, number = rest[: piece.start()], int(piece[1])
            return Target(written, source, section, number) if number in sections.get(section, ()) else None
        target = Target(written, source, rest)
        return target if any(target.holds(Place(source, section, 1)) for section in sections) else None

    def _next_step(self, written: str) -> str:
        """The nearest document, then the nearest of its sections where a section was meant."""
        path, mark, _ = written.rpartition("#")
        meant = decode_source(path if mark else written)
        near = difflib.get_close_matches(meant, self._catalog.sources_like(meant, _LOOKED_AT), n=1, cutoff=0.5)
        if near and mark:
            sections = [f"{encode_source(near[0])}#{section}" for section in self._catalog.pieces(near)[near[0]]]
            near = difflib.get_close_matches(written, sections, n=1, cutoff=0.5) or near
        return f"did you mean {near[0]}?" if near else "write the path of a document, or path#slug of one of its sections, and sync if it is new"
