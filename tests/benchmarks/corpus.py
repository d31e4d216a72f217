"""Knowledge bases of any size, made of real ones: every section of level two becomes a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SECTION = re.compile(r"(?m)^(?=## )")
_LEAST_CHARACTERS = 80  # less is a heading with nothing under it


def sections(folders: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every section of the English knowledge bases below a folder."""
    for path in sorted(folders.rglob("*.md")):
        place = path.relative_to(folders)
        if place.parts[0].endswith("zh") or any(part.startswith(".") for part in place.parts):
            continue
        for number, text in enumerate(_SECTION.split(path.read_text(encoding="utf-8", errors="replace"))):
            if len(text.strip()) >= _LEAST_CHARACTERS:
                yield f"{place.with_suffix('')}/{number:03}.md", text


def write_corpus(folders: Path, target: Path, documents: int, every: int = 1) -> list[Path]:
    """Write some documents, taking one section of `every` so many; the files."""
    written: list[Path] = []
    for i, (source, text) in enumerate(sections(folders)):
        if len(written) == documents:
            break
        if i % every == 0:
            path = target / source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written
