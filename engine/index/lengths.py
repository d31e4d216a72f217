"""How long every passage and every document is, in search terms, and which passage belongs to which document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.index.search_terms import TEXT, SearchTerms


@dataclass(frozen=True, slots=True)
class Lengths:
    """Columns over all rows of a snapshot, and over its documents, which are numbered in the order of their sources."""

    terms: np.ndarray  # int32 [rows], search terms of each passage
    document: np.ndarray  # int32 [rows], number of the document of each passage
    document_terms: np.ndarray  # int64 [documents with a passage]
    average: float  # search terms of a passage
    document_average: float

    @classmethod
    def of(cls, terms: np.ndarray, starts: np.ndarray) -> Lengths:
        """From the lengths of all passages, and the row at which each document begins; the passages of a document lie together."""
        sizes = np.diff(np.append(starts, len(terms)))
        document = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
        of_documents = np.add.reduceat(terms.astype(np.int64), starts) if len(terms) else np.zeros(0, dtype=np.int64)
        average, document_average = (float(column.mean()) if len(column) else 0.0 for column in (terms, of_documents))
        return cls(terms.astype(np.int32), document, of_documents, average, document_average)


def document_counts(
    terms: SearchTerms, searched: Iterable[str], rows: Sequence[int], lengths: Lengths
) -> tuple[dict[str, int], dict[int, dict[str, int]]]:
    """In how many documents each term stands, and for the documents of some rows, by number, how often each has it."""
    wanted = np.unique(lengths.document[np.asarray(rows, dtype=np.int64)])
    frequencies: dict[str, int] = {}
    found: dict[int, dict[str, int]] = {number: {} for number in wanted.tolist()}
    for term, having, counts in terms.postings(TEXT, searched):
        documents = lengths.document[having]
        firsts = np.flatnonzero(np.concatenate(([True], documents[1:] != documents[:-1])))
        frequencies[term] = len(firsts)
        numbers, sums = documents[firsts], np.add.reduceat(counts.astype(np.int64), firsts)
        present = np.isin(numbers, wanted, assume_unique=True)
        for number, total in zip(numbers[present].tolist(), sums[present].tolist(), strict=True):
            found[number][term] = total
    return frequencies, found
