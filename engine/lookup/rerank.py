"""Stage 3: similarity plus weighted rule signals puts the candidates in order; every point is accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.index.snapshot import Snapshot
from engine.lookup.retrieve import Candidate
from engine.lookup.rules import ALWAYS_NAMED, RULES
from engine.lookup.signals import Signals, gather
from engine.lookup.transform import Question
from engine.settings import Settings
from engine.trace import Recorder, SpanKind

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """What one signal adds; points are integers of a millionth, so that parts add up exactly."""

    code: str
    raw: float
    weight: float
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and its place after the rerank."""

    candidate: Candidate
    parts: tuple[Part, ...]  # similarity first, then every rule that gave points, and the hint
    score: int  # millionths
    final_rank: int
    has_error_codes: bool  # whether it contains every error code of the question, of which there is at least one


def rerank(
    text: str, candidates: Sequence[Candidate], question: Question, settings: Settings, snapshot: Snapshot, recorder: Recorder
) -> tuple[Ranked, ...]:
    """Order candidates by score, ties by chunk id; `text` is the query of the attempt."""
    with recorder.span("rerank", SpanKind.RERANKER) as attributes:
        signals = gather(text, question, candidates, snapshot)
        codes = [entity.term for entity in question.entities if entity.kind == "error_code"]
        scored = [(candidate, _parts(candidate, signals, settings)) for candidate in candidates]
        scored.sort(key=lambda pair: (-sum(part.points for part in pair[1]), pair[0].record.id))
        attributes["moved"] = sum(candidate.base_rank != rank for rank, (candidate, _) in enumerate(scored, start=1))
        return tuple(
            Ranked(candidate, parts, sum(part.points for part in parts), rank, bool(codes) and signals.has_all(candidate.record.row, codes))
            for rank, (candidate, parts) in enumerate(scored, start=1)
        )


def _parts(candidate: Candidate, signals: Signals, settings: Settings) -> tuple[Part, ...]:
    parts = [Part("similarity", candidate.similarity, 1.0, round(candidate.similarity * MILLION), f"similarity {candidate.similarity:.3f}")]
    for rule in RULES:
        weight = float(getattr(settings.rule_weights, rule.code))
        raw = round(rule.signal(signals, candidate.record), 6)
        if raw and (weight or rule.code == ALWAYS_NAMED):
            parts.append(Part(rule.code, raw, weight, round(raw * weight * MILLION), rule.reason(signals, candidate.record)))
    return tuple(parts)
