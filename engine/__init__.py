"""Evidence Explorer as a library: a question in, checkable evidence out.

    from engine import KnowledgeEngine

    with KnowledgeEngine.open("kb") as engine:
        result = engine.lookup_knowledge("How do I rewind a consumer group?")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.contracts.lookup import ContextPack, EvidenceBlock, LookupResult
from engine.contracts.lookup_trace import AttemptTrace, RerankTrace, RetrievalTrace
from engine.contracts.reports import Case, Freshness, SyncReport
from engine.errors import BadInput, EnvironmentProblem, EvidenceError
from engine.settings import RuleWeights, Settings, load_settings

if TYPE_CHECKING:
    from engine.knowledge_engine import KnowledgeEngine

__all__ = [
    "AttemptTrace",
    "BadInput",
    "Case",
    "ContextPack",
    "EnvironmentProblem",
    "EvidenceBlock",
    "EvidenceError",
    "Freshness",
    "KnowledgeEngine",
    "LookupResult",
    "RerankTrace",
    "RetrievalTrace",
    "RuleWeights",
    "Settings",
    "SyncReport",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    """Load DuckDB, usearch and the model's packages only when the engine is asked for."""
    if name == "KnowledgeEngine":
        from engine.knowledge_engine import KnowledgeEngine

        return KnowledgeEngine
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
