"""Evaluations made by hand, for the drawing functions."""

from __future__ import annotations

from typing import Any

from engine.contracts.codes import RelevanceLevel
from engine.contracts.evaluation import (
    RANKED,
    SHARES,
    Calibration,
    CaseOutcome,
    CurvePoint,
    Estimate,
    EvaluationRun,
    MeasureComparison,
    OutcomeChange,
    RunComparison,
    SavedRun,
)
from engine.settings import Settings
from tests.insight.evaluation import golden
from tests.pages.samples import HOSTILE

PRESENT = {"evidence_floor": 0.3, "reference_threshold": 0.45, "medium_threshold": 0.55, "high_threshold": 0.65}
PROPOSED = {"evidence_floor": 0.32, "reference_threshold": 0.33, "medium_threshold": 0.9, "high_threshold": 0.97}


def outcome(name: str, **changes: Any) -> CaseOutcome:
    """An answerable question whose expected target came first and was packed, but for the changes."""
    hostile = {"question": f"{HOSTILE} {name}?", "expected": (HOSTILE,), "first_found": HOSTILE}
    return golden.outcome(name, **{**hostile, **changes})


def unanswerable(name: str, **changes: Any) -> CaseOutcome:
    """An unanswerable question that was refused, but for the changes."""
    hostile = {"question": f"{HOSTILE} {name}?", "first_found": HOSTILE, "top_similarity": 0.2}
    return golden.refused(name, **{**hostile, **changes})


OUTCOMES = (
    outcome("right"),
    outcome("second", first_rank=2),
    outcome("unpacked", packed=False),
    unanswerable("medium", found=True, relevance_level=RelevanceLevel.MEDIUM, top_similarity=0.56),
    outcome("lost", first_rank=None, packed=False),
    unanswerable("refused"),
    unanswerable("low", found=True, relevance_level=RelevanceLevel.LOW, top_similarity=0.4),
    unanswerable("high", found=True, relevance_level=RelevanceLevel.HIGH, top_similarity=0.8),
    outcome("second-unpacked", first_rank=2, packed=False),
    outcome("ninth", first_rank=9),
    outcome("misleading", violations=(HOSTILE,)),
    outcome("half", expected=(HOSTILE, "other.md"), measures={**dict.fromkeys(RANKED, 1.0), "R@5": 0.5}, top_similarity=0.6),
    outcome("anything", expected=(), measures={}, first_rank=None, packed=None),
)


def run(name: str = "0" * 12, outcomes: tuple[CaseOutcome, ...] = OUTCOMES, **settings: Any) -> EvaluationRun:
    """A run with every measure, each with another value."""
    names = (*RANKED, *SHARES)
    return EvaluationRun(
        run_id=name,
        snapshot_id="1" * 16,
        settings_fingerprint="2" * 16,
        settings={"max_blocks": 8, "rule_weights.title": Settings().rule_weights.title, "title_fields": ["title"], **settings},
        cases_digest="3" * 16,
        split=None,
        estimates={one: Estimate(mean=0.5 + at / 100, low=0.4 + at / 100, high=0.55 + at / 100, questions=10) for at, one in enumerate(names)},
        outcomes=outcomes,
    )


def saved(name: str, day: int, **settings: Any) -> SavedRun:
    return SavedRun(saved_at=f"2026-01-{day:02}T10:20:30.123456Z", run=run(name, **settings))


def comparison(**changes: Any) -> RunComparison:
    """One measure that got better, one that got worse, and one question that differs."""
    usual: dict[str, Any] = {
        "first": "a" * 12,
        "second": "b" * 12,
        "changed_settings": {"max_blocks": (8, 3), "use_l0_filter": (True, False), "embedding_model": ("hash", "other")},
        "same_snapshot": True,
        "questions": 10,
        "only_first": (),
        "only_second": (),
        "measures": (
            MeasureComparison(measure="nDCG@10", first=0.5, second=0.6, difference=0.1, wins=3, losses=1, ties=6, p_value=0.25),
            MeasureComparison(measure="refused_answerable", first=0.1, second=0.2, difference=0.1, wins=0, losses=1, ties=9, p_value=1.0),
        ),
        "changes": (OutcomeChange(id="q", question=HOSTILE, first=outcome("q"), second=outcome("q", first_rank=None, packed=False, measures={})),),
    }
    return RunComparison(**{**usual, **changes})


def calibration(**changes: Any) -> Calibration:
    usual: dict[str, Any] = {
        "embedding_model": "hash",
        "snapshot_id": "1" * 16,
        "answerable": 20,
        "unanswerable": 5,
        "thresholds": PROPOSED,
        "present": PRESENT,
        "reasons": dict.fromkeys(PROPOSED, "because <b>of</b> $this$"),
        "curve": tuple(CurvePoint(threshold=step / 100, answerable_below=(step / 100) ** 2, unanswerable_below=step / 100) for step in range(101)),
        "warnings": ("only 5 unanswerable questions",),
    }
    return Calibration(**{**usual, **changes})
