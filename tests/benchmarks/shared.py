"""Where the benchmarks find their data, and how they print."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def shared_folder(*parts: str) -> Path:
    """A folder of the data that benchmarks read; the program ends with exit code 3 where it is missing."""
    home = Path(os.environ.get("TESTS_SHARED") or ROOT.parent / "shared")
    folder = home.joinpath(*parts)
    if not folder.is_dir():
        wanted = "/".join(parts)
        print(f"MISSING: {folder} is no folder, so nothing was measured; point TESTS_SHARED to the folder that has {wanted}", file=sys.stderr)
        raise SystemExit(3)
    return folder


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = []
    for first, *others in (head, *rows):
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
