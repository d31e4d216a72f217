"""Evidence Explorer as a library: a question in, checkable evidence out.

    from engine import KnowledgeEngine

    with KnowledgeEngine.open("kb") as engine:
        result = engine.lookup_knowledge("How do I rewind a consumer group?")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.contracts.evaluation import Calibration, CaseOutcome, EvaluationRun, RunComparison, SavedRun
    from engine.contracts.lint import Finding, LintReport, Severity
    from engine.contracts.lookup import ContextPack, EvidenceBlock, LookupResult
    from engine.contracts.lookup_trace import AttemptTrace, RerankTrace, RetrievalTrace
    from engine.contracts.reports import Case, Freshness, SyncReport
    from engine.contracts.tokens import TokenReport
    from engine.errors import BadInput, EnvironmentProblem, EvidenceError
    from engine.insight.evaluation.compare import compare
    from engine.knowledge_engine import KnowledgeEngine
    from engine.settings import RuleWeights, Settings
    from engine.settings_sources import load_settings

__all__ = [  # in the order in which a user meets them  # noqa: RUF022
    "Settings",
    "RuleWeights",
    "load_settings",
    "KnowledgeEngine",
    "SyncReport",
    "Freshness",
    "LookupResult",
    "RetrievalTrace",
    "AttemptTrace",
    "RerankTrace",
    "EvidenceBlock",
    "ContextPack",
    "TokenReport",
    "Case",
    "EvaluationRun",
    "CaseOutcome",
    "SavedRun",
    "compare",
    "RunComparison",
    "Calibration",
    "LintReport",
    "Finding",
    "Severity",
    "EvidenceError",
    "BadInput",
    "EnvironmentProblem",
]

_HOMES = {
    "engine.settings": ("Settings", "RuleWeights"),
    "engine.settings_sources": ("load_settings",),
    "engine.knowledge_engine": ("KnowledgeEngine",),
    "engine.contracts.reports": ("SyncReport", "Freshness", "Case"),
    "engine.contracts.lookup": ("LookupResult", "EvidenceBlock", "ContextPack"),
    "engine.contracts.lookup_trace": ("RetrievalTrace", "AttemptTrace", "RerankTrace"),
    "engine.contracts.lint": ("LintReport", "Finding", "Severity"),
    "engine.contracts.evaluation": ("EvaluationRun", "CaseOutcome", "SavedRun", "RunComparison", "Calibration"),
    "engine.insight.evaluation.compare": ("compare",),
    "engine.contracts.tokens": ("TokenReport",),
    "engine.errors": ("EvidenceError", "BadInput", "EnvironmentProblem"),
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for: pydantic alone takes 0.2 seconds, torch several."""
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    return getattr(import_module(home), name)
