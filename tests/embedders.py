"""Embedders of hashed words that also tell what they were asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.index.embedding import HashEmbedder, unit


class Recording(HashEmbedder):
    """Keeps every batch that it embedded."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    @property
    def texts(self) -> list[str]:
        """Every text that it embedded, in order."""
        return [text for batch in self.batches for text in batch]

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.batches.append(list(texts))
        return super().embed_documents(texts)


class BatchDependent(Recording):
    """Its vectors depend on what else is in the batch, as those of a model in bfloat16 do."""

    fingerprint = "batch-dependent"

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return unit(super().embed_documents(texts) + 0.001 * self.embed_query(" ".join(texts)))


class Shrinking(Recording):
    """Its vectors are shorter from the second batch on."""

    fingerprint = "shrinking"

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        vectors = super().embed_documents(texts)
        return vectors if len(self.batches) == 1 else vectors[:, :-1]


class StopAfter:
    """A progress callback that raises at the begin of the batch after some batches, and keeps what it was told."""

    def __init__(self, batches: int, error: BaseException) -> None:
        self._left = batches
        self._error = error
        self.told: list[tuple[str, int, int]] = []

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.told.append((stage, done, total))
        if stage == "embed":
            if self._left == 0:
                raise self._error
            self._left -= 1
