"""Documents whose words are those of another category.

Two documents are as similar as the cosine of their terms, weighted (1 + ln tf) x ln(n / df). How near a document is to a
category is the mean similarity of the three nearest documents in it. A category is recognisable when most of its
documents are nearer to it than to any other: a category of a form, such as runbooks, often is not, and then words say
nothing about it. Between two recognisable categories a document is misfiled when the other one is clearly nearer than
its own, hardly a document of its own category is as far from it, and it is as near to the other one as many documents
there. The numbers were chosen on nine real sets of 36 to 686 documents, where the rule reports none or one each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.insight.lint.names import field_line, is_overview
from engine.knowledge.document import Document
from engine.text import terms

_NEAREST = 3  # documents of a category; one alone may be a near duplicate
_LEAST_DOCUMENTS = 5  # a smaller category has no words of its own
_RECOGNISABLE = 0.6  # share of its documents that are nearest to it
_CLEARLY = 1.5  # times nearer to the other category
_LEAST_SIMILARITY = 0.15  # below this, documents share hardly more than the language
_STRANGER = 0.05  # at most this share of its own category is further away
_AT_HOME = 0.25  # at least this share of the other category is no nearer to it


def misfiled(material: Material) -> Iterator[Finding]:
    """Each document that belongs to another category by its words, with that category."""
    with_text = {chunk.source for chunk in material.chunks}
    documents = [document for document in material.corpus.documents if document.categories and document.source in with_text]
    members = _members(documents)
    if len(members) < 2:
        return
    near = _nearness(_words(material, documents), members)
    recognisable = {name: rows for name, rows in members.items() if _is_recognisable(rows, near, documents)}
    for row, document in enumerate(documents):
        other = _better(row, document, recognisable, near)
        if other and not is_overview(document.source):  # an overview has the words of whatever it lists
            times = near[other][row] / max(max(near[name][row] for name in document.categories), 1e-6)
            message = f"its words are {times:.1f} times as near to those of {other} as to those of {', '.join(document.categories)}"
            yield finding("misfiled", document.source, field_line(document, material.settings.category_fields) or 1, message)


def _members(documents: Sequence[Document]) -> dict[str, np.ndarray]:
    """The rows of the documents of each category that is large enough: int64, rising."""
    rows: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        for name in dict.fromkeys(document.categories):
            rows.setdefault(name, []).append(row)
    return {name: np.asarray(found) for name, found in sorted(rows.items()) if len(found) >= _LEAST_DOCUMENTS}


def _is_recognisable(rows: np.ndarray, near: dict[str, np.ndarray], documents: Sequence[Document]) -> bool:
    nearest = [max(near, key=lambda other: near[other][row]) for row in rows]
    return sum(found in documents[row].categories for found, row in zip(nearest, rows, strict=True)) >= _RECOGNISABLE * len(rows)


def _better(row: int, document: Document, members: dict[str, np.ndarray], near: dict[str, np.ndarray]) -> str | None:
    """The category where a document belongs rather than in its own, if there is one."""
    if any(name not in members for name in document.categories):
        return None
    here = max(document.categories, key=lambda name: near[name][row])
    there = max((name for name in members if name not in document.categories), key=lambda name: near[name][row], default=None)
    if there is None or near[there][row] < max(_LEAST_SIMILARITY, _CLEARLY * near[here][row]):
        return None
    stranger = np.mean(near[here][members[here]] < near[here][row]) <= _STRANGER
    at_home = np.mean(near[there][members[there]] <= near[there][row]) >= _AT_HOME
    return there if stranger and at_home else None


def _words(material: Material, documents: Sequence[Document]) -> list[dict[str, float]]:
    """The terms of each document, weighted, at unit length."""
    by_source = {document.source: Counter(terms("\n".join([document.title, *_headings(document)]))) for document in documents}
    for chunk, found in zip(material.chunks, material.terms, strict=True):
        if chunk.source in by_source:
            by_source[chunk.source].update(found)
    frequency = Counter(term for counts in by_source.values() for term in counts)
    weighted = []
    for document in documents:
        counts = by_source[document.source]
        telling = {term: count for term, count in counts.items() if 1 < frequency[term] <= len(documents) / 2}
        weights = {term: (1 + math.log(count)) * math.log(len(documents) / frequency[term]) for term, count in telling.items()}
        length = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
        weighted.append({term: weight / length for term, weight in weights.items() if weight > 0})
    return weighted


def _headings(document: Document) -> list[str]:
    return [section.headings[-1] for section in document.sections if section.headings]


def _nearness(words: Sequence[dict[str, float]], members: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """How near each document is to each category: float64 [documents], itself left out."""
    rows: dict[str, list[int]] = {}
    weights: dict[str, list[float]] = {}
    for row, weighted in enumerate(words):
        for term, weight in weighted.items():
            rows.setdefault(term, []).append(row)
            weights.setdefault(term, []).append(weight)
    postings = {term: (np.asarray(rows[term]), np.asarray(weights[term])) for term in rows}
    near = {name: np.zeros(len(words)) for name in members}
    for row, weighted in enumerate(words):
        if not weighted:
            continue
        found = np.concatenate([postings[term][0] for term in weighted])
        parts = np.concatenate([postings[term][1] * weight for term, weight in weighted.items()])
        similar = np.round(np.bincount(found, parts, minlength=len(words)), 6)
        similar[row] = 0.0
        for name, found_rows in members.items():
            near[name][row] = np.sort(similar[found_rows])[-_NEAREST:].sum() / _NEAREST
    return near
