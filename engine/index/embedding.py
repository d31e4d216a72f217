"""Text becomes unit vectors: what every embedder does, and the one that needs no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.errors import ModelUnavailable
from engine.text import terms
from engine.tokenizer import Tokenizer, WordTokenizer

HASH_MODEL = "hash"
BATCH = 32  # texts that are embedded together: between two of these the work can be stopped, and for one of these a query may have to wait


class Embedder(Protocol):
    """What a snapshot is built with and what queries are embedded by."""

    name: str
    tokenizer: Tokenizer
    max_tokens: int  # special tokens included

    @property
    def fingerprint(self) -> str:
        """Of the model: vectors of another one cannot be compared with these."""
        ...

    @property
    def document_dtype(self) -> str:
        """The precision in which documents are embedded; queries are always embedded in float32."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """One batch, best of BATCH texts: float32 [n, dimension], unit length."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """float32 [dimension], unit length."""
        ...


def document_fingerprint(embedder: Embedder) -> str:
    """Changes whenever the vectors of documents could."""
    return f"{embedder.fingerprint}-{embedder.document_dtype}"


class HashEmbedder:
    """A bag of stemmed words hashed into signed buckets: cosine is the overlap of words. For tests and dry runs."""

    name = HASH_MODEL
    tokenizer: Tokenizer = WordTokenizer()
    max_tokens = 256
    fingerprint = "hash-1024-2"
    document_dtype = "float32"
    _dimension = 1024

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.zeros(self._dimension, dtype=np.float32)
        for term in terms(text):
            code = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "big")
            vector[code % self._dimension] += 1.0 if code >> 63 else -1.0
        return unit(vector)


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors at length one in float32; zero vectors stay zero.

    Raises:
        ModelUnavailable: a component is no finite number.
    """
    if not np.isfinite(vectors).all():
        raise ModelUnavailable("the model returned a vector with a component that is no number; choose another embedding_model")
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)
