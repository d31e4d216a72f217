"""The entries of a file of golden questions, each with its line: YAML that repeats no field and multiplies nothing without end."""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

from engine.errors import BadInput

_MOST_VALUES = 2_000  # in one case, anchors followed; they can multiply values without end
_SLIPS = {
    "mapping values are not allowed here": "a value has a colon and a space in it; put the value in quotes",
    "found character '\\t' that cannot start any token": "a tab stands before a value; write spaces",
    "but found another document": "a second document begins with `---`; keep one list",
    "could not determine a constructor for the tag": "a tag with `!` stands before a value; put the value in quotes",
}


class Entry(NamedTuple):
    """One entry of the list."""

    line: int  # 1-based
    value: Any


def read_entries(text: str, name: str) -> list[Entry]:
    """The entries of a YAML list, plain values only; none where the text is empty. Raises BadInput, naming the file and the line."""
    try:
        entries = _entries(text, name, _Quick)
    except (yaml.YAMLError, ValueError, RecursionError):
        entries = _explained(text, name)
    return [Entry(line, _plain(value, f"{name}, line {line}", [_MOST_VALUES])) for line, value in entries]


def _explained(text: str, name: str) -> list[Entry]:
    """The same by the parser that takes half characters and says where it stumbles. Raises BadInput."""
    try:
        return _entries(text, name, _Thorough)
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        raise BadInput(f"{name}, line {mark.line + 1 if mark else 1}: {_advice(str(failure.problem))}") from failure
    except (yaml.YAMLError, RecursionError) as failure:
        raise BadInput(f"{name} cannot be read: {str(failure).splitlines()[0]}; repair it") from failure
    except ValueError as failure:
        raise BadInput(f"{name} has a number or date that cannot be one; put it in quotes") from failure


def _entries(text: str, name: str, kind: Any) -> list[Entry]:
    loader = kind(text)
    try:
        top = loader.get_single_node()
        if top is None or (isinstance(top, yaml.ScalarNode) and not top.value):
            return []
        if not isinstance(top, yaml.SequenceNode):
            raise BadInput(f"{name} is no list of cases; begin each case with `- id: ...`, at the left edge")
        return [Entry(item.start_mark.line + 1, loader.construct_object(item, deep=True)) for item in top.value]
    finally:
        loader.dispose()


def _advice(problem: str) -> str:
    said = next((said for begin, said in _SLIPS.items() if problem.startswith(begin)), None)
    return said or problem.splitlines()[0].rstrip(".") + ("" if ";" in problem else "; repair the line")


class _EachFieldOnce:
    """A mapping that names a field twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge"):
            if key.value in names:
                raise yaml.constructor.ConstructorError(None, None, f"the field {key.value} stands twice; keep one", key.start_mark)
            names.add(key.value)
        return super().construct_mapping(node, deep)  # type: ignore[misc, no-any-return]


class _Thorough(_EachFieldOnce, yaml.SafeLoader):
    pass


class _Quick(_EachFieldOnce, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Ten times as quick, where PyYAML was built with it."""


def _plain(value: Any, place: str, left: list[int]) -> Any:
    """The same with characters put together that an escape wrote in halves. Raises BadInput where there is no end of values."""
    left[0] -= 1
    if left[0] < 0:
        raise BadInput(f"{place}: the case has more than {_MOST_VALUES:,} values; write fewer")
    if isinstance(value, dict):
        return {_plain(key, place, left): _plain(inner, place, left) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, place, left) for inner in value]
    if isinstance(value, str):
        try:
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as failure:
            raise BadInput(f"{place}: a text has half of a character, as \\ud83d without its second half; write the character itself") from failure
    return value
