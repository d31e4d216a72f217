"""Keywords that are missing, misnamed, or vote for several categories."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import ALIAS_NAMES, FIELD_NAMES, KEYWORD_NAMES, TITLE_NAMES, Material
from engine.knowledge.keywords import KeywordEntry, keyword_entries
from engine.lookup.hints import covers
from engine.text import fold

_NEAR = 0.8  # difflib's ratio: one letter more, less or swapped in a word of five
_MOST_NAMED = 5  # categories in one message
_FIELDS = {"keyword": KEYWORD_NAMES, "alias": ALIAS_NAMES, "title": TITLE_NAMES}  # what an author can change; names in the text are found


def ambiguous_keywords(material: Material) -> Iterator[Finding]:
    """L0 entries of several documents that together have several categories, by the lookup's own rule."""
    categories = {document.source: document.categories for document in material.corpus.documents}
    category_count = len({name for names in categories.values() for name in names})
    entries: dict[str, list[KeywordEntry]] = {}
    for entry in keyword_entries(material.corpus.documents):
        if entry.kind in _FIELDS and (entry.kind != "title" or " " in entry.key):
            entries.setdefault(entry.key, []).append(entry)
    for found in entries.values():
        first = min(found, key=lambda one: (one.source, one.kind))
        named = sorted({name for entry in found for name in categories[entry.source]})
        if len({entry.source for entry in found}) < 2 or len(named) < 2:
            continue
        more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
        silent = ", more than half, so it does not vote at all" if covers(len(named), category_count) else ""
        where = f"{len(named)} of {category_count} categories ({', '.join(named[:_MOST_NAMED])}{more})"
        line = material.field_line(first.source, _FIELDS[first.kind], first.text)
        yield finding("ambiguous_keyword", first.source, line, f"the {first.kind} “{first.text}” stands in {where}{silent}")


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
            meant = None if name in FIELD_NAMES else _meant(name)
            if meant and meant not in document.fields:
                yield finding("near_miss_field", document.source, material.field_line(document.source, (name,)), f"the field {name} is not read; write {meant}")


def _meant(name: str) -> str | None:
    """The field that a name is a slip for; slips seldom touch the first letter."""
    near = difflib.get_close_matches(fold(name), FIELD_NAMES, n=1, cutoff=_NEAR)
    return near[0] if near and near[0][0] == fold(name)[0] else None
