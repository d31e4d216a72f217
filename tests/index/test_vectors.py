"""The vector index: complete search, one similarity, no phantom hits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelUnavailable
from engine.index.embedding import HashEmbedder, unit
from engine.index.vectors import UsearchIndex, write_vectors

RNG = np.random.default_rng(7)


def index_of(path: Path, vectors: np.ndarray) -> UsearchIndex:
    write_vectors(path / "v.usearch", vectors)
    return UsearchIndex(path / "v.usearch")


def test_a_filtered_search_never_starves(tmp_path: Path) -> None:
    vectors = unit(RNG.standard_normal((2000, 32)).astype(np.float32))
    index = index_of(tmp_path, vectors)
    rows = np.arange(0, 2000, 100)  # one per cent
    for query in vectors[1:20]:
        found = index.nearest(query, 50, rows)
        assert set(found.tolist()) == set(rows.tolist())


def test_the_nearest_are_those_of_a_full_comparison(tmp_path: Path) -> None:
    vectors = unit(RNG.standard_normal((3000, 32)).astype(np.float32))
    index = index_of(tmp_path, vectors)
    for rows in (None, np.arange(1, 3000, 2)):
        among = np.arange(3000) if rows is None else rows
        query = vectors[5]
        expected = set(among[np.argsort(-(vectors[among] @ query))[:20]].tolist())
        assert expected <= set(index.nearest(query, 20, rows).tolist())


def test_a_similarity_does_not_depend_on_what_else_is_compared(tmp_path: Path) -> None:
    vectors = unit(RNG.standard_normal((500, 384)).astype(np.float32))
    index = index_of(tmp_path, vectors)
    together = index.similarities(vectors[0], np.arange(500))
    alone = [float(index.similarities(vectors[0], np.asarray([row]))[0]) for row in range(500)]
    assert together.tolist() == alone
    assert together[0] == 1.0
    assert together.min() >= 0.0


def test_fewer_vectors_than_asked_for_come_once_each(tmp_path: Path) -> None:
    vectors = unit(RNG.standard_normal((3, 8)).astype(np.float32))
    assert index_of(tmp_path, vectors).nearest(vectors[0], 10, None).tolist() == [0, 1, 2]


def test_a_zero_vector_is_similar_to_nothing(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    zero = embedder.embed_query("？？？")
    index = index_of(tmp_path, np.stack([zero, embedder.embed_query("words")]))
    assert index.similarities(zero, np.asarray([0, 1])).tolist() == [0.0, 0.0]


def test_dissimilar_ones_are_all_equal_and_all_returned(tmp_path: Path) -> None:
    vectors = unit(RNG.standard_normal((300, 8)).astype(np.float32))
    index = index_of(tmp_path, vectors)
    found = index.nearest(vectors[0], 200, None)
    assert index.similarities(vectors[0], np.arange(300))[found].min() == 0.0
    assert len(found) == 300


def test_a_vector_with_nan_is_an_error_and_no_hit() -> None:
    with pytest.raises(ModelUnavailable, match="no number"):
        unit(np.asarray([np.nan, 1.0], dtype=np.float32))
