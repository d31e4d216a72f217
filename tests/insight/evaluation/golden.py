"""A tiny knowledge base whose answers are known by its words, with cases, outcomes and runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.contracts.codes import FilterCode, ReasonCode, RelevanceLevel
from engine.contracts.evaluation import CaseOutcome, EvaluationRun
from engine.contracts.reports import Case
from engine.insight.evaluation.estimates import estimates

FILES = {
    "runbooks/disk.md": "# Disk\n\n## Cause\n\nOld logs fill the disk.\n\n## Mitigation\n\nDelete old logs when the disk is full.\n",
    "runbooks/queue.md": "# Queue\n\n## Cause\n\nA slow consumer holds the queue.\n\n## Mitigation\n\nRestart the consumer of the queue.\n",
    "policies/leave.md": "# Leave\n\nAsk your lead for leave.\n",
    "policies/100%~#1.md": "# Odd name\n\nZebra crossing paint.\n",
}


def case(question: str, *expected: str, **fields: Any) -> Case:
    """A golden question; its id is the question, unless another is given."""
    return Case(**{"id": question, "question": question, "expected": expected, "answerable": bool(expected), **fields})


def outcome(name: str, **fields: Any) -> CaseOutcome:
    """What came of a question that was answered with its first passage, unless fields say otherwise."""
    usual: dict[str, Any] = {
        "id": name,
        "question": f"{name}?",
        "split": "dev",
        "answerable": True,
        "expected": ("a.md",),
        "scope": (),
        "measures": {"nDCG@10": 1.0, "R@5": 1.0, "RR@10": 1.0, "P@1": 1.0},
        "first_rank": 1,
        "first_found": "a.md",
        "packed": True,
        "violations": (),
        "found": True,
        "reason_code": ReasonCode.FOUND,
        "relevance_level": RelevanceLevel.HIGH,
        "filter_code": FilterCode.NO_MATCH,
        "filter_category": None,
        "fallback_reason": None,
        "top_similarity": 0.7,
    }
    return CaseOutcome(**{**usual, **fields})


def refused(name: str, **fields: Any) -> CaseOutcome:
    """What came of an unanswerable question for which nothing was found."""
    nothing = {"answerable": False, "expected": (), "measures": {}, "first_rank": None, "packed": None}
    return outcome(name, **{**nothing, "found": False, "reason_code": "below_floor", "relevance_level": "none", **fields})


def run_of(outcomes: Sequence[CaseOutcome], run_id: str = "0" * 12, **fields: Any) -> EvaluationRun:
    """A run of these outcomes."""
    usual: dict[str, Any] = {"snapshot_id": "s", "settings_fingerprint": "f", "settings": {"max_blocks": 8}, "cases_digest": "c", "split": None}
    return EvaluationRun(run_id=run_id, estimates=estimates(outcomes), outcomes=tuple(outcomes), **{**usual, **fields})
