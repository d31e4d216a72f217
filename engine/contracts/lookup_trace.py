"""The trace of a lookup: what each stage found and decided."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engine.contracts.base import Contract
from engine.contracts.codes import AttemptName, DropCode, FilterCode, Verdict
from engine.contracts.span import Span

Similarity = Annotated[float, Field(ge=0, le=1, description="Cosine clamped to 0..1, six decimals, absolute.")]
Points = Annotated[float, Field(description="A signed share of the score, six decimals; only orders, never a percentage.")]


class LineRange(Contract):
    """Lines of the source file, 1-based, both included."""

    start: int = Field(ge=1, description="First line of the file that is covered.")
    end: int = Field(ge=1, description="Last line of the file that is covered.")


class TransformStep(Contract):
    """One step of the query transformation."""

    code: str = Field(description="`clean`, `entities`, `l0`, `aliases` or `filter`.")
    before: str
    after: str
    note: str


class L0Match(Contract):
    """An entry of the L0 keyword tables that stands in the query. A hint, never evidence."""

    text: str = Field(description="The entry as its author wrote it.")
    kind: str = Field(description="`title`, `keyword`, `alias` or `entity`.")
    canonical: str | None = Field(description="What an alias stands for.")
    sources: tuple[str, ...] = Field(description="Documents that carry the entry; the first ones, `documents` counts all.")
    documents: int = Field(ge=1, description="How many documents carry the entry.")
    categories: tuple[str, ...]
    votes: bool = Field(description="Whether it takes part in the vote on a category.")


class EntityTerm(Contract):
    """A name or code recognised in the query."""

    text: str
    kind: str = Field(description="`error_code`, `alert_name`, `service_name` or `identifier`.")
    known: bool = Field(description="Whether any document contains it.")


class Hints(Contract):
    """What L0 knows about the query: hints for filter, order and explanation."""

    matched_titles: tuple[L0Match, ...]
    matched_keywords: tuple[L0Match, ...] = Field(description="Keywords, aliases and entities.")
    categories: tuple[str, ...] = Field(description="Categories by votes, most first.")
    entity_terms: tuple[EntityTerm, ...]


class CategoryVotes(Contract):
    """The votes for one category."""

    category: str
    votes: int = Field(ge=1)
    share: float = Field(ge=0, le=1, description="Share of all votes, six decimals.")


class FilterDecision(Contract):
    """Whether L0 narrows the first attempt to one category, and why."""

    code: FilterCode
    category: str | None
    votes: tuple[CategoryVotes, ...]
    note: str


class CandidateTrace(Contract):
    """A chunk that the vector search returned, or that the words of the query proposed; a candidate is not yet evidence."""

    rank: int = Field(ge=1, description="Position by similarity, 1 is best.")
    chunk_id: str
    source: str
    breadcrumb: str | None
    categories: tuple[str, ...]
    lines: LineRange
    similarity: Similarity
    score: Points
    final_rank: int = Field(ge=1, description="Position after the rerank.")
    evidence: bool = Field(description="Whether it became part of an evidence block of this attempt.")
    code: str | None = Field(description="Why it is not evidence, where it is not.")


class AttemptTrace(Contract):
    """One retrieval, rerank and block building."""

    name: AttemptName
    query: str
    filter: str | None = Field(description="The L0-derived category, where there was one.")
    searched_chunks: int = Field(ge=0, description="Chunks that scope and filter left to search; the search over them is complete.")
    candidate_count: int = Field(ge=0)
    lexical_count: int = Field(default=0, ge=0, description="How many of them only the words of the query proposed; by similarity these come last.")
    evidence_count: int = Field(ge=0, description="Blocks that came of it.")
    top_similarity: Similarity | None = Field(description="Of the candidates that the embedder can read, where there are any.")
    reference_threshold: Similarity
    evidence_floor: Similarity
    verdict: Verdict
    candidates: tuple[CandidateTrace, ...] = Field(description="The first ones, and every one that became evidence.")


class RetrievalTrace(Contract):
    """From the raw query to the selected attempt."""

    raw_query: str
    transformed_query: str
    steps: tuple[TransformStep, ...]
    hints: Hints
    filter_decision: FilterDecision
    attempts: tuple[AttemptTrace, ...] = Field(max_length=2)
    fallback_reason: Verdict | None = Field(description="Why a second attempt was made: one of the two filtered_vector codes.")
    selected_attempt: AttemptName | None = Field(description="The attempt whose evidence is returned; none without evidence.")
    selection_reason: str = Field(description="Why that attempt was selected.")
    near_misses: int = Field(ge=0, description="Readable candidates of the attempt shown that lie at most 0.05 below the floor.")
    spans: tuple[Span, ...] = Field(default=(), description="Timings; the only part that differs between equal runs.")


class RuleTrace(Contract):
    """A rerank rule that was in force."""

    code: str
    title: str
    weight: float


class ScorePart(Contract):
    """What one signal adds to a score."""

    code: str = Field(description="`similarity`, or a rule's code.")
    raw: float = Field(ge=0, le=1, description="The signal, absolute, six decimals.")
    weight: float
    points: Points = Field(description="raw x weight, rounded to a millionth.")


class RerankEntry(Contract):
    """A candidate's way from its base rank to its final rank."""

    final_rank: int = Field(ge=1)
    base_rank: int = Field(ge=1, description="Position by similarity.")
    source: str
    chunk_id: str
    base_score: Similarity
    parts: tuple[ScorePart, ...] = Field(description="Similarity first, then every rule with a signal; their points add up to `score` exactly.")
    score: Points
    boost_reasons: tuple[str, ...] = Field(description="For an entry in an evidence block: what lifted it, as sentences.")


class DroppedCandidate(Contract):
    """A candidate that became no block of its own."""

    chunk_id: str
    similarity: Similarity
    stage: str = Field(description="The stage that dropped it.")
    code: DropCode
    kept_instead: str | None = Field(description="For a duplicate: the chunk that stands for it.")


class RerankTrace(Contract):
    """How the candidates of the selected attempt (the last one without evidence) were ordered and thinned."""

    rules: tuple[RuleTrace, ...]
    entries: tuple[RerankEntry, ...] = Field(description="The first ones by final rank, and every one in a block.")
    dropped: tuple[DroppedCandidate, ...] = Field(description="The first ones by final rank.")
    dropped_counts: dict[DropCode, int] = Field(description="How many were dropped, by code.")
