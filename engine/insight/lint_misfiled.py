"""Documents whose words are those of another category.

Two documents are as similar as the cosine of their terms, weighted (1 + ln tf) x ln(n / df). How near a document is to a
category is the mean similarity of the three nearest documents in it. It is misfiled when all of this holds: another
category is clearly nearer than its own; hardly a document of its own category is as far from it; it is as near to the
other one as many documents there; and in form, the section titles that most documents of a category share, it belongs
no better to its own category than to the other one. The numbers were chosen on nine real sets of 36 to 686 documents,
where the rule reports none or one each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material
from engine.insight.lint_names import field_line
from engine.knowledge.corpus import Document
from engine.text import fold, terms

_NEAREST = 3  # documents of a category; one alone may be a near duplicate
_LEAST_DOCUMENTS = 5  # a smaller category has no words of its own
_CLEARLY = 1.5  # times nearer to the other category
_LEAST_SIMILARITY = 0.15  # below this, documents share hardly more than the language
_STRANGER = 0.05  # at most this share of its own category is further away
_AT_HOME = 0.25  # at least this share of the other category is no nearer to it
_OVERVIEWS = {"readme", "index", "_index"}  # they have the words of whatever they list


class _Group(NamedTuple):
    """The documents of a category and the section titles of more than half of them."""

    members: np.ndarray  # int64 [m], rising
    form: frozenset[str]


def misfiled(material: Material) -> Iterator[Finding]:
    """Each document that belongs to another category by its words, with that category."""
    first = {chunk.source: row for row, chunk in reversed(list(enumerate(material.chunks)))}
    documents = [document for document in material.corpus.documents if document.categories and document.source in first]
    titles = [frozenset(map(fold, _section_titles(document))) for document in documents]
    groups = _groups(documents, titles)
    if len(groups) < 2:
        return
    near = _nearness(_words(material, documents), groups)
    for row, document in enumerate(documents):
        other = _better(row, document, titles[row], groups, near)
        if other and PurePosixPath(document.source).stem.lower() not in _OVERVIEWS:
            times = near[other][row] / max(max(near[name][row] for name in document.categories), 1e-6)
            message = f"its words are {times:.1f} times as near to those of {other} as to those of {', '.join(document.categories)}"
            yield finding("misfiled", document.source, field_line(document, material.settings.category_fields), message)


def _section_titles(document: Document) -> list[str]:
    return [section.headings[-1] for section in document.sections if section.headings]


def _groups(documents: Sequence[Document], titles: Sequence[frozenset[str]]) -> dict[str, _Group]:
    rows: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        for name in dict.fromkeys(document.categories):
            rows.setdefault(name, []).append(row)
    counts = {name: Counter(title for row in members for title in titles[row]) for name, members in rows.items()}
    return {
        name: _Group(np.asarray(members), frozenset(title for title, count in counts[name].items() if count * 2 > len(members)))
        for name, members in sorted(rows.items())
        if len(members) >= _LEAST_DOCUMENTS
    }


def _better(row: int, document: Document, titles: frozenset[str], groups: dict[str, _Group], near: dict[str, np.ndarray]) -> str | None:
    """The category where a document belongs rather than in its own, if there is one."""
    own = [groups.get(name) for name in document.categories]
    if any(group is None or group.form & titles for group in own):
        return None
    here = max(document.categories, key=lambda name: near[name][row])
    others = [name for name, group in groups.items() if name not in document.categories and (not group.form or group.form & titles)]
    there = max(others, key=lambda name: near[name][row], default=None)
    if there is None or near[there][row] < max(_LEAST_SIMILARITY, _CLEARLY * near[here][row]):
        return None
    stranger = np.mean(near[here][groups[here].members] < near[here][row]) <= _STRANGER
    at_home = np.mean(near[there][groups[there].members] <= near[there][row]) >= _AT_HOME
    return there if stranger and at_home else None


def _words(material: Material, documents: Sequence[Document]) -> list[dict[str, float]]:
    """The terms of each document, weighted, at unit length."""
    by_source = {document.source: Counter(terms(" \n".join([document.title, *_section_titles(document)]))) for document in documents}
    for chunk, found in zip(material.chunks, material.terms, strict=True):
        if chunk.source in by_source:
            by_source[chunk.source].update(found)
    frequency = Counter(term for counts in by_source.values() for term in counts)
    weighted = []
    for document in documents:
        counts = by_source[document.source]
        weights = {term: (1 + math.log(count)) * math.log(len(documents) / frequency[term]) for term, count in counts.items() if frequency[term] > 1}
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
        weighted.append({term: weight / length for term, weight in weights.items() if weight > 0})
    return weighted


def _nearness(words: Sequence[dict[str, float]], groups: dict[str, _Group]) -> dict[str, np.ndarray]:
    """How near each document is to each category: float64 [documents], itself left out."""
    rows: dict[str, list[int]] = {}
    weights: dict[str, list[float]] = {}
    for row, weighted in enumerate(words):
        for term, weight in weighted.items():
            rows.setdefault(term, []).append(row)
            weights.setdefault(term, []).append(weight)
    postings = {term: (np.asarray(rows[term]), np.asarray(weights[term])) for term in rows}
    near = {name: np.zeros(len(words)) for name in groups}
    for row, weighted in enumerate(words):
        if not weighted:
            continue
        found = np.concatenate([postings[term][0] for term in weighted])
        parts = np.concatenate([postings[term][1] * weight for term, weight in weighted.items()])
        similar = np.round(np.bincount(found, parts, minlength=len(words)), 6)
        similar[row] = 0.0
        for name, group in groups.items():
            near[name][row] = np.sort(similar[group.members])[-_NEAREST:].sum() / _NEAREST
    return near
