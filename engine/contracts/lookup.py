"""What a lookup returns: checkable evidence, the packed context, and the trace of every decision."""

from __future__ import annotations

from pydantic import Field

from engine.contracts.base import Contract
from engine.contracts.codes import AttemptName, CompletenessLevel, EvidenceStatus, OmitReason, ReasonCode, RelevanceLevel
from engine.contracts.lookup_trace import LineRange, Points, RerankTrace, RetrievalTrace, Similarity

SCHEMA_VERSION = "1"


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
    content: str = Field(description="The text as it stands in the file; a piece from the middle of a table or fence has its head above it.")
    similarity: Similarity
    score: Points
    tokens: int = Field(ge=0, description="Tokens of its chunks, repeated table heads included, by the embedding model's tokenizer.")
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
