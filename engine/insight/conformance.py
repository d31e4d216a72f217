"""Every SHALL of the specification, and every invariant of the design, held against one result."""

from __future__ import annotations

from engine.contracts.conformance import CheckOutcome
from engine.contracts.lookup import LookupResult
from engine.insight.checks_evidence import EVIDENCE
from engine.insight.checks_retrieval import RETRIEVAL
from engine.insight.invariants_result import RESULT
from engine.insight.invariants_search import SEARCH

CHECKS = (*RETRIEVAL, *EVIDENCE, *SEARCH, *RESULT)


def check(result: LookupResult) -> tuple[CheckOutcome, ...]:
    """What every check says of a result, the specification's scenarios first; it re-runs nothing."""
    return tuple(one.outcome(result) for one in CHECKS)
