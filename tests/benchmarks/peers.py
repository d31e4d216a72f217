"""What users would otherwise pick, on the same passages: dense alone, BM25 alone, and their reciprocal rank fusion.

A document stands where its best passage stands. BM25 is bm25s (k1 1.2, b 0.75, Lucene's formula) on our tokens and stems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bm25s
import numpy as np

from engine.index.snapshot import Snapshot
from engine.lookup.lexical import query_words
from engine.text import terms

Ranking = dict[str, float]  # document -> score
RRF_K = 60  # Cormack, Clarke and Büttcher 2009
DEPTH = 1000  # documents of each leg that the fusion sees


class Peers:
    """The passages of a snapshot for exact cosine search and for BM25."""

    def __init__(self, snapshot: Snapshot, ids: Mapping[str, str]) -> None:
        rows = np.arange(snapshot.catalog.chunk_count)
        records = snapshot.catalog.records(rows)
        contents = snapshot.catalog.contents(rows.tolist())
        assert snapshot.vectors is not None
        self._vectors = snapshot.vectors.vectors(rows)
        self._documents = sorted(ids.values())
        number = {document: at for at, document in enumerate(self._documents)}
        self._document = np.asarray([number[ids[record.source]] for record in records])
        self._bm25 = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        tokens = [terms(f"{record.breadcrumb}\n{contents[record.row][0]}") or [""] for record in records]
        self._bm25.index(tokens, show_progress=False)

    def rank(self, question: str, vector: np.ndarray) -> dict[str, Ranking]:
        """The rankings of a question, by the name of the peer; `vector` float32 [dimension] is its embedding."""
        dense = self._by_document(self._vectors @ vector, least=-2.0)
        known = [word for word in query_words(question) if word in self._bm25.vocab_dict]
        lexical = self._by_document(self._bm25.get_scores(known), least=0.0) if known else {}
        return {"dense": dense, "bm25": lexical, "rrf": fused([dense, lexical])}

    def _by_document(self, scores: np.ndarray, least: float) -> Ranking:
        """The best score of each document above a least one."""
        best = np.full(len(self._documents), least)
        np.maximum.at(best, self._document, scores)
        return {self._documents[at]: float(best[at]) for at in np.flatnonzero(best > least)}


def fused(legs: Sequence[Ranking]) -> Ranking:
    """The sum of 1 / (k + rank) over the legs; a document that a leg has not gets nothing from it."""
    scores: Ranking = {}
    for leg in legs:
        for rank, document in enumerate(ordered(leg)[:DEPTH], start=1):
            scores[document] = scores.get(document, 0.0) + 1 / (RRF_K + rank)
    return scores


def ordered(ranking: Ranking) -> list[str]:
    """Documents by falling score, ties by id."""
    return sorted(ranking, key=lambda document: (-ranking[document], document))
