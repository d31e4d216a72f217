"""Categories that are missing, misspelt, or divide nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.insight.lint.names import NearNames, field_line, lost_its_fields
from engine.knowledge.document import Document

_NEARLY_ALL = 0.95  # of the documents: a filter on such a category leaves out next to nothing
_NUMBER = re.compile(r"\d+|(?<=[\s_-])\w$")


def missing_category(material: Material) -> Iterator[Finding]:
    """Documents without a category; one finding where no document has one."""
    bare = [document for document in material.corpus.documents if not document.categories and not lost_its_fields(document)]
    if len(bare) < len(material.corpus.documents):
        message = "the document has no category, and others have one"
        yield from (finding("missing_category", document.source, 1, message) for document in bare)
    elif len(bare) > 1:
        yield finding("no_categories", bare[0].source, 1, f"none of the {len(bare)} documents has a category")


def one_category(material: Material) -> Iterator[Finding]:
    """A category that nearly every document has."""
    documents = material.corpus.documents
    for name, members in _documents_by_category(material).items():
        if len(documents) > 1 and len(members) >= _NEARLY_ALL * len(documents):
            message = f"{len(members)} of {len(documents)} documents have the category {name}"
            yield finding("one_category", members[0].source, field_line(members[0], material.settings.category_fields) or 1, message)


def rare_categories(material: Material) -> Iterator[Finding]:
    """Categories of one document: a slip where a category of more has nearly the same name."""
    categories = _documents_by_category(material)
    usual = NearNames(name for name, documents in categories.items() if len(documents) > 1)
    for name, documents in categories.items():
        if len(documents) > 1 or len(categories) == 1:
            continue
        near = usual.find(name)
        source, line = documents[0].source, field_line(documents[0], material.settings.category_fields) or 1
        if near and _without_number(near) != _without_number(name):
            yield finding("category_typo", source, line, f"no other document has the category {name}; did you mean {near}?")
        else:
            yield finding("category_used_once", source, line, f"no other document has the category {name}")


def _without_number(name: str) -> str:
    """A name without what counts things of one kind: `release-2` and `team-b` are no slips of `release-1` and `team-a`."""
    return _NUMBER.sub("", name)


def _documents_by_category(material: Material) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in material.corpus.documents:
        for name in dict.fromkeys(document.categories):
            found.setdefault(name, []).append(document)
    return dict(sorted(found.items()))
