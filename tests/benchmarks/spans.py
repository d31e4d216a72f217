"""Retrieved stretches of a text against the stretches that answer: recall, precision and intersection over union, in characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev

import numpy as np

from engine.knowledge.chunking import Chunk
from engine.tokenizer import TokenMap

Span = tuple[int, int]  # characters, the end not included


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one text, with what the embedder is given for it."""

    text_id: str
    span: Span
    embedded: str
    tokens: int  # of what is embedded, special tokens left out


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far some passages cover the references of one question."""

    recall: float
    precision: float
    iou: float


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def length(spans: Iterable[Span]) -> int:
    """Characters in disjoint spans."""
    return sum(end - start for start, end in spans)


def overlap(references: Sequence[Span], text_id: str, retrieved: Sequence[Passage]) -> Overlap:
    """Recall, precision and IoU as Smith and Troynikov define them (Evaluating Chunking Strategies for Retrieval, 2024).

    Precision and IoU divide by every retrieved character, those of other texts and those retrieved twice included.
    """
    wanted = union(references)
    own = union(passage.span for passage in retrieved if passage.text_id == text_id)
    common = length((max(a, c), min(b, d)) for a, b in wanted for c, d in own if max(a, c) < min(b, d))
    taken = length(passage.span for passage in retrieved)
    return Overlap(common / length(wanted), common / taken if taken else 0.0, common / (taken + length(wanted) - common))


def paired_difference(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Mean of the differences question by question, and its standard error."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    return fmean(differences), stdev(differences) / len(differences) ** 0.5


def split_every(token_map: TokenMap, text: str, size: int) -> list[Span]:
    """The plain splitter: a border before every `size`-th token, no overlap, nothing lost."""
    borders = [0, *np.asarray(token_map.starts)[size::size].tolist(), len(text)]
    return [(start, end) for start, end in pairwise(borders) if text[start:end].strip()]


def chunk_spans(text: str, chunks: Sequence[Chunk]) -> list[Span]:
    """Where each chunk of a text stands in it: its content without what was carried, within its lines, after the chunk before.

    Raises:
        ValueError: a chunk is not where it says.
    """
    line_starts = [0]
    for line in text.split("\n"):
        line_starts.append(line_starts[-1] + len(line) + 1)
    spans: list[Span] = []
    for chunk in chunks:
        own = chunk.content.removeprefix(chunk.carried)
        first, end = line_starts[chunk.start_line - 1], line_starts[chunk.end_line]
        start = text.find(own, max(first, spans[-1][1] if spans else 0), end)
        if start < 0:
            raise ValueError(f"{chunk.id} is not in lines {chunk.start_line} to {chunk.end_line}")
        spans.append((start, start + len(own)))
    return spans
