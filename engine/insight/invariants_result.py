"""What the design promises of the evidence in every result beyond the specification, a check each."""

from __future__ import annotations

from collections import Counter

from engine.contracts.codes import CompletenessLevel, DropCode, EvidenceStatus, ReasonCode, RelevanceLevel
from engine.contracts.lookup import LookupResult
from engine.insight.check import has_evidence, promise
from engine.lookup.pack_format import parse

_DESIGN = "Design"


@promise(_DESIGN, "Best evidence first", "evidenceBlocks", when=has_evidence)
def blocks_are_in_order(result: LookupResult) -> str | None:
    """The blocks stand by score, ties by chunk id."""
    keys = [(-block.score, block.id) for block in result.evidence_blocks]
    return None if keys == sorted(keys) else "a block stands before one with a higher score"


def _waived(result: LookupResult) -> list[bool]:
    return [any(reason.code == "exact_terms" for reason in block.hit_reasons) for block in result.evidence_blocks]


@promise(_DESIGN, "Nothing below the floor is evidence", "evidenceBlocks", "retrievalTrace.attempts", when=has_evidence)
def floor_holds(result: LookupResult) -> str | None:
    """No block is below the floor, except one that has every error code of the question and says so."""
    floors = {attempt.name: attempt.evidence_floor for attempt in result.retrieval_trace.attempts}
    for block, waived in zip(result.evidence_blocks, _waived(result), strict=True):
        if block.similarity < floors.get(block.attempt, 0) and not waived:
            return f"{block.id} has similarity {block.similarity}, and the floor is {floors[block.attempt]}"
    return None


@promise(
    _DESIGN, "Codes alone are of low relevance", "evidenceBlocks", "relevanceLevel", when=lambda result: has_evidence(result) and all(_waived(result))
)
def codes_alone_are_low(result: LookupResult) -> str | None:
    """Evidence that only its error codes make usable has relevance low."""
    return None if result.relevance_level is RelevanceLevel.LOW else f"the relevance is {result.relevance_level.value}"


@promise(_DESIGN, "Evidence was retrieved", "evidenceBlocks", "retrievalTrace.attempts", "retrievalTrace.selectedAttempt", when=has_evidence)
def evidence_was_retrieved(result: LookupResult) -> str | None:
    """Every chunk of every block is a candidate of the selected attempt: nothing comes from L0."""
    selected = result.retrieval_trace.selected_attempt
    candidates = {one.chunk_id for attempt in result.retrieval_trace.attempts if attempt.name is selected for one in attempt.candidates}
    for block in result.evidence_blocks:
        if block.attempt is not selected or not {block.id, *block.chunk_ids} <= candidates:
            return f"{block.id} was not retrieved by the selected attempt"
    return None


@promise(_DESIGN, "Evidence comes from L1", "evidenceBlocks[].retrievalLayer", when=has_evidence)
def only_l1_is_evidence(result: LookupResult) -> str | None:
    """The retrieval layer of every block is L1."""
    wrong = next((block for block in result.evidence_blocks if block.retrieval_layer != "L1"), None)
    return f"{wrong.id} comes from {wrong.retrieval_layer}" if wrong else None


@promise(_DESIGN, "What is dropped is no evidence", "rerankTrace.dropped", "rerankTrace.droppedCounts", "evidenceBlocks")
def dropped_is_no_evidence(result: LookupResult) -> str | None:
    """A dropped candidate is in no block, is counted, and where it is a duplicate it names what stands for it."""
    dropped = result.rerank_trace.dropped
    evidence = {chunk_id for block in result.evidence_blocks for chunk_id in block.chunk_ids}
    listed = Counter(one.code for one in dropped)
    if any(listed[code] > result.rerank_trace.dropped_counts.get(code, 0) for code in listed):
        return "more candidates are listed as dropped than counted"
    for one in dropped:
        if one.chunk_id in evidence or (one.code is DropCode.DUPLICATE_OF) != (one.kept_instead in evidence):
            return f"{one.chunk_id} is dropped with the code {one.code.value}, and the blocks say otherwise"
    return None


@promise(_DESIGN, "The budget holds", "contextPack.usedTokens", "contextPack.budgetTokens")
def budget_holds(result: LookupResult) -> str | None:
    """The packed text takes no more tokens than the budget allows."""
    pack = result.context_pack
    return None if pack.used_tokens <= pack.budget_tokens else f"{pack.used_tokens} tokens are packed, and the budget is {pack.budget_tokens}"


@promise(_DESIGN, "Content cannot forge the structure", "contextPack.text", "contextPack.included")
def pack_reads_back(result: LookupResult) -> str | None:
    """Reading the packed text gives the included blocks back, in order, with sources and lines."""
    try:
        read = [(block.source, *block.lines, block.truncated) for block in parse(result.context_pack.text)]
    except ValueError as failure:
        return f"the packed text cannot be read: {failure}"
    listed = [(item.source, item.lines.start, item.lines.end, item.truncated) for item in result.context_pack.included]
    return None if read == listed else f"the text has {read}, and the list says {listed}"


@promise(_DESIGN, "Every block is packed or omitted", "contextPack.included", "contextPack.omitted", "evidenceBlocks", when=has_evidence)
def pack_accounts_for_blocks(result: LookupResult) -> str | None:
    """Every block is once in the included or the omitted list, and nothing else is."""
    pack = result.context_pack
    listed = sorted([item.id for item in pack.included] + [item.id for item in pack.omitted])
    return None if listed == sorted(block.id for block in result.evidence_blocks) else f"the lists have {', '.join(listed)}"


@promise(_DESIGN, "Completeness follows the pack", "completenessHint", "contextPack.included", "contextPack.omitted")
def completeness_is_right(result: LookupResult) -> str | None:
    """Completeness is none without evidence, truncated when the budget took something, else partial when a word is missing."""
    pack, hint = result.context_pack, result.completeness_hint
    if not result.evidence_blocks:
        expected = CompletenessLevel.NONE
    elif pack.omitted or any(item.truncated for item in pack.included):
        expected = CompletenessLevel.TRUNCATED
    else:
        expected = CompletenessLevel.PARTIAL if hint.missing_terms else CompletenessLevel.COMPLETE
    return None if hint.level is expected else f"the level is {hint.level.value}, not {expected.value}"


@promise(_DESIGN, "One answer in every field", "found", "evidenceStatus", "reasonCode", "evidenceBlocks", "retrievalTrace.selectedAttempt")
def found_agrees(result: LookupResult) -> str | None:
    """found, evidence status, reason code, blocks and selected attempt say the same."""
    said = {
        "found": result.found,
        "evidenceStatus": result.evidence_status is EvidenceStatus.EVIDENCE,
        "reasonCode": result.reason_code is ReasonCode.FOUND,
        "evidenceBlocks": has_evidence(result),
        "selectedAttempt": result.retrieval_trace.selected_attempt is not None,
    }
    return None if len(set(said.values())) == 1 else f"only {', '.join(name for name, yes in said.items() if yes)} says that there is evidence"


@promise(_DESIGN, "Every result has a message", "message")
def message_is_there(result: LookupResult) -> str | None:
    """The message is a sentence."""
    return None if result.message.strip().endswith(".") else f"the message is {result.message!r}"


RESULT = (
    blocks_are_in_order,
    floor_holds,
    codes_alone_are_low,
    evidence_was_retrieved,
    only_l1_is_evidence,
    dropped_is_no_evidence,
    budget_holds,
    pack_reads_back,
    pack_accounts_for_blocks,
    completeness_is_right,
    found_agrees,
    message_is_there,
)
