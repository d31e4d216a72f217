"""The codes of a lookup: every decision is one of these."""

from __future__ import annotations

from enum import StrEnum


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
