"""Retrieve, rerank and blocks together: only they know whether an attempt found evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.contracts.codes import AttemptName, Verdict
from engine.contracts.lookup import ScopeTerm
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.lookup.blocks import Block, Dropped, build_blocks
from engine.lookup.rerank import Ranked, rerank
from engine.lookup.retrieve import Candidate, retrieve
from engine.lookup.transform import Question
from engine.settings import Settings
from engine.trace import Recorder


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way through the stages, with everything that it found."""

    name: AttemptName
    text: str
    category: str | None
    searched_chunks: int
    query_readable: bool
    candidates: tuple[Candidate, ...]
    ranked: tuple[Ranked, ...]
    blocks: tuple[Block, ...]
    dropped: tuple[Dropped, ...]
    top_similarity: float | None  # of the candidates that the embedder can read
    verdict: Verdict


def attempt(
    name: AttemptName,
    text: str,
    question: Question,
    scope: tuple[ScopeTerm, ...],
    settings: Settings,
    snapshot: Snapshot,
    embedder: Embedder,
    recorder: Recorder,
) -> Attempt:
    """Search with a query text, inside the scope and, for the filtered attempt, inside the category that L0 chose."""
    category = question.decision.category if name is AttemptName.FILTERED else None
    with recorder.span(f"attempt {name.value}") as attributes:
        rows: np.ndarray | None = snapshot.catalog.rows_in(scope, category)
        with recorder.span("retrieve"):
            candidates = retrieve(text, rows, settings, snapshot, embedder, recorder)
        ranked = rerank(text, candidates, question, settings, snapshot, recorder)
        query_readable = embedder.tokenizer.map(text).readable(0, len(text)) >= settings.minimum_readable
        blocks, dropped = build_blocks(ranked, query_readable, name, question.decision.category, settings, snapshot, recorder)
        top = _top_similarity(candidates, settings)
        verdict = _verdict(name, blocks, top, settings)
        attributes |= {"verdict": verdict.value}
    searched = snapshot.catalog.chunk_count if rows is None else len(rows)
    return Attempt(name, text, category, searched, query_readable, candidates, ranked, blocks, dropped, top, verdict)


def _top_similarity(candidates: tuple[Candidate, ...], settings: Settings) -> float | None:
    readable = [one.similarity for one in candidates if one.is_readable(settings)]
    return max(readable or (one.similarity for one in candidates), default=None)


def _verdict(name: AttemptName, blocks: tuple[Block, ...], top: float | None, settings: Settings) -> Verdict:
    filtered = name is AttemptName.FILTERED
    if not blocks:
        return Verdict.FILTERED_NO_EVIDENCE if filtered else Verdict.NO_EVIDENCE
    if top is None or top < settings.reference_threshold:
        return Verdict.FILTERED_LOW_QUALITY if filtered else Verdict.LOW_QUALITY
    return Verdict.OK
