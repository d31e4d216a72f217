"""How long every passage and every document is, in search terms, and which passage belongs to which document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Lengths:
    """Columns over all rows of a snapshot, and over its documents, which are numbered in the order of their sources."""

    terms: np.ndarray  # int32 [rows], search terms of each passage
    document: np.ndarray  # int32 [rows], number of the document of each passage
    document_terms: np.ndarray  # int64 [documents with a passage]

    @classmethod
    def of(cls, terms: np.ndarray, starts: np.ndarray) -> Lengths:
        """From the lengths of all passages, and the row at which each document begins; the passages of a document lie together."""
        if not len(terms):
            return cls(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))
        sizes = np.diff(np.append(starts, len(terms)))
        document = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
        return cls(terms.astype(np.int32), document, np.add.reduceat(terms.astype(np.int64), starts))
