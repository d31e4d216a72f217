"""The embedder that the settings name."""

from __future__ import annotations

from engine.index.embedding import HASH_MODEL, Embedder, HashEmbedder
from engine.index.model_embedder import ModelEmbedder, resolve_dtype
from engine.settings import Settings


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; weights are loaded when the first text is embedded.

    Raises:
        ModelUnavailable: there is no such model on this machine.
    """
    if settings.embedding_model == HASH_MODEL:
        return HashEmbedder()
    return ModelEmbedder(settings.embedding_model, resolve_dtype(settings.embedding_dtype))
