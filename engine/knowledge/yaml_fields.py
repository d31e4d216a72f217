"""Fields in YAML, composed and never constructed: no tag is followed, and `no`, `1.10` and dates stay what the author wrote."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from engine.knowledge.fields import Entries, Entry, Field, FieldsUnreadable, flat
from engine.plain_text import valid_unicode

_MOST_VALUES = 10_000  # anchors can multiply values without end
_MERGE = "tag:yaml.org,2002:merge"
_NOTHING = ("", "~", "null")  # plain, they name nothing; `Null` may be a name
_NO_LINE_ENDS = {0x85: "\uf8f0", 0x2028: "\uf8f1", 0x2029: "\uf8f2"}  # line ends for YAML only: parsed as private marks, then put back
_LINE_ENDS = {ord(private): chr(mark) for mark, private in _NO_LINE_ENDS.items()}
_COLON = re.compile(r":(\s|$)")
_NOTICED_LATE = ("found unexpected end of stream", "expected ',' or ']'", "expected ',' or '}'", "could not find expected ':'")
_NO_COLON = "a line has no colon and space after its name; write `name: value`"
_SLIPS = (
    ("mapping values are not allowed", "a value has a colon and a space in it; put the value in quotes"),
    ("found character '\\t'", "a tab stands before a value; write spaces"),
    ("found unexpected end of stream", "a quotation mark is not closed; add the second one"),
    ("expected ',' or ']', but got '<stream end>'", "a list is not closed; add the ]"),
    ("could not find expected ':'", _NO_COLON),
)
_CUT = re.compile(r"[ \t]+(#[^\s#!].*)")  # `Ticket #42`: a comment has a space after its mark


def read_yaml(text: str) -> list[Field]:
    """The fields of a YAML mapping; none where the text is empty. Raises FieldsUnreadable."""
    reader = _Reader(text.translate(_NO_LINE_ENDS))
    try:
        node = yaml.compose(reader.text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as failure:
        line, what = _fault(failure, reader)
        raise FieldsUnreadable(line, f"is not YAML: {what}") from failure
    except yaml.reader.ReaderError as failure:
        line = reader.text.count("\n", 0, failure.position)
        raise FieldsUnreadable(line, "has a control character; remove it") from failure
    except (yaml.YAMLError, RecursionError, ValueError) as failure:
        raise FieldsUnreadable(0, f"is not YAML: {str(failure).splitlines()[0]}; repair it") from failure
    if node is None and not text.strip():
        return []
    if not isinstance(node, yaml.MappingNode):
        what = "is a list, not fields" if isinstance(node, yaml.SequenceNode) else "has no fields"
        raise FieldsUnreadable(0, f"{what}; write `name: value` lines")
    try:
        return flat(reader.value(node))
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain `name: value` lines") from failure


def _fault(failure: yaml.MarkedYAMLError, reader: _Reader) -> tuple[int, str]:
    """Line and advice: where a fault begins, which is not always where the parser notices it, and the usual slips in plain words."""
    problem = str(failure.problem)
    begun = failure.context_mark if problem.startswith(_NOTICED_LATE) else None
    mark = begun or failure.problem_mark
    line = reader.line(mark) if mark is not None else 0
    if problem.startswith("mapping values") and line and _COLON.search(reader.lines[line - 1]) is None and reader.lines[line - 1].strip():
        return line - 1, _NO_COLON
    advice = next((said for begin, said in _SLIPS if problem.startswith(begin)), None)
    return line, advice or f"{problem.rstrip('.')}; quote the value or repair the line"


class _Reader:
    """Turns the nodes of one text into values, with the lines of the file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self._left = _MOST_VALUES
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, mark: yaml.Mark) -> int:
        """The line of a place, 0-based."""
        return bisect.bisect_right(self._line_starts, mark.index) - 1

    def value(self, node: yaml.Node) -> Any:
        self._left -= 1
        if self._left < 0:
            raise FieldsUnreadable(self.line(node.start_mark), f"has more than {_MOST_VALUES:,} values; write fewer")
        if isinstance(node, yaml.ScalarNode):
            return None if node.style is None and node.value in _NOTHING else str(node.value).translate(_LINE_ENDS)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item) for item in node.value]
        own = Entries(self._entry(key, value) for key, value in node.value if key.tag != _MERGE)
        named = {entry.name for entry in own}
        for entry in _merged_entries([self.value(value) for key, value in node.value if key.tag == _MERGE]):
            if entry.name not in named:
                named.add(entry.name)
                own.append(entry)
        return own

    def _entry(self, key: yaml.Node, value: yaml.Node) -> Entry:
        line = self.line(key.start_mark)
        if not isinstance(key, yaml.ScalarNode) or not key.value.strip():
            raise FieldsUnreadable(line, "has a field without a name; write `name: value` lines")
        cut = _CUT.match(self.text, value.end_mark.index) if isinstance(value, yaml.ScalarNode) and value.style is None else None
        return Entry(valid_unicode(key.value).translate(_LINE_ENDS).strip(), line, self.value(value), cut.group(1) if cut else "")


def _merged_entries(values: Iterable[Any]) -> Iterator[Entry]:
    for value in values:
        if isinstance(value, Entries):
            yield from value
        elif isinstance(value, list):
            yield from _merged_entries(value)
