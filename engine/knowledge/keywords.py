"""The L0 keyword tables: titles, keywords, aliases and names, each with the document that carries it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.knowledge.document import Document
from engine.knowledge.entities import document_entities
from engine.text import phrase_key


class KeywordEntry(NamedTuple):
    """One line of the L0 tables. A hint about a document, never evidence."""

    key: str  # the folded words, joined by a space
    kind: str  # title, keyword, alias or entity
    text: str
    canonical: str | None  # what an alias stands for
    source: str


def keyword_entries(documents: Iterable[Document]) -> list[KeywordEntry]:
    """The entries of all documents, sorted, entries without a word left out."""
    found = {entry for document in documents for entry in _entries(document) if entry.key}
    return sorted(found, key=lambda entry: (entry.key, entry.kind, entry.source, entry.text))


def _entries(document: Document) -> Iterable[KeywordEntry]:
    yield KeywordEntry(phrase_key(document.title), "title", document.title, None, document.source)
    for keyword in document.keywords:
        yield KeywordEntry(phrase_key(keyword), "keyword", keyword, None, document.source)
    for alias in document.aliases:
        yield KeywordEntry(phrase_key(alias), "alias", alias, document.title, document.source)
    for entity in document_entities("\n".join(document.lines)).values():
        yield KeywordEntry(phrase_key(entity.text), "entity", entity.text, None, document.source)
