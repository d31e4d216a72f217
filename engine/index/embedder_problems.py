"""What the embedding model cannot read of the passages, one problem a document at the first of them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.contracts.reports import Problem
from engine.index.embedding import Embedder
from engine.knowledge.chunking import Chunk
from engine.settings import Settings


def unreadable_problem(source: str, line: int, count: int) -> Problem:
    """Passages of which the model reads too small a share."""
    message = f"the embedding model reads too little of {_passages(count)} to make evidence of it; set embedding_model to a model for this language"
    return Problem(source=source, line=line, code="unreadable_by_embedder", message=message)


def unreadable_problems(chunks: Iterable[Chunk], minimum: float) -> list[Problem]:
    """The documents with passages of which the model reads a smaller share than `minimum`."""
    return [unreadable_problem(*place) for place in _by_document(chunk for chunk in chunks if chunk.readable < minimum)]


def beyond_limit_problems(chunks: Iterable[Chunk], embedder: Embedder, settings: Settings) -> list[Problem]:
    """The documents with passages that are longer than what the model reads, which is so only where `chunk_tokens` asks for it."""
    tokenizer, most = embedder.tokenizer, embedder.max_tokens
    if settings.chunk_tokens <= most:
        return []
    long = (chunk for chunk in chunks if chunk.tokens + tokenizer.count(chunk.breadcrumb) + tokenizer.reserved > most)
    return [
        Problem(
            source=source,
            line=line,
            code="beyond_embedder_limit",
            message=f"the embedding model reads {most} tokens and so not the end of {_passages(count)}; set chunk_tokens to 0, or to {most} at most",
        )
        for source, line, count in _by_document(long)
    ]


def _by_document(chunks: Iterable[Chunk]) -> list[tuple[str, int, int]]:
    """Source, first line and number of some chunks."""
    lines: dict[str, list[int]] = {}
    for chunk in chunks:
        lines.setdefault(chunk.source, []).append(chunk.start_line)
    return [(source, min(found), len(found)) for source, found in lines.items()]


def _passages(count: int) -> str:
    return "1 passage" if count == 1 else f"{count:,} passages"
