"""What a lookup returns: checkable evidence, the packed context, and the trace of every decision."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from engine.contracts.base import Contract
from engine.contracts.span import Span

SCHEMA_VERSION = "1"

Similarity = Annotated[float, Field(ge=0, le=1, description="Cosine clamped to 0..1, six decimals, absolute.")]
Points = Annotated[float, Field(description="A signed share of the score, six decimals; only orders, never a percentage.")]


class ReasonCode(StrEnum):
    """Why a result is what it is; exactly one per result."""

    FOUND = "found"
    EMPTY_KNOWLEDGE_BASE = "empty_knowledge_base"
    NO_SEARCHABLE_TEXT = "no_searchable_text"
    L1_DISABLED = "l1_disabled"
    NO_CANDIDATES = "no_candidates"
    BELOW_FLOOR = "below_floor"
    UNREADABLE_BY_EMBEDDER = "unreadable_by_embedder"


class EvidenceStatus(StrEnum):
    """Whether the result holds evidence."""

    EVIDENCE = "evidence"
    NO_EVIDENCE = "no_evidence"


class RelevanceLevel(StrEnum):
    """How near the best evidence is to the question, by its similarity against the thresholds."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


class CompletenessLevel(StrEnum):
    """How far the packed evidence covers the words of the question."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    TRUNCATED = "truncated"
    NONE = "none"


class AttemptName(StrEnum):
    """The two retrieval attempts."""

    FILTERED = "filtered"
    UNFILTERED = "unfiltered"


class Verdict(StrEnum):
    """What became of one attempt; the two long names are the specification's fallback reasons."""

    OK = "ok"
    FILTERED_NO_EVIDENCE = "filtered_vector_no_evidence"
    FILTERED_LOW_QUALITY = "filtered_vector_low_quality"
    LOW_QUALITY = "low_quality"
    NO_EVIDENCE = "no_evidence"


class FilterCode(StrEnum):
    """Why the L0-derived category filter was or was not applied."""

    APPLIED = "applied"
    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    COVERS_EVERYTHING = "covers_everything"
    DISABLED = "disabled"


class DropCode(StrEnum):
    """Why a candidate became no block of its own."""

    BELOW_FLOOR = "below_floor"
    UNREADABLE_BY_EMBEDDER = "unreadable_by_embedder"
    DUPLICATE_OF = "duplicate_of"
    MAX_BLOCKS = "max_blocks"
    MAX_BLOCKS_PER_DOCUMENT = "max_blocks_per_document"


class OmitReason(StrEnum):
    """Why a block did not enter the packed context."""

    NO_ROOM = "no_room"
    HEADER_EXCEEDS_BUDGET = "header_exceeds_budget"


class LineRange(Contract):
    """Lines of the source file, 1-based, both included."""

    start: int = Field(ge=1, description="First line of the file that is covered.")
    end: int = Field(ge=1, description="Last line of the file that is covered.")


class ScopeTerm(Contract):
    """One condition that the caller set; never relaxed, unlike the L0-derived filter."""

    field: str = Field(description="A frontmatter field, `category` or `source`.")
    operator: str = Field(pattern="^(=|!=)$", description="`=` any of the values, `!=` none of them.")
    values: tuple[str, ...] = Field(description="Accepted values as the author wrote them; an empty one means that the field is empty.")


class HitReason(Contract):
    """One reason why a block is evidence or stands where it stands."""

    code: str = Field(description="`similarity`, a rule's code, `filter`, `fallback` or `exact_terms`.")
    text: str = Field(description="The reason as a sentence.")
    points: Points


class EvidenceBlock(Contract):
    """A passage, or neighbouring passages of one section, that answers for itself."""

    id: str = Field(description="Id of the best chunk in the block: `path#slug~n`.")
    chunk_ids: tuple[str, ...] = Field(description="Every chunk of the block, in the order of the file.")
    source: str = Field(description="Path of the file, relative to the knowledge base, with `/`.")
    title: str | None = Field(description="Title of the document.")
    breadcrumb: str | None = Field(description="Title and headings down to the passage, joined by ` > `.")
    categories: tuple[str, ...] = Field(description="Categories of the document.")
    lines: LineRange
    retrieval_layer: str = Field(description="Always `L1`: the vector index. L0 hints are never evidence.")
    attempt: AttemptName = Field(description="The attempt that found it.")
    content: str = Field(description="The text, as it stands in the file.")
    similarity: Similarity
    score: Points
    tokens: int = Field(ge=0, description="Tokens of the content, counted by the embedding model's tokenizer.")
    hit_reasons: tuple[HitReason, ...]


class PackedItem(Contract):
    """A block that entered the packed context."""

    id: str
    source: str
    tokens: int = Field(ge=0, description="Tokens that it takes in the pack, its header included.")
    truncated: bool = Field(description="Whether its content was cut to fit.")
    lines: LineRange = Field(description="The lines that are really in the pack.")


class OmittedItem(Contract):
    """A block that the budget left out."""

    id: str
    source: str
    tokens: int = Field(ge=0, description="Tokens that it would have taken, its header included.")
    reason: OmitReason


class ContextPack(Contract):
    """The evidence as one text for an agent, within a budget of tokens."""

    text: str = Field(description="The packed text; content lines begin with `| `, so that no content can imitate a header.")
    budget_tokens: int = Field(ge=0)
    used_tokens: int = Field(ge=0, description="Tokens of `text`, headers and separators included; never above the budget.")
    tokenizer: str = Field(description="The tokenizer that counted.")
    included: tuple[PackedItem, ...]
    omitted: tuple[OmittedItem, ...]


class CompletenessHint(Contract):
    """What the packed evidence leaves open."""

    level: CompletenessLevel
    missing_terms: tuple[str, ...] = Field(description="Words and names of the question that no packed text contains.")
    note: str


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
    """A chunk that a vector search returned; a candidate is not yet evidence."""

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
    evidence_count: int = Field(ge=0, description="Blocks that came of it.")
    top_similarity: Similarity | None
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
    near_misses: int = Field(ge=0, description="Candidates of the last attempt less than 0.05 below the floor.")
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
    dropped: tuple[DroppedCandidate, ...] = Field(description="The first ones by final rank, and every duplicate.")
    dropped_counts: dict[DropCode, int] = Field(description="How many were dropped, by code.")


class LookupResult(Contract):
    """The answer of `lookup_knowledge`: evidence with its source, or a stated reason for its absence."""

    schema_version: str = SCHEMA_VERSION
    query: str
    scope: tuple[ScopeTerm, ...]
    found: bool
    message: str
    evidence_status: EvidenceStatus
    reason_code: ReasonCode
    relevance_level: RelevanceLevel
    completeness_hint: CompletenessHint
    evidence_blocks: tuple[EvidenceBlock, ...]
    context_pack: ContextPack
    retrieval_trace: RetrievalTrace
    rerank_trace: RerankTrace
    trace_id: str
    snapshot_id: str
    settings_fingerprint: str

    def canonical_json(self) -> str:
        """Everything but the timings as one line of JSON, equal byte for byte for equal runs."""
        return self.model_dump_json(exclude={"retrieval_trace": {"spans"}})
