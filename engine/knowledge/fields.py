"""Fields of frontmatter whatever their notation: names joined by dots, and the author's text as values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.plain_text import valid_unicode


class FieldsUnreadable(ValueError):
    """A block that gives no fields: its line (0-based, within the block) and what is wrong with it."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


class Field(NamedTuple):
    """A name, nested ones joined by dots, with the line where it stands (0-based, within the block) and its values."""

    name: str
    line: int
    values: tuple[str, ...]
    is_list: bool = False
    rest: str = ""  # what the notation took for a comment though it hardly is one


class Entry(NamedTuple):
    """A name and what stands for it: text, None, a list of values, or Entries."""

    name: str
    line: int
    value: Any
    rest: str = ""


class Entries(list[Entry]):
    """A mapping in the order of the text, duplicates included."""


def flat(entries: Entries, prefix: str = "") -> list[Field]:
    """The fields of a mapping and of those in it."""
    found: list[Field] = []
    for name, line, value, rest in entries:
        if isinstance(value, Entries):
            found += flat(value, f"{prefix}{name}.")
        else:
            found.append(Field(prefix + name, line, tuple(_texts(value)), isinstance(value, list), rest))
    return found


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, in order; empty ones are none."""
    if isinstance(value, Entries):
        value = [entry.value for entry in value]
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _texts(item)
        elif item is not None and (text := valid_unicode(item).strip()):
            yield text
