"""The recorder of one call: nested timed spans, passed by argument from stage to stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from pydantic import JsonValue

from engine.contracts.span import Span, SpanKind

__all__ = ["Recorder", "Span", "SpanKind"]


class Recorder:
    """Collects the spans of one call; it belongs to that call, so it needs no lock."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._epoch = clock()
        self._open: list[list[Span]] = [[]]

    @contextmanager
    def span(self, name: str, kind: SpanKind = SpanKind.CHAIN) -> Iterator[dict[str, JsonValue]]:
        """Time a block; what the block puts into the yielded dict becomes the span's attributes."""
        attributes: dict[str, JsonValue] = {}
        error: str | None = None
        start = self._clock()
        self._open.append([])
        try:
            yield attributes
        except BaseException as failure:
            error = f"{type(failure).__name__}: {failure}"
            raise
        finally:
            children = tuple(self._open.pop())
            self._open[-1].append(
                Span(
                    name=name,
                    kind=kind,
                    start_ms=round((start - self._epoch) * 1e3, 3),
                    duration_ms=round((self._clock() - start) * 1e3, 3),
                    error=error,
                    attributes=attributes,
                    children=children,
                )
            )

    def close(self) -> tuple[Span, ...]:
        """The finished top-level spans."""
        return tuple(self._open[0])
