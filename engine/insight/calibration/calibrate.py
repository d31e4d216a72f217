"""Thresholds for the model and the knowledge base at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.contracts.codes import ReasonCode
from engine.contracts.evaluation import Calibration, CurvePoint, Split
from engine.contracts.lookup import LookupResult
from engine.contracts.reports import Case
from engine.errors import BadInput
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.insight.calibration.choose import GRID, below, choose
from engine.insight.evaluation.evaluate import asked, chosen
from engine.insight.evaluation.outcomes import shown_attempt
from engine.insight.evaluation.targets import Question
from engine.progress import Progress, no_progress
from engine.settings import THRESHOLDS, Settings

_FEW = 20  # questions of a kind: below this, one question moves a share by more than the 5 % that the rule looks at
_OPEN = {"use_l1": True, "use_l0_filter": False, "evidence_floor": 0.0, "reference_threshold": 0.0, "exact_terms_waive_floor": False}


def calibrate(
    cases: Sequence[Case],
    settings: Settings,
    snapshot: Snapshot,
    embedder: Embedder,
    progress: Progress = no_progress,
    *,
    split: Split | None = None,
) -> Calibration:
    """Ask every case of a split (None: all) without filter and floor, and choose thresholds by the best similarity of each.

    Raises:
        BadInput: there is no answerable or no unanswerable case, or no text to find.
    """
    questions = [Question(case, (), ()) for case in chosen(cases, split, snapshot)]
    kinds = [question.case.answerable for question in questions]
    if len(set(kinds)) < 2:
        missing = "unanswerable" if kinds[0] else "answerable"
        raise BadInput(f"there is no {missing} question to calibrate with; add some with `answerable: {str(not kinds[0]).lower()}` to the cases")
    best, answerable = best_similarities(questions, settings, snapshot, embedder, progress), np.asarray(kinds)
    readable = ~np.isnan(best)
    if not (answerable & readable).any() or not (~answerable & readable).any():
        raise BadInput(f"{settings.embedding_model} reads no question of one kind, so no threshold can be found; choose a model for this language")
    return calibration(best[answerable & readable], best[~answerable & readable], settings, snapshot.id, left_out=int((~readable).sum()))


def best_similarities(
    questions: Sequence[Question], settings: Settings, snapshot: Snapshot, embedder: Embedder, progress: Progress = no_progress
) -> np.ndarray:
    """The highest similarity among the candidates of each question without filter and floor: float64 [questions].

    It is what the floor and the reference are held against, and, unless the rules leave the nearest passage out of the evidence, what
    relevance is. 0 where nothing is found, NaN where the embedder cannot read it or it has no word: it is refused whatever the thresholds are.
    """
    results = asked(questions, settings.changed(_OPEN), snapshot, embedder, progress)
    return np.asarray([_best(result) for _, result in results])


def _best(result: LookupResult) -> float:
    if result.reason_code in (ReasonCode.UNREADABLE_BY_EMBEDDER, ReasonCode.NO_SEARCHABLE_TEXT):
        return float("nan")
    shown = shown_attempt(result)
    return shown.top_similarity or 0.0 if shown else 0.0


def calibration(answerable: np.ndarray, unanswerable: np.ndarray, settings: Settings, snapshot_id: str, left_out: int = 0) -> Calibration:
    """What best similarities of both kinds of questions say; float64 [questions], at least one each."""
    thresholds, reasons = choose(answerable, unanswerable)
    separates = bool(np.median(answerable) > np.median(unanswerable))
    shares = (below(answerable) / len(answerable), below(unanswerable) / len(unanswerable))
    return Calibration(
        embedding_model=settings.embedding_model,
        snapshot_id=snapshot_id,
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        thresholds=thresholds,
        present={name: getattr(settings, name) for name in THRESHOLDS},
        reasons=reasons,
        curve=tuple(
            CurvePoint(threshold=float(at), answerable_below=round(float(good), 6), unanswerable_below=round(float(bad), 6))
            for at, good, bad in zip(GRID, *shares, strict=True)
        ),
        separates=separates,
        warnings=_warnings(len(answerable), len(unanswerable), separates, left_out),
    )


def _warnings(answerable: int, unanswerable: int, separates: bool, left_out: int) -> tuple[str, ...]:
    counts = {"answerable": answerable, "unanswerable": unanswerable}
    found = [f"there are only {count} {kind} questions; trust it from {_FEW} on" for kind, count in counts.items() if count < _FEW]
    if not separates:
        found.append("answerable questions find nothing nearer than unanswerable ones; no threshold tells them apart")
    if left_out:
        found.append(f"{left_out} of the questions have no word or cannot be read by the model; refused in any case, they were left out")
    return tuple(found)
