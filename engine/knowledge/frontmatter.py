"""The block of fields before a document's text: YAML, TOML, JSON or none, each problem reported with its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.contracts.reports import Problem
from engine.knowledge.fields import Field, FieldsUnreadable, read_json, read_toml, read_yaml

_FENCES = {"---": "yaml", "---yaml": "yaml", "---yml": "yaml", "---toml": "toml", "---json": "json", "+++": "toml"}
_CODE = re.compile(r"---(js|javascript|ts|typescript|coffee|coffeescript|cson)")  # code that other tools run; nothing is run here
_FIELD = re.compile(r"""["']?[\w.-]+["']?\s*[:=]""")
_LOWER_FIELD = re.compile(r"[a-z][\w.-]*\s*:")
_SYNTAX = re.compile(r".*:(\s|$)|%|[?&] |-\s|[\[{](\s|$)")  # what a sentence between two rules hardly has
_OBJECT = re.compile(r'\{\s*("|$)')


class Frontmatter(NamedTuple):
    """Fields as lists of text with their lines, where the body begins, and what was wrong."""

    fields: dict[str, tuple[str, ...]]
    lines: dict[str, int]  # of each field, 1-based
    body_line: int  # first line of the body, 0-based
    problems: tuple[Problem, ...]


NOTHING = Frontmatter({}, {}, 0, ())


def read_frontmatter(source: str, lines: list[str]) -> Frontmatter:
    """The fields at the top of a file, if there are any."""
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    opening = lines[first].rstrip() if first < len(lines) else ""
    if _OBJECT.match(opening):
        return _object(source, lines, first)
    if opening not in _FENCES and not _CODE.fullmatch(opening):
        return NOTHING
    last = _closing(lines, first)
    if last is None:
        return _unclosed(source, lines, first, opening[:3])
    if opening not in _FENCES:
        return _broken(source, first, last, f"is code ({opening[3:]}), which is never run; write YAML fields")
    return _fenced(source, lines, first, last, _FENCES[opening])


def _fenced(source: str, lines: list[str], first: int, last: int, notation: str) -> Frontmatter:
    block = lines[first + 1 : last]
    if notation == "yaml" and block and not block[0].strip() and not _begins_with_a_field(block):
        return NOTHING  # text between two rules
    text = "\n".join(block)
    try:
        if notation == "json":
            return _complete(source, read_json(text)[0], first, last)
        return _complete(source, read_toml(text) if notation == "toml" else read_yaml(text), first, last)
    except FieldsUnreadable as failure:
        if notation == "yaml" and not any(_SYNTAX.match(line) for line in block):
            return NOTHING  # a sentence between two rules
        end = _forgotten_end(block) if notation == "yaml" else None
        if end is None:
            return _broken(source, first + 1 + failure.line, last, failure.what)
        head = _complete(source, read_yaml("\n".join(block[:end])), first, first + end)
        message = "the frontmatter has no closing ---; add it (the fields up to the blank line are read, the rest is text)"
        return head._replace(problems=(*head.problems, _problem(source, first, "unclosed_frontmatter", message)))


def _closing(lines: list[str], first: int) -> int | None:
    """The line that ends the block; a second `---` right at the start of YAML fields begins them, too."""
    closing = ("+++",) if lines[first].rstrip() == "+++" else ("---", "...")
    ends = (i for i in range(first + 1, len(lines)) if lines[i].rstrip() in closing)
    last = next(ends, None)
    if last == first + 1 and last + 1 < len(lines) and _SYNTAX.match(lines[last + 1]):
        later = next(ends, None)
        return last if later is None or not all(line.strip() for line in lines[last + 1 : later]) else later
    return last


def _begins_with_a_field(block: list[str]) -> bool:
    """Whether lines that begin with a blank one are fields; after a rule and a blank line, `Note: ...` is a sentence."""
    return bool(_LOWER_FIELD.match(next((line for line in block if line.strip()), "")))


def _forgotten_end(block: list[str]) -> int | None:
    """Where fields that were never closed end: at a blank line before text, when all above it can be read."""
    end = next((i for i, line in enumerate(block) if not line.strip()), None)
    after = next((line for line in block[end:] if line.strip()), "") if end else ""
    if not end or not after or _FIELD.match(after) or after.startswith((" ", "\t", "- ")):
        return None
    try:
        return end if read_yaml("\n".join(block[:end])) else None
    except FieldsUnreadable:
        return None


def _object(source: str, lines: list[str], first: int) -> Frontmatter:
    """A JSON object at the top, up to its closing brace."""
    text = "\n".join(lines[first:])
    try:
        fields, end = read_json(text)
    except FieldsUnreadable as failure:
        last = next((i for i in range(first, len(lines)) if lines[i].rstrip() == "}"), None)
        if last is None:
            return _unclosed(source, lines, first, "}")
        return _broken(source, first + failure.line, last, failure.what)
    if text[end:].split("\n", 1)[0].strip():
        return NOTHING  # a sentence that begins with an object
    return _complete(source, fields, first - 1, first + text.count("\n", 0, end))


def _unclosed(source: str, lines: list[str], first: int, closing: str) -> Frontmatter:
    following = lines[first + 1] if first + 1 < len(lines) else ""
    if closing != "}" and not _FIELD.match(following):
        return NOTHING  # a rule at the top of the text
    message = f"the frontmatter has no closing {closing}; add it (until then the whole file is text)"
    return NOTHING._replace(problems=(_problem(source, first, "unclosed_frontmatter", message),))


def _complete(source: str, found: list[Field], first: int, last: int) -> Frontmatter:
    """Fields by name; of a name that stands twice the first one counts. Their lines are counted from the line after `first`."""
    fields: dict[str, tuple[str, ...]] = {}
    places: dict[str, int] = {}
    problems = []
    for name, line, values in found:
        if name in fields:
            message = f"the field {name} stands twice; the first one is used, remove the other"
            problems.append(_problem(source, first + 1 + line, "duplicate_field", message))
        else:
            fields[name], places[name] = values, first + 2 + line
    return Frontmatter(fields, places, last + 1, tuple(problems))


def _broken(source: str, line: int, last: int, what: str) -> Frontmatter:
    """A closed block that gives no fields; the text after it is read."""
    message = f"the frontmatter {what} (the text is indexed without its fields)"
    return Frontmatter({}, {}, last + 1, (_problem(source, line, "broken_frontmatter", message),))


def _problem(source: str, line: int, code: str, message: str) -> Problem:
    """A problem at a line, 0-based."""
    return Problem(source=source, line=line + 1, code=code, message=message)
