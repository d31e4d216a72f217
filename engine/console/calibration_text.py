"""A calibration for reading."""

from __future__ import annotations

from engine.console.evaluation_text import split_text
from engine.console.terminal import aligned, printable
from engine.contracts.evaluation import Calibration, Split


def calibration_text(found: Calibration, split: Split | None) -> str:
    """The thresholds, those now in force, and why."""
    asked = f"{found.answerable} answerable and {found.unanswerable} unanswerable questions ({split_text(split)})"
    lines = [f"{asked}, model {found.embedding_model}.", ""]
    rows = [(name, f"{threshold:.2f}", f"{found.present[name]:g}", found.reasons[name]) for name, threshold in found.thresholds.items()]
    lines += aligned([("threshold", "found", "now", "why"), *rows])
    return printable([*lines, *(["", *(f"Caution: {warning}." for warning in found.warnings)] if found.warnings else [])])
