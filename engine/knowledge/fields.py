"""Fields in the three notations of frontmatter; every scalar stays the author's text and nothing is evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import tomlkit
import yaml
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, AoT, Array, Item, String

from engine.text import valid_unicode

_MOST_VALUES = 10_000  # anchors can multiply values without end
_NULL, _MERGE = "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"  # `category:`, `category: null` and `category: ~` name none


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


class _Entry(NamedTuple):
    name: str
    line: int
    value: Any  # text, None, a list of values or _Entries


class _Entries(list[_Entry]):
    """A mapping in the order of the text, duplicates included."""


def read_yaml(text: str) -> list[Field]:
    """The fields of a YAML mapping; none where the text is empty. Raises FieldsUnreadable."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as failure:
        line = failure.problem_mark.line if failure.problem_mark is not None else 0
        raise FieldsUnreadable(line, f"is not YAML: {failure.problem}; quote the value or repair the line") from failure
    except (yaml.YAMLError, RecursionError, ValueError) as failure:
        raise FieldsUnreadable(0, f"is not YAML: {str(failure).splitlines()[0]}; repair it") from failure
    if node is None and not text.strip():
        return []
    if not isinstance(node, yaml.MappingNode):
        what = "is a list, not fields" if isinstance(node, yaml.SequenceNode) else "has no fields"
        raise FieldsUnreadable(0, f"{what}; write `name: value` lines")
    try:
        return _flat(_from_yaml(node, [_MOST_VALUES]))
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain `name: value` lines") from failure


def read_toml(text: str) -> list[Field]:
    """The fields of a TOML table. Raises FieldsUnreadable."""
    try:
        return _flat(_from_toml(tomlkit.parse(text), text.split("\n")))
    except TOMLKitError as failure:
        what, line = str(failure).split(" at line ")[0].rstrip("."), getattr(failure, "line", 1) - 1
        raise FieldsUnreadable(line, f"is not TOML: {what}; repair the line") from failure
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain `name = value` lines") from failure


def read_json(text: str) -> tuple[list[Field], int]:
    """The fields of the JSON object at the start of a text, and where it ends. Raises FieldsUnreadable."""
    decoder = json.JSONDecoder(object_pairs_hook=_json_entries, parse_float=str, parse_int=str, parse_constant=str)
    start = len(text) - len(text.lstrip())
    try:
        entries, end = decoder.raw_decode(text, start)
        return _flat(_with_lines(entries, text[:end].split("\n"))), end
    except json.JSONDecodeError as failure:
        raise FieldsUnreadable(failure.lineno - 1, f"is not JSON: {failure.msg}; repair the line") from failure
    except RecursionError as failure:
        raise FieldsUnreadable(0, "is nested without end; write plain fields") from failure


def _flat(entries: _Entries, prefix: str = "") -> list[Field]:
    found: list[Field] = []
    for name, line, value in entries:
        if isinstance(value, _Entries):
            found += _flat(value, f"{prefix}{name}.")
        else:
            found.append(Field(prefix + name, line, tuple(_texts(value))))
    return found


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, in order; empty ones are none."""
    if isinstance(value, _Entries):
        value = [entry.value for entry in value]
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _texts(item)
        elif item is not None and (text := valid_unicode(item).strip()):
            yield text


def _from_yaml(node: yaml.Node, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise FieldsUnreadable(node.start_mark.line, f"has more than {_MOST_VALUES:,} values; write fewer")
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == _NULL else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_from_yaml(item, left) for item in node.value]
    own = _Entries(_Entry(_yaml_name(key), key.start_mark.line, _from_yaml(value, left)) for key, value in node.value if key.tag != _MERGE)
    named = {entry.name for entry in own}
    merged = [_from_yaml(value, left) for key, value in node.value if key.tag == _MERGE]
    own += (entry for entry in _merged_entries(merged) if entry.name not in named)
    return own


def _yaml_name(key: yaml.Node) -> str:
    if not isinstance(key, yaml.ScalarNode) or not key.value.strip():
        raise FieldsUnreadable(key.start_mark.line, "has a field without a name; write `name: value` lines")
    return valid_unicode(key.value).strip()


def _merged_entries(values: Iterable[Any]) -> Iterator[_Entry]:
    for value in values:
        if isinstance(value, _Entries):
            yield from value
        elif isinstance(value, list):
            yield from _merged_entries(value)


def _from_toml(value: Any, lines: list[str]) -> Any:
    if isinstance(value, AbstractTable | tomlkit.TOMLDocument) or (isinstance(value, dict) and not isinstance(value, Item)):
        return _Entries(_Entry(str(name), _line_of(str(name), lines), _from_toml(item, lines)) for name, item in value.items())
    if isinstance(value, Array | AoT):
        return [_from_toml(item, lines) for item in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, String) or not isinstance(value, Item) else value.as_string()


def _json_entries(pairs: list[tuple[str, Any]]) -> _Entries:
    return _Entries(_Entry(valid_unicode(name), 0, str(value).lower() if isinstance(value, bool) else value) for name, value in pairs)


def _with_lines(entries: _Entries, lines: list[str]) -> _Entries:
    return _Entries(entry._replace(line=_line_of(entry.name, lines)) for entry in entries)


def _line_of(name: str, lines: list[str]) -> int:
    """The first line that speaks of a name; these notations keep no positions."""
    return next((at for at, line in enumerate(lines) if name in line), 0)
