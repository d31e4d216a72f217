"""The block of fields before a document's text: YAML, TOML, JSON or none, each problem reported with its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.contracts.reports import FrontmatterCode, Problem
from engine.knowledge.fields import Field, FieldsUnreadable
from engine.knowledge.frontmatter_end import HEADING, doubtful_line, end_of_fields, end_of_object, is_syntax, looks_like_a_field
from engine.knowledge.json_fields import read_json
from engine.knowledge.toml_fields import read_toml
from engine.knowledge.yaml_fields import read_yaml

_FENCES = {"---": "yaml", "---yaml": "yaml", "---yml": "yaml", "---toml": "toml", "---json": "json", "+++": "toml"}
_CODE = re.compile(r"---(js|javascript|ts|typescript|coffee|coffeescript|cson)")  # code that other tools run; nothing is run here
_CLOSING = re.compile(r"(?:---|\.\.\.)(?:\s+#.*)?\s*")
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
    code = _CODE.fullmatch(opening)
    if opening not in _FENCES and not code:
        return NOTHING
    last = _closing(lines, first)
    if code and last is not None:
        return _broken(source, first, last + 1, f"is code ({code.group(1)}), which is never run; write YAML fields")
    notation = _FENCES.get(opening, "code")
    if last is not None:
        return _closed(source, lines[first + 1 : last], first, last, notation)
    if notation in ("json", "code"):
        return NOTHING._replace(problems=(_unclosed_problem(source, first, "---", "until then the whole file is text"),))
    return _unclosed(source, lines[first + 1 :], first, notation)


def _closing(lines: list[str], first: int) -> int | None:
    """The line that ends the block; a second `---` right at the start of YAML fields begins them, too."""
    toml = lines[first].rstrip() == "+++"
    ends = (i for i in range(first + 1, len(lines)) if (lines[i].rstrip() == "+++" if toml else _CLOSING.fullmatch(lines[i])))
    last = next(ends, None)
    if last == first + 1 and last + 1 < len(lines) and is_syntax(lines[last + 1]):
        later = next(ends, None)
        return last if later is None or not all(line.strip() for line in lines[last + 1 : later]) else later
    return last


def _closed(source: str, block: list[str], first: int, last: int, notation: str) -> Frontmatter:
    """Fields between two rules. What can be read is read; what cannot may be fields without an end and a rule in the text."""
    if notation == "yaml" and _is_prose(block):
        return NOTHING
    try:
        found = _complete(source, _read("\n".join(block), notation), first, last + 1)
    except FieldsUnreadable as failure:
        if notation == "yaml" and not any(is_syntax(line) for line in block):
            return NOTHING  # a sentence between two rules
        if notation in ("yaml", "toml") and _fields_before_text(block, notation):
            return _unclosed(source, block, first, notation)
        return _broken(source, first + 1 + failure.line, last + 1, failure.what)
    doubtful = doubtful_line(block) if notation == "yaml" else None
    if doubtful is None:
        return found
    message = "from here on this may be text and not fields, so it is read as both; end the frontmatter with --- where the text begins"
    problem = _problem(source, first + 1 + doubtful, "doubtful_frontmatter", message)
    return found._replace(body_line=first + 1 + doubtful, problems=(*found.problems, problem))


def _fields_before_text(block: list[str], notation: str) -> list[str]:
    """The lines at the top that look like fields where text follows them; none where all are fields, or none is."""
    end = end_of_fields(block, notation)
    doubtful = doubtful_line(block) if notation == "yaml" else None
    end = end if doubtful is None else min(end, doubtful)
    return block[:end] if end < len(block) and any(looks_like_a_field(line, notation) for line in block[:end]) else []


def _is_prose(block: list[str]) -> bool:
    """Whether lines with blank ones around them are a text between two rules: `Note: ...` is a sentence there."""
    written = [line for line in block if line.strip()]
    if not written or block[0].strip():
        return bool(written) and all(line.startswith("#") for line in written)
    fields_only = bool(block[-1].strip()) and all(looks_like_a_field(line) for line in written)
    return not (fields_only or (looks_like_a_field(written[0]) and not written[0][0].isupper()))


def _unclosed(source: str, block: list[str], first: int, notation: str) -> Frontmatter:
    """Fields without an end: they are read up to where text begins, and the rest is text."""
    head = _fields_before_text([*block, "", "."], notation)[: len(block)]  # text follows wherever they end
    if not head:
        return NOTHING  # a rule at the top of the text
    heading = next((at for at, line in enumerate(head) if at and HEADING.match(line)), len(head))
    body = first + 1 + len(head)
    try:
        found = _complete(source, _read("\n".join(head), notation), first, body)
    except FieldsUnreadable as failure:
        if heading < len(head):
            return _unclosed(source, [*head[:heading], "", ".", *block[heading:]], first, notation)._replace(body_line=first + 1 + heading)
        return _broken(source, first + 1 + failure.line, body, failure.what)
    problem = _unclosed_problem(source, first, "---" if notation == "yaml" else "+++", f"the fields up to line {body} are read, the rest is text")
    return found._replace(problems=(*found.problems, problem))


def _object(source: str, lines: list[str], first: int) -> Frontmatter:
    """A JSON object at the top, up to its closing brace."""
    text = "\n".join(lines[first:])
    try:
        fields, end = read_json(text)
    except FieldsUnreadable as failure:
        body, is_closed = end_of_object(lines, first)
        if is_closed:
            return _broken(source, first + failure.line, body, failure.what)
        problem = _unclosed_problem(source, first, "}", "the text is indexed without its fields")
        return NOTHING._replace(body_line=body, problems=(problem,))
    if text[end:].split("\n", 1)[0].strip():
        return NOTHING  # a sentence that begins with an object
    return _complete(source, fields, first - 1, first + text.count("\n", 0, end) + 1)


def _read(text: str, notation: str) -> list[Field]:
    """The fields of a block. Raises FieldsUnreadable."""
    if notation != "json":
        return read_toml(text) if notation == "toml" else read_yaml(text)
    found, end = read_json(text)
    if rest := text[end:].lstrip():
        raise FieldsUnreadable(text.count("\n", 0, len(text) - len(rest)), "goes on after the JSON object; remove the rest")
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
    return NOTHING._replace(body_line=body, problems=(_problem(source, line, "broken_frontmatter", message),))


def _unclosed_problem(source: str, line: int, closing: str, what: str) -> Problem:
    return _problem(source, line, "unclosed_frontmatter", f"the frontmatter has no closing {closing}; add it ({what})")


def _problem(source: str, line: int, code: FrontmatterCode, message: str) -> Problem:
    """A problem at a line, 0-based."""
    return Problem(source=source, line=line + 1, code=code, message=message)
