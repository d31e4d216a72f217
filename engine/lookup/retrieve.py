"""Stage 2: the vector search of one attempt; complete, whatever the filter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.index.catalog import ChunkRecord
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.settings import Settings
from engine.trace import Recorder, SpanKind


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that the search returned; not yet evidence."""

    record: ChunkRecord
    similarity: float
    base_rank: int

    def is_readable(self, settings: Settings) -> bool:
        """Whether the embedder reads enough of it for the similarity to mean something."""
        return self.record.readable >= settings.minimum_readable


def retrieve(
    text: str, rows: np.ndarray | None, settings: Settings, snapshot: Snapshot, embedder: Embedder, recorder: Recorder
) -> tuple[Candidate, ...]:
    """The nearest chunks among `rows` (None: all), by similarity, ties by chunk id."""
    if snapshot.vectors is None or (rows is not None and len(rows) == 0):
        return ()
    with recorder.span("embed", SpanKind.EMBEDDING) as attributes:
        attributes["embedding.model_name"] = embedder.name
        query = embedder.embed_query(text)
    with recorder.span("search", SpanKind.RETRIEVER) as attributes:
        found = snapshot.vectors.nearest(query, settings.candidate_count, rows)
        similarities = snapshot.vectors.similarities(query, found)
        order = np.lexsort((found, -similarities))
        last = similarities[order[: settings.candidate_count]][-1]
        kept = order[similarities[order] >= last]  # ties at the end included: the chunk id decides
        scored = zip(snapshot.catalog.records(found[kept]), similarities[kept].tolist(), strict=True)
        ranked = sorted(scored, key=lambda pair: (-pair[1], pair[0].id))[: settings.candidate_count]
        attributes["candidates"] = len(ranked)
        return tuple(Candidate(record, similarity, rank) for rank, (record, similarity) in enumerate(ranked, start=1))
