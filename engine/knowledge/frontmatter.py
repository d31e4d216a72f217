"""The block of fields before a document's text; every scalar stays the author's text and nothing is evaluated."""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml

from engine.contracts.reports import Problem
from engine.text import valid_unicode

_KEY = re.compile(r"[\w.-]+\s*:")
_NULL = "tag:yaml.org,2002:null"  # `category:`, `category: null` and `category: ~` name none
_MOST_VALUES = 10_000  # aliases can multiply values without end


class Frontmatter(NamedTuple):
    """Fields as lists of text, where the body begins, and what was wrong."""

    fields: dict[str, tuple[str, ...]]
    body_line: int  # first line of the body, 0-based
    problems: tuple[Problem, ...]


def read_frontmatter(source: str, lines: list[str]) -> Frontmatter:
    """The fields between two `---` lines at the top of a file, if there are any."""
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines) or lines[first].rstrip() != "---":
        return Frontmatter({}, 0, ())
    last = next((i for i in range(first + 1, len(lines)) if lines[i].rstrip() in ("---", "...")), None)
    if last is None:
        return _unclosed(source, lines, first)
    try:
        node = yaml.compose("\n".join(lines[first + 1 : last]), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as failure:
        mark = getattr(failure, "problem_mark", None)
        what = getattr(failure, "problem", None) or str(failure)
        line = first + 2 + (mark.line if mark is not None else 0)
        return _broken(source, line, last, f"is not YAML: {what}; quote the value or repair the line")
    if node is None:
        return Frontmatter({}, last + 1, ())
    if isinstance(node, yaml.ScalarNode):
        return Frontmatter({}, 0, ())  # text between two rules
    if not isinstance(node, yaml.MappingNode):
        return _broken(source, first + 2, last, "is a list, not fields; write `name: value` lines")
    try:
        return _fields(source, node, first, last)
    except RecursionError:
        return _broken(source, first + 2, last, "is nested without end; write plain `name: value` lines")


def _broken(source: str, line: int, last: int, what: str) -> Frontmatter:
    """A closed block that gives no fields; the text after it is read."""
    message = f"the frontmatter {what} (the text is indexed without its fields)"
    return Frontmatter({}, last + 1, (Problem(source=source, line=line, code="broken_frontmatter", message=message),))


def _unclosed(source: str, lines: list[str], first: int) -> Frontmatter:
    following = lines[first + 1] if first + 1 < len(lines) else ""
    if not _KEY.match(following):
        return Frontmatter({}, 0, ())  # a rule at the top of the text
    message = "the frontmatter has no closing ---; add it (until then the whole file is text)"
    return Frontmatter({}, 0, (Problem(source=source, line=first + 1, code="unclosed_frontmatter", message=message),))


def _fields(source: str, node: yaml.MappingNode, first: int, last: int) -> Frontmatter:
    fields: dict[str, tuple[str, ...]] = {}
    problems = []
    for key, value in node.value:
        name = valid_unicode(str(key.value)) if isinstance(key, yaml.ScalarNode) else ""
        if name in fields:
            message = f"the field {name} stands twice; the first one is used, remove the other"
            problems.append(Problem(source=source, line=first + 2 + key.start_mark.line, code="duplicate_field", message=message))
        elif name:
            fields[name] = tuple(_scalars(value, [_MOST_VALUES]))
    return Frontmatter(fields, last + 1, tuple(problems))


def _scalars(node: yaml.Node, left: list[int]) -> list[str]:
    """The text of every scalar under a node, in order, up to a limit."""
    if isinstance(node, yaml.ScalarNode):
        left[0] -= 1
        text = valid_unicode(node.value).strip()
        return [text] if left[0] >= 0 and text and node.tag != _NULL else []
    found: list[str] = []
    for item in node.value:
        if left[0] <= 0:
            break
        left[0] -= 1
        found += _scalars(item[1] if isinstance(item, tuple) else item, left)
    return found
