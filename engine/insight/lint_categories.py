"""Categories that are missing, misspelt, or divide nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import CATEGORY_NAMES, Material
from engine.knowledge.corpus import Document
from engine.text import fold

_NEAR = 0.8  # difflib's ratio: one letter more, less or swapped in a word of five


def missing_category(material: Material) -> Iterator[Finding]:
    """Documents without a category; one finding where no document has one."""
    bare = [document for document in material.corpus.documents if not document.categories]
    if len(bare) < len(material.corpus.documents):
        message = "the document has no category, and others have one"
        yield from (finding("missing_category", document.source, 1, message) for document in bare)
    elif len(bare) > 1:
        yield finding("no_categories", bare[0].source, 1, f"none of the {len(bare)} documents has a category")


def one_category(material: Material) -> Iterator[Finding]:
    """A category that every document has, where there is no other."""
    documents = material.corpus.documents
    categories = _documents_by_category(material)
    if len(documents) > 1 and len(categories) == 1 and all(document.categories for document in documents):
        (name,) = categories
        yield finding("one_category", documents[0].source, _line(material, documents[0], name), f"all {len(documents)} documents have the category {name}")


def rare_categories(material: Material) -> Iterator[Finding]:
    """Categories of one document, as a slip where another one has nearly the same name; so are names that differ by case only."""
    categories = _documents_by_category(material)
    for name, documents in categories.items():
        others = {fold(other): other for other, those in categories.items() if other != name and len(those) >= len(documents)}
        same = others.get(fold(name))
        near = [same] if same else [others[one] for one in difflib.get_close_matches(fold(name), others, n=1, cutoff=_NEAR)]
        source, line = documents[0].source, _line(material, documents[0], name)
        if near and (len(documents) == 1 or (same and (len(documents), name) < (len(categories[same]), same))):
            message = f"the category {name} is used by {_count(documents)}; {near[0]} is used by {_count(categories[near[0]])}"
            yield finding("category_typo", source, line, message)
        elif len(documents) == 1 and len(categories) > 1:
            yield finding("category_used_once", source, line, f"no other document has the category {name}")


def _documents_by_category(material: Material) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in material.corpus.documents:
        for name in dict.fromkeys(document.categories):
            found.setdefault(name, []).append(document)
    return dict(sorted(found.items()))


def _line(material: Material, document: Document, name: str) -> int:
    return material.field_line(document.source, CATEGORY_NAMES, name)


def _count(documents: list[Document]) -> str:
    return "1 document" if len(documents) == 1 else f"{len(documents)} documents"
