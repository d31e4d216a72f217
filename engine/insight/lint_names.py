"""Where the fields of a document stand, and which name a slip was meant for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from engine.knowledge.corpus import Document
from engine.text import fold

_NEAR = 0.8  # difflib's ratio: one letter more, less or swapped in a word of five


def field_line(document: Document, names: Iterable[str]) -> int:
    """The line of the first field with one of the names, however it is capitalised; 1 where there is none."""
    wanted = {name.casefold() for name in names}
    return min((line for name, line in document.field_lines.items() if name.casefold() in wanted), default=1)


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from a name by case or a slip; slips seldom touch the first letter."""
    form = fold(name)
    forms = ((fold(one), one) for one in known if one != name)
    by_form = {other: one for other, one in forms if other[:1] == form[:1] and abs(len(other) - len(form)) <= 1}
    near = difflib.get_close_matches(form, by_form, n=1, cutoff=_NEAR)
    return by_form[near[0]] if near else None
