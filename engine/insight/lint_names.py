"""The names that lint knows: the fields that are read, and which name a slip was meant for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from engine.knowledge.corpus import ALIAS_FIELDS, CATEGORY_FIELDS, KEYWORD_FIELDS
from engine.text import fold

CATEGORY_NAMES, KEYWORD_NAMES, ALIAS_NAMES, TITLE_NAMES = CATEGORY_FIELDS, KEYWORD_FIELDS, ALIAS_FIELDS, ("title",)
FIELD_NAMES = (*CATEGORY_NAMES, *KEYWORD_NAMES, *ALIAS_NAMES, *TITLE_NAMES)

_NEAR = 0.8  # difflib's ratio: one letter more, less or swapped in a word of five


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from a name by case or a slip; slips seldom touch the first letter."""
    form = fold(name)
    by_form = {fold(one): one for one in known if one != name and fold(one)[:1] == form[:1]}
    near = difflib.get_close_matches(form, by_form, n=1, cutoff=_NEAR)
    return by_form[near[0]] if near else None
