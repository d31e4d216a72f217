"""Keywords that are missing, misnamed, or vote for several categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material
from engine.insight.lint_names import ALIAS_NAMES, FIELD_NAMES, KEYWORD_NAMES, TITLE_NAMES, near_name
from engine.knowledge.keywords import KeywordEntry, keyword_entries
from engine.lookup.hints import covers

_MOST_NAMED = 5  # categories in one message
_FIELDS = {"keyword": KEYWORD_NAMES, "alias": ALIAS_NAMES, "title": TITLE_NAMES}  # what an author gives; names are found in the text


def ambiguous_keywords(material: Material) -> Iterator[Finding]:
    """L0 entries of several documents that together have several categories, by the lookup's own rule."""
    categories = {document.source: document.categories for document in material.corpus.documents}
    category_count = len({name for names in categories.values() for name in names})
    entries: dict[str, list[KeywordEntry]] = {}
    for entry in keyword_entries(material.corpus.documents):
        entries.setdefault(entry.key, []).append(entry)
    for found in entries.values():
        given = [one for one in found if one.kind in _FIELDS and (one.kind != "title" or " " in one.key)]
        named = _categories(found, categories)
        if not given or len({one.source for one in found}) < 2 or len(named) < 2:
            continue
        first = min(given, key=lambda one: (one.source, one.kind))
        several = len(_categories(given, categories)) > 1
        code, stands = ("ambiguous_keyword", "stands") if several else ("keyword_named_elsewhere", "is named")
        silent = ", more than half, so it does not vote at all" if covers(len(named), category_count) else ""
        where = f"{len(named)} of {category_count} categories ({_listed(named)}){silent}"
        line = material.field_line(first.source, _FIELDS[first.kind], first.text)
        yield finding(code, first.source, line, f"the {first.kind} “{first.text}” {stands} in {where}")


def _categories(entries: Sequence[KeywordEntry], categories: dict[str, tuple[str, ...]]) -> list[str]:
    return sorted({name for entry in entries for name in categories[entry.source]})


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def no_keywords(material: Material) -> Iterator[Finding]:
    """Documents with neither keywords nor aliases; one finding where no document has any."""
    documents = material.corpus.documents
    bare = [document for document in documents if not document.keywords and not document.aliases]
    if len(bare) < len(documents) or len(bare) == 1:
        yield from (finding("no_keywords", document.source, 1, "the document has no keywords and no aliases") for document in bare)
    elif bare:
        yield finding("no_keywords", bare[0].source, 1, f"none of the {len(bare)} documents has keywords or aliases")


def near_miss_fields(material: Material) -> Iterator[Finding]:
    """Fields that are not read and whose names are almost those of fields that are."""
    for document in material.corpus.documents:
        for name in document.fields:
            meant = None if name in FIELD_NAMES else near_name(name, FIELD_NAMES)
            if meant and meant not in document.fields:
                line = material.field_line(document.source, (name,))
                yield finding("near_miss_field", document.source, line, f"the field {name} is not read; write {meant}")
