"""Where fields end and text begins in lines that no rule parts, or that no reader understands."""

from __future__ import annotations

import re
from collections.abc import Sequence

_YAML_FIELD = re.compile(r"""(?![-#>|?\[\]{}*`]|<[a-z/!])(?:"[^"]*"|'[^']*'|[^\s:"']+(?: [^\s:]+){0,2}) ?:(?:\s|$)""")
_TOML_FIELD = re.compile(r"""(?:[\w.-]+|"[^"]*"|'[^']*')(?:\.[\w"'-]+)*\s*=|\[{1,2}[^\[\]]+\]{1,2}\s*(?:#.*)?$""")
_SYNTAX = re.compile(r".*:(\s|$)|%|[?&] |-\s|[\[{](\s|$)")  # what a sentence between two rules hardly has
HEADING = re.compile(r"#{1,6} ")
_COMMENT = re.compile(r"#")
_JSON_LINE = re.compile(r'\s*(?:["\[\]{},\d-]|(?:true|false|null)\b)')


def is_syntax(line: str) -> bool:
    """Whether a line has marks that fields have and sentences hardly."""
    return bool(_SYNTAX.match(line))


def looks_like_a_field(line: str, notation: str = "yaml") -> bool:
    """Whether a line begins with a name and what parts it from its value."""
    return bool((_TOML_FIELD if notation == "toml" else _YAML_FIELD).match(line))


def end_of_fields(block: Sequence[str], notation: str) -> int:
    """The first line that is text: not blank, indented, a field, an item of a list, or a comment above one of these; else the number of lines."""
    above = ""  # the last line without indentation
    blank, commented = True, False
    for at, line in enumerate(block):
        if not line.strip():
            blank = True
            continue
        if commented and _COMMENT.match(line):
            continue  # what follows the first comment of a row follows them all
        if not (_continues(block, at, above, notation) or _is_a_slip(block, at, notation)):
            return at
        if blank and above and _may_be_a_sentence(line, block):
            return at
        above = above if line[0] in " \t#" else line
        blank, commented = False, bool(_COMMENT.match(line))
    return len(block)


def _is_a_slip(block: Sequence[str], at: int, notation: str) -> bool:
    """Whether a line that is no field stands between two fields without a blank line: a field that was meant as one."""
    is_between = 0 < at < len(block) - 1 and bool(block[at - 1].strip()) and looks_like_a_field(block[at + 1], notation)
    return is_between and not HEADING.match(block[at])


def _continues(block: Sequence[str], at: int, above: str, notation: str) -> bool:
    line = block[at]
    if _COMMENT.match(line):
        following = next((at for at in range(at + 1, len(block)) if block[at].strip() and not _COMMENT.match(block[at])), None)
        return following is not None and _continues(block, following, above, notation)
    if looks_like_a_field(line, notation) or line.startswith(("]", "}", "? ", ": ")):
        return True
    if line[0] in " \t":
        return bool(above)
    return notation == "yaml" and line.startswith("- ") and (above.rstrip().endswith(":") or above.startswith("- "))


def doubtful_line(block: Sequence[str]) -> int | None:
    """The first line of readable fields that may be text: a comment or a capital letter after a blank line."""
    for at in range(1, len(block)):
        line = block[at]
        if not line.strip() or block[at - 1].strip():
            continue
        alone = at + 1 < len(block) and not block[at + 1].strip() and any(other.strip() for other in block[at + 1 :])  # the last one is a comment
        if (_COMMENT.match(line) and alone) or _may_be_a_sentence(line, block):
            return at
    return None


def _may_be_a_sentence(line: str, block: Sequence[str]) -> bool:
    """Whether a field begins with a capital letter where the others do not, and has a sentence as its value."""
    first = next((other for other in block if looks_like_a_field(other)), "A")
    return looks_like_a_field(line) and line[0].isupper() and first[0].islower() and len(line.partition(":")[2].split()) > 2


def end_of_object(lines: Sequence[str], first: int) -> tuple[int, bool]:
    """The line after a JSON object that cannot be read, and whether its braces are closed there; else where text begins."""
    depth, in_text, escaped = 0, False, False
    for at in range(first, len(lines)):
        if at > first and (not lines[at].strip() or not (in_text or _JSON_LINE.match(lines[at]))):
            return at, False
        for mark in lines[at]:
            if in_text:
                in_text, escaped = (escaped or mark != '"'), mark == "\\" and not escaped
            else:
                in_text = mark == '"'
                depth += (mark in "{[") - (mark in "}]")
        if depth <= 0:
            return at + 1, True
        in_text = escaped = False  # a JSON text has no line ends
    return len(lines), False
