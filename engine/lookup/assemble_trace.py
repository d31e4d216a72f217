"""The trace part of a result: hints, attempts and the rerank, kept to what a reader can use."""

from __future__ import annotations

from collections import Counter

from engine.contracts.codes import DropCode
from engine.contracts.lookup_trace import (
    AttemptTrace,
    CandidateTrace,
    DroppedCandidate,
    EntityTerm,
    Hints,
    L0Match,
    LineRange,
    RerankEntry,
    RerankTrace,
    RuleTrace,
    ScorePart,
)
from engine.lookup.attempt import Attempt
from engine.lookup.hints import Hint
from engine.lookup.rerank import MILLION, Ranked
from engine.lookup.rules import RULES
from engine.lookup.transform import Question
from engine.settings import Settings

_MOST_SOURCES, _MOST_CATEGORIES = 5, 12  # of an L0 entry that stands in many documents


def hints_of(question: Question) -> Hints:
    """The L0 hints of a question."""
    return Hints(
        matched_titles=tuple(_match(hint) for hint in question.hints if hint.match.kind == "title"),
        matched_keywords=tuple(_match(hint) for hint in question.hints if hint.match.kind != "title"),
        categories=tuple(votes.category for votes in question.decision.votes),
        entity_terms=tuple(
            EntityTerm(text=entity.text, kind=entity.kind, known=entity.term not in question.unknown_entities) for entity in question.entities
        ),
    )


def _match(hint: Hint) -> L0Match:
    match = hint.match
    return L0Match(
        text=match.text,
        kind=match.kind,
        canonical=", ".join(match.canonicals) or None,
        sources=match.sources[:_MOST_SOURCES],
        documents=len(match.sources),
        categories=match.categories[:_MOST_CATEGORIES],
        votes=hint.votes,
    )


def trace_attempt(attempt: Attempt, settings: Settings) -> AttemptTrace:
    """One attempt with its first candidates by similarity, and every one that became evidence."""
    evidence = {member.candidate.record.id for block in attempt.blocks for member in block.members}
    codes = {one.ranked.candidate.record.id: one.code for one in attempt.dropped}
    by_similarity = sorted(attempt.ranked, key=lambda one: one.candidate.base_rank)
    kept = [one for i, one in enumerate(by_similarity) if i < settings.trace_candidates or one.candidate.record.id in evidence]
    return AttemptTrace(
        name=attempt.name,
        query=attempt.text,
        filter=attempt.category,
        searched_chunks=attempt.searched_chunks,
        candidate_count=len(attempt.candidates),
        lexical_count=sum(one.by_words for one in attempt.candidates),
        evidence_count=len(attempt.blocks),
        top_similarity=attempt.top_similarity,
        reference_threshold=settings.reference_threshold,
        evidence_floor=settings.evidence_floor,
        verdict=attempt.verdict,
        candidates=tuple(_candidate(one, one.candidate.record.id in evidence, codes.get(one.candidate.record.id)) for one in kept),
    )


def _candidate(one: Ranked, evidence: bool, code: DropCode | None) -> CandidateTrace:
    record = one.candidate.record
    return CandidateTrace(
        rank=one.candidate.base_rank,
        chunk_id=record.id,
        source=record.source,
        breadcrumb=record.breadcrumb or None,
        categories=record.categories,
        lines=LineRange(start=record.start_line, end=record.end_line),
        similarity=one.candidate.similarity,
        score=one.score / MILLION,
        final_rank=one.final_rank,
        evidence=evidence,
        code=code,
    )


def rerank_trace(attempt: Attempt | None, settings: Settings) -> RerankTrace:
    """The rules and the order of an attempt: the first entries, every one in a block, the first that were dropped, and the counts."""
    rules = tuple(RuleTrace(code=rule.code, title=rule.title, weight=getattr(settings.rule_weights, rule.code)) for rule in RULES)
    if attempt is None:
        return RerankTrace(rules=rules, entries=(), dropped=(), dropped_counts={})
    evidence = {member.candidate.record.id for block in attempt.blocks for member in block.members}
    kept = [one for one in attempt.ranked if one.final_rank <= settings.trace_candidates or one.candidate.record.id in evidence]
    dropped = attempt.dropped[: settings.trace_candidates]
    counts = Counter(one.code for one in attempt.dropped)
    return RerankTrace(
        rules=rules,
        entries=tuple(_entry(one, one.candidate.record.id in evidence) for one in kept),
        dropped=tuple(
            DroppedCandidate(
                chunk_id=one.ranked.candidate.record.id,
                similarity=one.ranked.candidate.similarity,
                stage="blocks",
                code=one.code,
                kept_instead=one.kept_instead,
            )
            for one in dropped
        ),
        dropped_counts={code: counts[code] for code in DropCode if counts[code]},
    )


def _entry(one: Ranked, evidence: bool) -> RerankEntry:
    return RerankEntry(
        final_rank=one.final_rank,
        base_rank=one.candidate.base_rank,
        source=one.candidate.record.source,
        chunk_id=one.candidate.record.id,
        base_score=one.candidate.similarity,
        parts=tuple(ScorePart(code=part.code, raw=part.raw, weight=part.weight, points=part.points / MILLION) for part in one.parts),
        score=one.score / MILLION,
        boost_reasons=tuple(part.reason for part in one.parts[1:]) if evidence else (),
    )
