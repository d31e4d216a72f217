"""Categories that are missing, misspelt, or divide nothing."""

from __future__ import annotations

from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material
from engine.insight.lint_names import field_line, near_name
from engine.knowledge.corpus import Document
from engine.text import fold


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
        message = f"all {len(documents)} documents have the category {name}"
        yield finding("one_category", documents[0].source, field_line(documents[0], material.settings.category_fields), message)


def rare_categories(material: Material) -> Iterator[Finding]:
    """Categories of one document: a slip where a category of more has nearly the same name."""
    categories = _documents_by_category(material)
    by_initial: dict[str, list[str]] = {}  # comparing all pairs of 5,000 names takes a minute
    for name in categories:
        by_initial.setdefault(fold(name)[:1], []).append(name)
    for name, documents in categories.items():
        if len(documents) > 1 or len(categories) == 1:
            continue
        near = near_name(name, (other for other in by_initial[fold(name)[:1]] if len(categories[other]) > 1 or other < name))
        source, line = documents[0].source, field_line(documents[0], material.settings.category_fields)
        if near:
            yield finding("category_typo", source, line, f"no other document has the category {name}; did you mean {near}?")
        else:
            yield finding("category_used_once", source, line, f"no other document has the category {name}")


def _documents_by_category(material: Material) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in material.corpus.documents:
        for name in dict.fromkeys(document.categories):
            found.setdefault(name, []).append(document)
    return dict(sorted(found.items()))
