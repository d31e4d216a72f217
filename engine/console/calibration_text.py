"""A calibration for reading."""

from __future__ import annotations

from engine.console.terminal import aligned, printable
from engine.contracts.evaluation import Calibration


def calibration_text(found: Calibration) -> str:
    """The thresholds, those now in force, and why."""
    lines = [f"{found.answerable} answerable and {found.unanswerable} unanswerable questions, model {found.embedding_model}.", ""]
    rows = [(name, f"{threshold:.2f}", f"{found.present[name]:g}", found.reasons[name]) for name, threshold in found.thresholds.items()]
    lines += aligned([("threshold", "found", "now", "why"), *rows])
    return printable([*lines, *(["", *(f"Caution: {warning}." for warning in found.warnings)] if found.warnings else [])])
