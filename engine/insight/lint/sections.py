"""Headings without text, and section titles that several documents share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.knowledge.outline import Section
from engine.plain_text import fold


def headings_without_text(material: Material) -> Iterator[Finding]:
    """Headings with neither text nor a heading below them, the title left out; a document without any text is a fault of its own."""
    for document in material.corpus.documents:
        if not any(section.blocks for section in document.sections):
            continue
        for section, following in pairwise((*document.sections, None)):
            if section is None or section.blocks or section.headings in ((), (document.title,)):
                continue
            if not _is_below(following, section):
                yield finding("heading_without_text", document.source, section.line + 1, f"there is no text under “{section.headings[-1]}”")


def _is_below(section: Section | None, above: Section) -> bool:
    depth = len(above.headings)
    return section is not None and len(section.headings) > depth and section.headings[:depth] == above.headings


def same_section_titles(material: Material) -> Iterator[Finding]:
    """Section titles of more than one document, each at its first place."""
    places: dict[str, list[tuple[str, int, str]]] = {}
    for document in material.corpus.documents:
        for section in document.sections:
            if section.headings and section.headings[-1]:
                places.setdefault(fold(section.headings[-1]), []).append((document.source, section.line + 1, section.headings[-1]))
    for found in places.values():
        count = len({source for source, _, _ in found})
        if count > 1:
            source, line, title = found[0]
            yield finding("same_section_title", source, line, f"the section title “{title}” stands in {count} documents")
