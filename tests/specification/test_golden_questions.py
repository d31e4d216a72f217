"""The golden questions of the sample knowledge base with the real model: they can be asked, and the handbook stays as good as it is."""

from __future__ import annotations

import pytest

from engine.insight.evaluation.gates import held_against, read_demands
from engine.knowledge_engine import KnowledgeEngine

pytestmark = pytest.mark.model
GATES = [
    *("nDCG@10>=0.80", "R@5>=0.86", "hit@packed>=0.81", "must_not<=0"),
    *("refused_answerable<=0.05", "refused_or_low_answerable<=0.70", "refused_or_low_unanswerable>=0.80"),
]


def test_the_golden_questions_pass_their_gates(handbook: KnowledgeEngine) -> None:
    run = handbook.evaluate()
    gates = held_against(run, read_demands(GATES))
    assert [gate.demand for gate in gates if not gate.passed] == []
    assert len(run.outcomes) == len(handbook.cases())
