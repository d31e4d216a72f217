"""Texts become vectors: what is known is taken from the cache, the rest is embedded batch by batch, and each batch is kept at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.errors import ModelUnavailable
from engine.index.embedding import BATCH, Embedder
from engine.index.embedding_cache import EmbeddingCache, text_hash
from engine.progress import Progress

_GOLDEN = (5**0.5 - 1) / 2


def embed_texts(texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache, progress: Progress) -> np.ndarray:
    """Vectors of the texts, float32 [texts, dimension]; a text that was embedded before is not embedded again.

    Stopped by an exception of `progress` and called again, it cuts the same batches as a run without a stop, and gives the same bytes even in
    bfloat16, where a vector depends on the batch that it was computed in.
    """
    keys = [text_hash(text) for text in texts]
    copies, unique = Counter(keys), dict(zip(keys, texts, strict=True))
    known = cache.get(unique)
    dimension = 0
    while missing := {key: text for key, text in unique.items() if key not in known}:
        done = sum(copies[key] for key in known)
        for batch in in_mixed_order(batches(missing)):
            progress("embed", done, len(keys))
            vectors = embedder.embed_documents([unique[key] for key in batch])
            dimension = dimension or vectors.shape[1]
            if vectors.shape[1] != dimension:
                raise ModelUnavailable(f"the model returned vectors of {dimension} and of {vectors.shape[1]} numbers; choose another embedding_model")
            new = dict(zip(batch, vectors, strict=True))
            cache.put(new)
            known |= new
            done += sum(copies[key] for key in batch)
        known = {key: vector for key, vector in known.items() if vector.size == dimension}  # the cache may be wrong, the model is not
    progress("embed", len(keys), len(keys))
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)


def batches(texts: dict[bytes, str]) -> list[list[bytes]]:
    """The keys of some texts in batches of equal lengths, which need little padding; the order of the texts does not matter."""
    order = sorted(texts, key=lambda key: (len(texts[key]), key))
    return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]


def in_mixed_order(sorted_batches: Sequence[list[bytes]]) -> list[list[bytes]]:
    """Short and long ones in turn, so that the time of the first tells that of the rest: multiples of the golden ratio spread evenly over 0..1."""
    spread = [(i + 1) * _GOLDEN % 1 for i in range(len(sorted_batches))]
    rank = {place: i for i, place in enumerate(sorted(spread))}
    return [sorted_batches[rank[place]] for place in spread]
