"""Public reports about thresholds, retold on the real engine with the hash embedder; each number is the case's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.contracts.codes import ReasonCode
from tests.cases.lamps import LAMP, LAMPS, entries
from tests.cases.legs import EVERY_LEG
from tests.knowledge_base import open_engine

STRICT = dict.fromkeys(("evidence_floor", "reference_threshold", "medium_threshold", "high_threshold"), 0.99)
HEAVY = {"lexical": 5.0, "phrase": 5.0, "title": 5.0, "hint": 5.0, "entity": 5.0, "category": 5.0}


@EVERY_LEG
@pytest.mark.parametrize("weights", [{}, HEAVY], ids=["usual weights", "heavy weights"])
@pytest.mark.parametrize("scope", [None, ["source=signals/lamp.md"], ["category=signals"], ["category!=gates"]], ids=repr)
def test_case_27_nothing_below_a_floor_of_099_passes_by_any_leg(
    tmp_path: Path, leg: dict[str, Any], scope: list[str] | None, weights: dict[str, float]
) -> None:
    """anything-llm#4080 and #3076, khora#1425, ragflow#7877: keyword hits and the hits of a chosen document went round the threshold."""
    with open_engine(tmp_path, LAMPS, **STRICT, exact_terms_waive_floor=False, rule_weights=weights, **leg) as engine:
        result = engine.lookup_knowledge(LAMP, scope=scope)
    hints = result.retrieval_trace.hints
    assert "signal lamp" in {match.text for match in hints.matched_keywords} and hints.entity_terms[0].known
    assert (result.found, result.reason_code, result.context_pack.text) == (False, ReasonCode.BELOW_FLOOR, "")
    assert entries(result)["signals/lamp.md"].score > 0.99 > entries(result)["signals/lamp.md"].base_score > 0.5
    assert {one.code for attempt in result.retrieval_trace.attempts for one in attempt.candidates} == {"below_floor"}


@EVERY_LEG
def test_case_27_what_reaches_a_floor_of_099_passes_alone(tmp_path: Path, leg: dict[str, Any]) -> None:
    files = {**LAMPS, "signals/same.md": "# Signal lamp\n\nSignal lamp.\n"}
    with open_engine(tmp_path, files, **STRICT, exact_terms_waive_floor=False, rule_weights=HEAVY, **leg) as engine:
        result = engine.lookup_knowledge("signal lamp")
    assert [(block.source, block.similarity) for block in result.evidence_blocks] == [("signals/same.md", 1)]
