"""The block of fields before a document's text: YAML, TOML, JSON or none, each problem reported with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.contracts.reports import FrontmatterCode, Problem
from engine.knowledge.fields import Field, FieldsUnreadable
from engine.knowledge.json_fields import read_json
from engine.knowledge.toml_fields import read_toml
from engine.knowledge.yaml_fields import read_yaml

_FENCES = {"---": "yaml", "---yaml": "yaml", "---yml": "yaml", "---toml": "toml", "---json": "json", "+++": "toml"}
_CODE = re.compile(r"---(js|javascript|ts|typescript|coffee|coffeescript|cson)")  # code that other tools run; nothing is run here
_FIELD = re.compile(r"""["']?[\w.-]+["']?\s*[:=]""")
_LOWER_FIELD = re.compile(r"""["']?[a-z_][\w.-]*["']?\s*:""")
_SYNTAX = re.compile(r".*:(\s|$)|%|[?&] |-\s|[\[{](\s|$)")  # what a sentence between two rules hardly has
_HEADING = re.compile(r"#{1,6} ")
_OBJECT = re.compile(r'\{\s*("|$)')


class Frontmatter(NamedTuple):
    """Fields as lists of text with their lines, where the body begins, and what was wrong."""

    fields: dict[str, tuple[str, ...]]
    lines: dict[str, int]  # of each field, 1-based
    lists: frozenset[str]  # the fields that are lists: a comma in an item is the author's
    body_line: int  # first line of the body, 0-based
    problems: tuple[Problem, ...]


NOTHING = Frontmatter({}, {}, frozenset(), 0, ())


def read_frontmatter(source: str, lines: list[str]) -> Frontmatter:
    """The fields at the top of a file, if there are any."""
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    opening = lines[first].rstrip() if first < len(lines) else ""
    if _OBJECT.match(opening):
        return _object(source, lines, first)
    if opening not in _FENCES and not _CODE.fullmatch(opening):
        return NOTHING
    last = _closing(lines, first)
    if opening not in _FENCES:
        if last is None:
            message = "the code at the top has no closing ---; write YAML fields"
            return NOTHING._replace(problems=(_problem(source, first, "unclosed_frontmatter", message),))
        return _broken(source, first, last + 1, f"is code ({opening[3:]}), which is never run; write YAML fields")
    notation = _FENCES[opening]
    block = lines[first + 1 : last]
    if notation == "yaml" and block and not block[0].strip() and not _begins_with_a_field(block):
        return NOTHING  # text between two rules
    end = _end_of_fields(block)
    if last is None or (notation == "yaml" and end < len(block)):
        return _unclosed(source, block[:end], first, notation, opening[:3])
    return _closed(source, block, first, last, notation)


def _closing(lines: list[str], first: int) -> int | None:
    """The line that ends the block; a second `---` right at the start of YAML fields begins them, too."""
    closing = ("+++",) if lines[first].rstrip() == "+++" else ("---", "...")
    ends = (i for i in range(first + 1, len(lines)) if lines[i].rstrip() in closing)
    last = next(ends, None)
    if last == first + 1 and last + 1 < len(lines) and _SYNTAX.match(lines[last + 1]):
        later = next(ends, None)
        return last if later is None or not all(line.strip() for line in lines[last + 1 : later]) else later
    return last


def _begins_with_a_field(block: Sequence[str]) -> bool:
    """Whether lines that begin with a blank one are fields; between two rules with blank lines around it, `Note: ...` is a sentence."""
    written = [line for line in block if line.strip()]
    if not written:
        return False
    return bool(_LOWER_FIELD.match(written[0])) or (bool(block[-1].strip()) and all(_FIELD.match(line) for line in written))


def _end_of_fields(block: Sequence[str]) -> int:
    """Where text begins within a block: after a blank line, or with a heading, at what is no field; the end where all are fields."""
    looks = _LOWER_FIELD if any(_LOWER_FIELD.match(line) for line in block[:3]) else _FIELD
    above = ""
    for at, line in enumerate(block):
        if line.strip() and not _HEADING.match(line):
            above = line
        elif line.strip() or at == 0 or block[at - 1].strip():
            following = next((other for other in block[at + 1 :] if other.strip()), "")
            if following and not _continues(above, following, looks):
                return at
    return len(block)


def _continues(above: str, line: str, looks: re.Pattern[str]) -> bool:
    """Whether a line goes on with fields: a field, an indented line, a comment, the end of brackets, or an item of a list above it."""
    in_list = above.rstrip().endswith(":") or above.startswith("- ")
    return bool(looks.match(line)) or line.startswith((" ", "\t", "#", "]", "}", "?", "<<", "...")) or (in_list and line.startswith("- "))


def _closed(source: str, block: list[str], first: int, last: int, notation: str) -> Frontmatter:
    try:
        return _complete(source, _read("\n".join(block), notation), first, last + 1)
    except FieldsUnreadable as failure:
        if notation == "yaml" and not any(_SYNTAX.match(line) for line in block):
            return NOTHING  # a sentence between two rules
        return _broken(source, first + 1 + failure.line, last + 1, failure.what)


def _unclosed(source: str, head: list[str], first: int, notation: str, closing: str) -> Frontmatter:
    """Fields without an end: they are read up to where text begins, and the rest is text."""
    written = next((line for line in head if line.strip() and not line.startswith("#")), "")
    if not _FIELD.match(written):
        return NOTHING  # a rule at the top of the text
    body = first + 1 + len(head)
    try:
        found = _complete(source, _read("\n".join(head), notation), first, body)
    except FieldsUnreadable as failure:
        return _broken(source, first + 1 + failure.line, body, failure.what)
    message = f"the frontmatter has no closing {closing}; add it (the fields up to line {body} are read, the rest is text)"
    return found._replace(problems=(*found.problems, _problem(source, first, "unclosed_frontmatter", message)))


def _object(source: str, lines: list[str], first: int) -> Frontmatter:
    """A JSON object at the top, up to its closing brace."""
    text = "\n".join(lines[first:])
    try:
        fields, end = read_json(text)
    except FieldsUnreadable as failure:
        body = _end_of_object(lines, first)
        if body and lines[body - 1].rstrip() == "}":
            return _broken(source, first + failure.line, body, failure.what)
        message = "the frontmatter has no closing }; add it (the text is indexed without its fields)"
        return Frontmatter({}, {}, frozenset(), body, (_problem(source, first, "unclosed_frontmatter", message),))
    if text[end:].split("\n", 1)[0].strip():
        return NOTHING  # a sentence that begins with an object
    return _complete(source, fields, first - 1, first + text.count("\n", 0, end) + 1)


def _end_of_object(lines: list[str], first: int) -> int:
    """The line after an object that cannot be read: after a brace of its own, or where text follows a blank line; 0 where neither is."""
    for at in range(first + 1, len(lines)):
        if lines[at].rstrip() == "}":
            return at + 1
        if not lines[at].strip() and not lines[min(at + 1, len(lines) - 1)].lstrip().startswith(('"', "{", "}", "[", "]", ",")):
            return at
    return 0


def _read(text: str, notation: str) -> list[Field]:
    """The fields of a block. Raises FieldsUnreadable."""
    if notation != "json":
        return read_toml(text) if notation == "toml" else read_yaml(text)
    found, end = read_json(text)
    if text[end:].strip():
        raise FieldsUnreadable(text.count("\n", 0, end), "goes on after the JSON object; remove the rest")
    return found


def _complete(source: str, found: list[Field], first: int, body: int) -> Frontmatter:
    """Fields by name; of a name that stands twice the first one counts. Their lines are counted from the line after `first`."""
    fields: dict[str, tuple[str, ...]] = {}
    places: dict[str, int] = {}
    problems = []
    for name, line, values, _, rest in found:
        if name in fields:
            message = f"the field {name} stands twice; the first one is used, remove the other"
            problems.append(_problem(source, first + 1 + line, "duplicate_field", message))
            continue
        fields[name], places[name] = values, first + 2 + line
        if rest:
            message = f"the value of {name} ends before {rest[:80]}, which YAML takes for a comment; quote the value"
            problems.append(_problem(source, first + 1 + line, "cut_value", message))
    return Frontmatter(fields, places, frozenset(field.name for field in found if field.is_list), body, tuple(problems))


def _broken(source: str, line: int, body: int, what: str) -> Frontmatter:
    """A block that gives no fields; the text from line `body` on is read."""
    message = f"the frontmatter {what} (the text is indexed without its fields)"
    return Frontmatter({}, {}, frozenset(), body, (_problem(source, line, "broken_frontmatter", message),))


def _problem(source: str, line: int, code: FrontmatterCode, message: str) -> Problem:
    """A problem at a line, 0-based."""
    return Problem(source=source, line=line + 1, code=code, message=message)
