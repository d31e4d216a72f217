"""Fields in TOML; numbers and dates stay what the author wrote."""

from __future__ import annotations

import re
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Item, String

from engine.knowledge.fields import Entries, Entry, Field, FieldsUnreadable, flat


def read_toml(text: str) -> list[Field]:
    """The fields of a TOML table. Raises FieldsUnreadable."""
    try:
        return flat(_Reader(text).value(tomlkit.parse(text)))
    except TOMLKitError as failure:
        what = str(failure).split(" at line ")[0].rstrip(".")
        what = "a value is missing" if what.endswith(("'\\n'", "'\\x00'")) else what
        raise FieldsUnreadable(_line(text, failure), f"is not TOML: {what}; repair the line") from failure
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain `name = value` lines") from failure


def _line(text: str, failure: TOMLKitError) -> int:
    """The line of a failure, 0-based; tomlkit counts more marks than `\\n` as line ends."""
    before = text.splitlines(keepends=True)[: getattr(failure, "line", 1) - 1]
    return "".join(before).count("\n")


class _Reader:
    """Turns parsed items into values; they keep no positions, so each name is searched for after the one before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 0

    def value(self, item: Any) -> Any:
        if isinstance(item, dict):
            return Entries(Entry(str(name), self._line_of(str(name)), self.value(inner)) for name, inner in item.items())
        if isinstance(item, Array | AoT | list):
            return [self.value(inner) for inner in item]
        if isinstance(item, bool):
            return str(item).lower()
        return str(item) if isinstance(item, String) or not isinstance(item, Item) else item.as_string()

    def _line_of(self, name: str) -> int:
        """The line where a name is given a value or opens a table, 0-based."""
        key = rf"[\"']?{re.escape(name)}[\"']?"
        place = re.compile(rf"^[ \t]*(?:\[+[^\]\n]*{key}[ \t]*\]|(?:[\w\"'.-]+\.)?{key}[ \t]*[.=])|[{{,]\s*{key}[ \t]*[.=]", re.MULTILINE)
        found = place.search(self._text, self._at)
        if found is not None:
            self._line += self._text.count("\n", self._at, found.end())
            self._at = found.end()
        return self._line
