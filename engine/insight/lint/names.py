"""Where the fields of a document stand, and which name a slip was meant for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import PurePosixPath

from engine.knowledge.document import Document
from engine.knowledge.files import MARKDOWN_SUFFIXES
from engine.plain_text import fold

_OVERVIEWS = {"index", "_index", "readme"}
_NEAR = 0.8  # difflib's ratio: one letter more, less or swapped in a word of five


def field_line(document: Document, names: Iterable[str]) -> int | None:
    """The line of the first field with one of the names, however it is capitalised."""
    wanted = {name.casefold() for name in names}
    return min((line for name, line in document.field_lines.items() if name.casefold() in wanted), default=None)


def is_overview(source: str) -> bool:
    """Whether a file is what its folder shows, such as `README.md` or `index.html.md`."""
    path = PurePosixPath(source)
    return path.name.partition(".")[0].lower() in _OVERVIEWS and path.suffix.lower() in MARKDOWN_SUFFIXES


def lost_its_fields(document: Document) -> bool:
    """Whether what it seems to lack may stand in frontmatter that cannot be read, or does not matter without a text."""
    return any(problem.code in ("broken_frontmatter", "no_text") for problem in document.problems)


class NearNames:
    """Finds the known name that differs from another one by case or a slip; slips seldom touch the first letter."""

    def __init__(self, known: Iterable[str]) -> None:
        self._forms: dict[tuple[str, int], dict[str, str]] = {}  # by first letter and length
        for name in known:
            form = fold(name)
            self._forms.setdefault((form[:1], len(form)), {})[form] = name

    def find(self, name: str) -> str | None:
        """The nearest known name other than the name itself."""
        form = fold(name)
        near_lengths = (self._forms.get((form[:1], length), {}) for length in (len(form) - 1, len(form), len(form) + 1))
        by_form = {other: known for forms in near_lengths for other, known in forms.items() if known != name}
        near = difflib.get_close_matches(form, by_form, n=1, cutoff=_NEAR)
        return by_form[near[0]] if near else None
