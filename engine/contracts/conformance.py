"""What a conformance check says of a result."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from engine.contracts.base import Contract


class CheckStatus(StrEnum):
    """Whether a result keeps a promise; a result that does not show the situation says nothing about it."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"


class CheckOutcome(Contract):
    """One promise held against one result."""

    code: str
    requirement: str = Field(description="The specification's requirement, or `Design`.")
    scenario: str = Field(description="The specification's scenario, or what the design promises beyond it.")
    sentence: str = Field(description="What must hold, in one sentence.")
    looks_at: tuple[str, ...] = Field(description="The fields of the result that decide it, as JSON paths.")
    status: CheckStatus
    finding: str | None = Field(description="What is wrong, where the check fails.")
