"""Keywords that are missing, misnamed, or vote for several categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.insight.lint.names import NearNames, field_line, lost_its_fields
from engine.knowledge.document import Document
from engine.knowledge.keywords import KeywordEntry, keyword_entries
from engine.lookup.hints import covers

_MOST_NAMED = 5  # categories in one message
_GIVEN = {"keyword", "alias", "title"}  # by an author; names are found in the text


def ambiguous_keywords(material: Material) -> Iterator[Finding]:
    """L0 entries of several documents that together have several categories, by the lookup's own rule."""
    documents = {document.source: document for document in material.corpus.documents}
    categories = {source: document.categories for source, document in documents.items()}
    category_count = len({name for names in categories.values() for name in names})
    entries: dict[str, list[KeywordEntry]] = {}
    for entry in keyword_entries(material.corpus.documents):
        entries.setdefault(entry.key, []).append(entry)
    for found in entries.values():
        given = [one for one in found if one.kind in _GIVEN and (one.kind != "title" or " " in one.key)]
        named = _categories(found, categories)
        if not given or len({one.source for one in found}) < 2 or len(named) < 2:
            continue
        first = min(given, key=lambda one: (one.source, one.kind))
        several = len(_categories(given, categories)) > 1
        code, stands = ("ambiguous_keyword", "stands") if several else ("keyword_named_elsewhere", "is named")
        silent = ", more than half, so it does not vote at all" if covers(len(named), category_count) else ""
        where = f"{len(named)} of {category_count} categories ({_listed(found, categories)}){silent}"
        line = _line(material, documents[first.source], first.kind)
        yield finding(code, first.source, line, f"the {first.kind} “{first.text}” {stands} in {where}")


def _line(material: Material, document: Document, kind: str) -> int:
    """Where an entry of a kind stands."""
    fields = material.settings.alias_fields if kind == "alias" else material.settings.keyword_fields
    return document.title_line if kind == "title" else field_line(document, fields) or 1


def _categories(entries: Sequence[KeywordEntry], categories: dict[str, tuple[str, ...]]) -> list[str]:
    return sorted({name for entry in entries for name in categories[entry.source]})


def _listed(entries: Sequence[KeywordEntry], categories: dict[str, tuple[str, ...]]) -> str:
    """Each category with the first document of it that has the entry."""
    first: dict[str, str] = {}
    for source in sorted({entry.source for entry in entries}):
        for name in categories[source]:
            first.setdefault(name, source)
    places = [f"{name}: {source}" for name, source in sorted(first.items())]
    more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    return "; ".join(places[:_MOST_NAMED]) + more


def no_keywords(material: Material) -> Iterator[Finding]:
    """Documents with neither keywords nor aliases; one finding where most have none."""
    documents = material.corpus.documents
    bare = [document for document in documents if not document.keywords and not document.aliases and not lost_its_fields(document)]
    if len(bare) * 2 <= len(documents) or len(bare) == 1:
        yield from (finding("no_keywords", document.source, 1, "the document has no keywords and no aliases") for document in bare)
    elif bare:
        yield finding("no_keywords", bare[0].source, 1, f"{len(bare)} of {len(documents)} documents have no keywords and no aliases")


def near_miss_fields(material: Material) -> Iterator[Finding]:
    """Fields that are not read and whose names are almost those of fields that are."""
    settings = material.settings
    known = [*settings.title_fields, *settings.category_fields, *settings.keyword_fields, *settings.alias_fields]
    read = {name.casefold() for name in known}
    near = NearNames(known)
    for document in material.corpus.documents:
        for name, line in document.field_lines.items():
            meant = None if name.casefold() in read else near.find(name)
            if meant and field_line(document, (meant,)) is None:
                yield finding("near_miss_field", document.source, line, f"the field {name} is not read; write {meant}")
