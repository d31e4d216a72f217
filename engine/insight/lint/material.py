"""What the lint rules look at: the files as they are now, cut as a sync would cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.contracts.lint import Finding
from engine.index.embedding import Embedder
from engine.knowledge.chunking import Chunk, chunk_corpus
from engine.knowledge.corpus import Corpus, read_corpus
from engine.progress import Progress
from engine.settings import Settings
from engine.text import terms


@dataclass(frozen=True, slots=True)
class Material:
    """A knowledge base without an index."""

    corpus: Corpus
    chunks: tuple[Chunk, ...]
    terms: tuple[tuple[str, ...], ...]  # the search terms of each chunk, repeated head left out
    settings: Settings
    embedder: Embedder


Rule = Callable[[Material], Iterable[Finding]]


def read_material(kb: Path, settings: Settings, embedder: Embedder, progress: Progress) -> Material:
    """Read and cut every document. Raises KnowledgeBaseMissing."""
    corpus = read_corpus(kb, settings, progress)
    chunks = tuple(chunk_corpus(corpus, embedder.tokenizer, settings.chunk_tokens or embedder.max_tokens, progress))
    found = []
    for done, chunk in enumerate(chunks):
        if done % 500 == 0:
            progress("words", done, len(chunks))
        found.append(tuple(terms(chunk.content[len(chunk.carried) :])))
    progress("words", len(chunks), len(chunks))
    return Material(corpus, chunks, tuple(found), settings, embedder)
