"""What a lint of the files of a knowledge base says."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from engine.contracts.base import Contract


class Severity(StrEnum):
    """How much a finding costs: text or fields that are lost, weaker retrieval, or only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(Contract):
    """One fault at one place; one about the whole knowledge base stands at the first document concerned."""

    code: str
    severity: Severity
    source: str
    line: int = Field(ge=1)
    message: str
    next_step: str = Field(description="What to do about it.")


class LintReport(Contract):
    """Every finding, errors first, then by source, line and code."""

    documents: int = Field(ge=0)
    chunks: int = Field(ge=0)
    counts: dict[Severity, int] = Field(description="How many findings there are of each severity.")
    findings: tuple[Finding, ...]

    def has(self, least: Severity) -> bool:
        """Whether there is a finding of a severity, or of a graver one."""
        severities = list(Severity)
        return any(self.counts[severity] for severity in severities[: severities.index(least) + 1])
