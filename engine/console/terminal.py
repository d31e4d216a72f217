"""Text for a terminal: nothing steers it, columns are aligned, long lists are cut."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len

_MOST_LISTED = 20
_WIDEST = 48  # cells of a column; a longer cell moves the rest of its own row only


def printable(lines: Iterable[str]) -> str:
    """Lines for a terminal; whatever would steer it is written as an escape."""
    return "\n".join(map(escaped, lines))


def complain(sentence: str) -> None:
    """One sentence on stderr."""
    print(escaped(sentence), file=sys.stderr, flush=True)


def escaped(text: str) -> str:
    """One line of text without a mark that would steer a terminal."""
    return "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text)


def listed(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Places with what is said of each; what is said of all of them alike is left to the heading."""
    alike = len(entries) > 1 and len({said for _, said in entries}) == 1
    lines = [f"  {place}" if alike else f"  {place}  {said}" for place, said in entries[:_MOST_LISTED]]
    return [*lines, *([f"  and {len(entries) - _MOST_LISTED} more (see --json)"] if len(entries) > _MOST_LISTED else [])]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width on a terminal, where a Chinese character takes two places."""
    cells = [[escaped(cell) for cell in row] for row in rows]
    widths = [min(max(map(cell_len, column)), _WIDEST) for column in zip(*cells, strict=True)]
    return ["  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
