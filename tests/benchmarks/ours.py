"""Our rankings of a question, and what would be without a part of them; the parts of each score add up, so most need no further search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine import KnowledgeEngine, LookupResult, RerankTrace, Settings
from engine.contracts.lookup_trace import RerankEntry
from tests.benchmarks.peers import Ranking

LEXICAL_CANDIDATES = 100
_ACCEPTED = {"evidence_floor": 0.0, "reference_threshold": 0.0}  # a filtered attempt that found anything is good enough


class Ours:
    """An engine with every candidate in its traces, and views of it that lack something."""

    def __init__(self, engine: KnowledgeEngine, settings: Settings, ids: Mapping[str, str]) -> None:
        everything = {"trace_candidates": settings.candidate_count + LEXICAL_CANDIDATES}
        self._ids = ids
        self._rules = [code for code, weight in settings.rule_weights if weight]
        self._ours, self._no_filter, self._no_retry, self._by_words = (
            engine.with_settings(settings.changed({"max_blocks": 1, **changes}).model_copy(update=everything))
            for changes in ({}, {"use_l0_filter": False}, _ACCEPTED, {"lexical_candidates": LEXICAL_CANDIDATES})
        )

    def rank(self, question: str) -> tuple[dict[str, Ranking], LookupResult]:
        """The rankings by name, and the result as it is."""
        result = self._ours.lookup_knowledge(question)
        trace = result.retrieval_trace
        is_filtered, is_retried = trace.filter_decision.category is not None, trace.fallback_reason is not None
        unfiltered = self._no_filter.lookup_knowledge(question) if is_filtered else result
        unretried = self._no_retry.lookup_knowledge(question) if is_retried else result
        rankings = {
            "ours": self._documents(result.rerank_trace, _whole),
            "no rules": self._documents(result.rerank_trace, _only()),
            "no L0 filter": self._documents(unfiltered.rerank_trace, _whole),
            "filter without retry": self._documents(unretried.rerank_trace, _whole),
            f"lexical_candidates {LEXICAL_CANDIDATES}": self._documents(self._by_words.lookup_knowledge(question).rerank_trace, _whole),
        }
        for code in self._rules:
            rankings[f"only {code}"] = self._documents(result.rerank_trace, _only(code))
            rankings[f"without {code}"] = self._documents(result.rerank_trace, _without(code))
        return rankings, result

    def _documents(self, trace: RerankTrace, score: Callable[[RerankEntry], float]) -> Ranking:
        """The best score of each document among the candidates."""
        best: Ranking = {}
        for entry in trace.entries:
            document = self._ids[entry.source]
            best[document] = max(score(entry), best.get(document, -1.0))
        return best


def _whole(entry: RerankEntry) -> float:
    return entry.score


def _only(*codes: str) -> Callable[[RerankEntry], float]:
    return lambda entry: sum(part.points for part in entry.parts if part.code in ("similarity", *codes))


def _without(code: str) -> Callable[[RerankEntry], float]:
    return lambda entry: sum(part.points for part in entry.parts if part.code != code)
