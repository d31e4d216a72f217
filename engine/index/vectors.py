"""L1: the vectors of all chunks, searched completely, with one function for every similarity."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from usearch.index import Index, MetricKind, search

from engine.errors import IndexDamaged, ModelUnavailable
from engine.index.damage import failure_to_read

VECTORS = "vectors.usearch"
_SLACK = 32  # the search may order near-equal vectors otherwise than the similarity does
_EQUAL = 1e-5  # cosine distances closer than this may be equal similarities of six decimals


class VectorIndex(Protocol):
    """A set of vectors by row number."""

    def nearest(self, query: np.ndarray, count: int, rows: np.ndarray | None) -> np.ndarray:
        """At least `count` rows nearest to the query among `rows` (None: all), where there are so many; int64, unordered.

        Raises:
            ModelUnavailable: the query is not as long as the vectors.
        """
        ...

    def similarities(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Cosines clamped to 0..1 and rounded to six decimals, float64 [rows]."""
        ...

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of some rows, float32 [rows, dimension]."""
        ...


class UsearchIndex:
    """Vectors in a usearch file that is mapped into memory."""

    def __init__(self, path: Path) -> None:
        try:
            index = Index.restore(str(path), view=True)
        except (OSError, RuntimeError, ValueError) as failure:
            raise failure_to_read("the vector index", failure) from failure
        if index is None:
            raise IndexDamaged("the vector index is missing")
        self._index: Any = index

    def nearest(self, query: np.ndarray, count: int, rows: np.ndarray | None) -> np.ndarray:
        require_length(query, self._index.ndim)
        size = len(self._index) if rows is None else len(rows)
        wanted = count + _SLACK
        while wanted < size:
            found = self._search(query, wanted, rows)
            last = found.distances[count - 1]
            if last < 1 and found.distances[-1] - last > _EQUAL:  # from 1 on, every similarity is 0: all are equal
                keys = np.asarray(found.keys, dtype=np.int64)
                return keys if rows is None else np.asarray(rows[keys], dtype=np.int64)
            wanted *= 2  # equal ones up to the end: there may be more of them
        return np.arange(size, dtype=np.int64) if rows is None else np.asarray(rows, dtype=np.int64)

    def _search(self, query: np.ndarray, count: int, rows: np.ndarray | None) -> Any:
        if rows is None:
            return self._index.search(query, count, exact=True, threads=1)
        return search(self.vectors(rows), query, count, MetricKind.Cos, exact=True, threads=1)

    def similarities(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if len(rows) == 0:
            return np.zeros(0)
        cosines = (self.vectors(rows) * query).sum(axis=1, dtype=np.float32)  # row by row, so equal for any set of rows
        return np.asarray(np.round(np.clip(cosines.astype(np.float64), 0.0, 1.0), 6))

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._index.get(rows.astype(np.uint64)), dtype=np.float32)


def require_length(vectors: np.ndarray, dimension: int) -> None:
    """One index has vectors of one length; a model whose files stayed the same may still give others. Raises ModelUnavailable."""
    if vectors.shape[-1] != dimension:
        raise ModelUnavailable(
            f"the model returned vectors of {vectors.shape[-1]} numbers, and the index has vectors of {dimension}; "
            "choose the embedding_model that built it, or give another folder (index_dir)"
        )


def write_vectors(path: Path, vectors: np.ndarray) -> None:
    """Write float32 [n, dimension] so that row n is key n; equal vectors give an equal file."""
    # Every search is exact, so the graph that usearch builds for an approximate one is kept as small as it can be: 0.14 s against 32 s.
    index = Index(ndim=vectors.shape[1], metric=MetricKind.Cos, dtype="f32", connectivity=2, expansion_add=1)
    index.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1)
    index.save(str(path))
