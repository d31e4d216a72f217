"""Every scenario of the specification has a check and a test, and every real result keeps every promise."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import pytest

from engine.contracts.lookup import LookupResult
from engine.insight.check import Check
from engine.insight.checks_evidence import EVIDENCE
from engine.insight.checks_retrieval import RETRIEVAL
from engine.insight.conformance import check
from tests.documents import SITUATIONS
from tests.specification import test_scenarios


def test_every_scenario_has_a_check_and_a_test() -> None:
    scenarios: tuple[Check, ...] = (*RETRIEVAL, *EVIDENCE)
    tests = [test for name, test in inspect.getmembers(test_scenarios, inspect.isfunction) if name.startswith("test_")]
    assert {one.scenario for one in scenarios} == {test.__doc__ for test in tests}
    assert len({one.scenario for one in scenarios}) == len(scenarios) == 17
    assert len({one.requirement for one in scenarios}) == 7


@pytest.mark.parametrize("name", [*SITUATIONS, "unreadable", "empty_knowledge_base"])
def test_every_result_passes_every_check(results: Mapping[str, LookupResult], name: str) -> None:
    assert [(one.code, one.finding) for one in check(results[name]) if one.finding] == []
