"""How a block is written into the packed context, and read back: no content can imitate the structure.

A block is a few header lines, whose values are JSON strings, and its content with `| ` before every line:

    [1] source: "runbooks/disk.md" lines: 10-22 of 10-50
    title: "Disk filling"
    breadcrumb: "Disk filling > Mitigation"
    why: "similarity 0.712"; "has the words disk, full"
    | content
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass

from engine.knowledge.chunk_names import MOST_NAME_CHARACTERS

_FIRST = re.compile(r'\[(\d+)\] source: ("(?:[^"\\]|\\.)*") lines: (\d+)-(\d+)(?: of (\d+)-(\d+))?')
_OTHER_ENDS = re.compile("([\r\v\f\x1c-\x1e\x85\u2028\u2029])")  # where other readers than ours begin a new line
_MARKED_ENDS = re.compile(_OTHER_ENDS.pattern + "[|] ")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """A block as it stands in a packed context."""

    source: str
    title: str | None
    breadcrumb: str | None
    reasons: tuple[str, ...]
    lines: tuple[int, int]  # that are shown
    whole_lines: tuple[int, int]  # of the uncut block
    truncated: bool
    content: str


def write_header(number: int, block: PackedBlock) -> str:
    """The header lines of a block; a cut one says which lines it shows of which."""
    first = f"[{number}] source: {_quoted(block.source)} lines: {block.lines[0]}-{block.lines[1]}"
    lines = [first + (f" of {block.whole_lines[0]}-{block.whole_lines[1]}" if block.truncated else "")]
    named = (("title", block.title), ("breadcrumb", block.breadcrumb))
    lines += [f"{name}: {_quoted(value[:MOST_NAME_CHARACTERS])}" for name, value in named if value]
    if block.reasons:
        lines.append("why: " + "; ".join(_quoted(reason) for reason in block.reasons))
    return "\n".join(lines)


def write_content(content: str) -> str:
    """The content with a mark before every line."""
    return "\n".join("| " + _OTHER_ENDS.sub(r"\1| ", line) if line else "|" for line in content.split("\n"))


def parse(text: str) -> tuple[PackedBlock, ...]:
    """The blocks of a packed context.

    Raises:
        ValueError: the text is no packed context.
    """
    if not text:
        return ()
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if _FIRST.fullmatch(line)]
    if not starts or starts[0] != 0:
        raise ValueError("the text does not begin with the header of a block")
    return tuple(_parse_block(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True))


def _parse_block(lines: list[str]) -> PackedBlock:
    first = _FIRST.fullmatch(lines[0])
    if first is None:
        raise ValueError("the text does not begin with the header of a block")
    shown = (int(first[3]), int(first[4]))
    content = [line for line in lines if line.startswith("|")]
    headers = dict(line.split(": ", 1) for line in lines[1:] if line and not line.startswith("|"))
    return PackedBlock(
        source=json.loads(first[2]),
        title=json.loads(headers["title"]) if "title" in headers else None,
        breadcrumb=json.loads(headers["breadcrumb"]) if "breadcrumb" in headers else None,
        reasons=tuple(json.loads(reason) for reason in _STRING.findall(headers.get("why", ""))),
        lines=shown,
        whole_lines=(int(first[5]), int(first[6])) if first[5] else shown,
        truncated=first[5] is not None,
        content="\n".join(_MARKED_ENDS.sub(r"\1", line[2:]) for line in content),
    )


def _quoted(text: str) -> str:
    """A JSON string on one line, whatever separators the text has in it."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(mark):04x}" if unicodedata.category(mark) in ("Cc", "Zl", "Zp") else mark for mark in quoted)
