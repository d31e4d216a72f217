"""Stage 2: the candidates of one attempt. The vector search is complete, whatever the filter; BM25 may propose more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.index.catalog import ChunkRecord
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.lookup.lexical import best_by_words, query_words
from engine.settings import Settings
from engine.trace import Recorder, SpanKind

Scored = tuple[ChunkRecord, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that was found; not yet evidence."""

    record: ChunkRecord
    similarity: float
    base_rank: int
    by_words: bool = False  # whether only BM25 proposed it (lexical_candidates)

    def is_readable(self, settings: Settings) -> bool:
        """Whether the embedder reads enough of it for the similarity to mean something."""
        return self.record.readable >= settings.minimum_readable


def retrieve(
    text: str, rows: np.ndarray | None, settings: Settings, snapshot: Snapshot, embedder: Embedder, recorder: Recorder
) -> tuple[Candidate, ...]:
    """The nearest chunks among `rows` (None: all), by similarity, ties by chunk id; then, where asked for, those that share the most words."""
    if snapshot.vectors is None or (rows is not None and len(rows) == 0):
        return ()
    with recorder.span("embed", SpanKind.EMBEDDING) as attributes:
        attributes["embedding.model_name"] = embedder.name
        query = embedder.embed_query(text)
    with recorder.span("search", SpanKind.RETRIEVER) as attributes:
        found = snapshot.vectors.nearest(query, settings.candidate_count, rows)
        nearest = _nearest(found, snapshot.vectors.similarities(query, found), settings.candidate_count, snapshot)
        ranked = [*nearest, *_by_words(text, query, rows, {record.row for record, _ in nearest}, settings, snapshot)]
        attributes |= {"candidates": len(ranked), "proposed_by_words": len(ranked) - len(nearest)}
        return tuple(Candidate(record, similarity, rank, rank > len(nearest)) for rank, (record, similarity) in enumerate(ranked, start=1))


def _nearest(found: np.ndarray, similarities: np.ndarray, count: int, snapshot: Snapshot) -> list[Scored]:
    order = np.lexsort((found, -similarities))
    last = similarities[order[:count]][-1]
    kept = order[similarities[order] >= last]  # ties at the end included: the chunk id decides
    return _ordered(found[kept], similarities[kept], snapshot)[:count]


def _by_words(
    text: str, query: np.ndarray, rows: np.ndarray | None, known: set[int], settings: Settings, snapshot: Snapshot
) -> list[Scored]:
    """Chunks that only the words of the query propose, each with its true similarity, which is no greater than that of the nearest."""
    if not settings.lexical_candidates or snapshot.vectors is None:
        return []
    proposed = best_by_words(snapshot.terms, query_words(text), snapshot.lengths, rows, settings.lexical_candidates)
    new = np.asarray([row for row in proposed.tolist() if row not in known], dtype=np.int64)
    return _ordered(new, snapshot.vectors.similarities(query, new), snapshot)


def _ordered(rows: np.ndarray, similarities: np.ndarray, snapshot: Snapshot) -> list[Scored]:
    scored = zip(snapshot.catalog.records(rows), similarities.tolist(), strict=True)
    return sorted(scored, key=lambda pair: (-pair[1], pair[0].id))
