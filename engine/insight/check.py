"""A check as data: one promise of the specification or the design, as a pure function of a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.contracts.conformance import CheckOutcome, CheckStatus
from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import L0Match
from engine.lookup.pack_format import PackedBlock, parse

Fault = Callable[[LookupResult], str | None]
Situation = Callable[[LookupResult], bool]


@dataclass(frozen=True, slots=True)
class Check:
    """Where a result shows the situation `applies`, `fault` says what is wrong with it, or None."""

    code: str
    requirement: str
    scenario: str
    sentence: str
    looks_at: tuple[str, ...]
    applies: Situation
    fault: Fault

    def outcome(self, result: LookupResult) -> CheckOutcome:
        """The promise held against a result."""
        applies = self.applies(result)
        finding = self.fault(result) if applies else None
        status = CheckStatus.FAIL if finding else CheckStatus.PASS if applies else CheckStatus.NOT_APPLICABLE
        return CheckOutcome(
            code=self.code,
            requirement=self.requirement,
            scenario=self.scenario,
            sentence=self.sentence,
            looks_at=self.looks_at,
            status=status,
            finding=finding,
        )


def always(_: LookupResult) -> bool:
    """For a promise that every result must keep."""
    return True


def promise(requirement: str, scenario: str, *looks_at: str, when: Situation = always) -> Callable[[Fault], Check]:
    """Make a check of a function that finds the fault: its name is the code, its docstring the sentence."""

    def make(fault: Fault) -> Check:
        return Check(fault.__name__, requirement, scenario, fault.__doc__ or "", looks_at, when, fault)

    return make


def parsed(result: LookupResult) -> tuple[PackedBlock, ...]:
    """The blocks that the packed text gives back; none where it cannot be read, which is a fault of its own."""
    try:
        return parse(result.context_pack.text)
    except ValueError:
        return ()


def matches(result: LookupResult) -> tuple[L0Match, ...]:
    """Everything that L0 matched."""
    return result.retrieval_trace.hints.matched_titles + result.retrieval_trace.hints.matched_keywords


def has_evidence(result: LookupResult) -> bool:
    """Whether there is a block."""
    return bool(result.evidence_blocks)


def has_packed(result: LookupResult) -> bool:
    """Whether a block is in the packed context."""
    return bool(result.context_pack.included)
