"""Fields in JSON; numbers stay what the author wrote."""

from __future__ import annotations

import json
import re
from typing import Any

from engine.knowledge.fields import Entries, Entry, Field, FieldsUnreadable, flat
from engine.plain_text import valid_unicode


def read_json(text: str) -> tuple[list[Field], int]:
    """The fields of the JSON object at the start of a text, and where it ends. Raises FieldsUnreadable."""
    decoder = json.JSONDecoder(object_pairs_hook=_entries, parse_float=str, parse_int=str, parse_constant=str)
    start = len(text) - len(text.lstrip())
    try:
        entries, end = decoder.raw_decode(text, start)
        return flat(_Places(text).placed(entries)), end
    except json.JSONDecodeError as failure:
        raise FieldsUnreadable(failure.lineno - 1, f"is not JSON: {failure.msg}; repair the line") from failure
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain fields") from failure


def _entries(pairs: list[tuple[str, Any]]) -> Entries:
    return Entries(Entry(name, 0, value) for name, value in pairs)


class _Places:
    """Gives entries their lines: the decoder keeps no positions, so each name is searched for after the one before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 0

    def placed(self, value: Any) -> Any:
        if isinstance(value, Entries):
            return Entries(Entry(valid_unicode(entry.name), self._line_of(entry.name), self.placed(entry.value)) for entry in value)
        if isinstance(value, list):
            return [self.placed(item) for item in value]
        return str(value).lower() if isinstance(value, bool) else value

    def _line_of(self, name: str) -> int:
        forms = "|".join(re.escape(json.dumps(name, ensure_ascii=ascii_only)) for ascii_only in (False, True))
        found = re.compile(rf"(?:{forms})[^\S\n]*:").search(self._text, self._at)
        if found is not None:
            self._line += self._text.count("\n", self._at, found.end())
            self._at = found.end()
        return self._line
