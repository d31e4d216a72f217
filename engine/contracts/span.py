"""A timed operation, named as OpenInference names them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pydantic import Field, JsonValue

from engine.contracts.base import Contract


class SpanKind(StrEnum):
    """Kinds of operation that agents' tools already know."""

    CHAIN = "CHAIN"
    EMBEDDING = "EMBEDDING"
    RETRIEVER = "RETRIEVER"
    RERANKER = "RERANKER"


class Span(Contract):
    """One timed operation; `children` are the operations that it ran, in order."""

    name: str
    kind: SpanKind
    start_ms: float
    duration_ms: float
    error: str | None = None
    attributes: dict[str, JsonValue] = Field(default_factory=dict)
    children: tuple[Span, ...] = ()

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Span]]:
        """Yield `(depth, span)` for this span and everything under it, parents first."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)
