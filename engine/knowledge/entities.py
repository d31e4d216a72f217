"""Names and codes that people paste into a question: error codes, alert names, service names, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from engine.plain_text import plain
from engine.text import whole_term

_ERROR_CODE = (  # every repetition is bounded: an unbounded look ahead takes minutes on a long line of hyphens
    r"(?<![A-Z0-9_-])(?=[A-Z0-9_-]{0,60}\d{3})[A-Z][A-Z0-9]{0,20}(?:[-_][A-Z0-9]{1,20}){1,6}(?![\w-])"
    r"|\b(?:ERR|E)_[A-Z0-9_]{1,60}\b|\b[A-Z]{1,5}\d{3,6}\b"
)
_KINDS = (
    ("error_code", re.compile(_ERROR_CODE)),
    ("alert_name", re.compile(r"\b(?:[A-Z][a-z0-9]+|[A-Z]{2,}(?=[A-Z][a-z])){3,}\b")),
    ("identifier", re.compile(r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b|\bv\d+(?:\.\d+)+\b|\b\d+\.\d+\.\d+(?:\.\d+)?\b")),
    ("service_name", re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/-])")),
)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")


class Entity(NamedTuple):
    """A recognised name; `term` is what the tokeniser keeps of it as a whole."""

    text: str
    kind: str
    term: str


def entities(text: str) -> list[Entity]:
    """Every name or code in a text by its form alone, in order, the longest first where two overlap."""
    text = plain(text)
    found = [(m.start(), Entity(m.group(), kind, whole_term(m.group()))) for kind, pattern in _KINDS for m in pattern.finditer(text)]
    kept: list[Entity] = []
    end = 0
    for start, entity in sorted(found, key=lambda one: (one[0], -len(one[1].text))):
        if start >= end:
            kept.append(entity)
            end = start + len(entity.text)
    return kept


def document_entities(text: str) -> dict[str, Entity]:
    """The names in a document by term; lower-case ones only where the author set them as code."""
    spans = " ".join(match.group(1) for match in _CODE_SPAN.finditer(text))
    named = [entity for entity in entities(text) if entity.kind in ("error_code", "alert_name")]
    named += [entity for entity in entities(spans) if entity.kind in ("service_name", "identifier")]
    return {entity.term: entity for entity in named}


def query_entities(text: str, known: Iterable[str]) -> list[Entity]:
    """The names in a question: by their form, and those that the knowledge base knows, however they are written.

    A service name has no form of its own ("read-only" looks like one), so it has to be known.
    """
    found = {entity.term: entity for entity in entities(text) if entity.kind != "service_name"}
    for name in known:
        kind = next((entity.kind for entity in entities(name) if entity.text == name), "identifier")
        found[whole_term(name)] = Entity(name, kind, whole_term(name))
    return sorted(found.values(), key=lambda entity: entity.term)
