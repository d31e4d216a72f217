"""The house stays small: no function over 40 lines, no file over 300."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted([ROOT / "app.py", *(path for part in ("engine", "pages", "tests") for path in (ROOT / part).rglob("*.py"))])
MOST_FILE_LINES, MOST_FUNCTION_LINES = 300, 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {node.name: lines for node in functions if (lines := (node.end_lineno or 0) - node.lineno + 1) > MOST_FUNCTION_LINES}
    assert (long, text.count("\n") <= MOST_FILE_LINES) == ({}, True)
