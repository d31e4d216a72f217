"""The specification's scenarios on the result, the packed context, the rerank and the blocks, a check each."""

from __future__ import annotations

from collections.abc import Iterator

from engine.contracts.codes import CompletenessLevel, ReasonCode, RelevanceLevel
from engine.contracts.lookup import EvidenceBlock, LookupResult, PackedItem
from engine.insight.check import has_evidence, has_packed, matches, parsed, promise
from engine.knowledge.chunk_names import MOST_NAME_CHARACTERS
from engine.lookup.pack_format import PackedBlock

_CONTRACT = "Knowledge retrieval SHALL return an evidence-first result contract"
_PACK = "Knowledge retrieval SHALL pack evidence context for Agent consumption"
_RERANK = "Knowledge retrieval SHALL rerank evidence with traceable rule signals"
_BLOCKS = "Knowledge retrieval SHALL return structured evidence blocks"
_SEARCHED = (ReasonCode.NO_CANDIDATES, ReasonCode.BELOW_FLOOR, ReasonCode.UNREADABLE_BY_EMBEDDER)


@promise(
    _CONTRACT,
    "Evidence result contains context and traces",
    *("evidenceBlocks", "contextPack", "retrievalTrace", "rerankTrace", "relevanceLevel", "completenessHint"),
    when=lambda result: result.found,
)
def evidence_result_is_whole(result: LookupResult) -> str | None:
    """A result with evidence has blocks, a context pack, both traces, a relevance level and a completeness hint."""
    present = {
        "evidenceBlocks": result.evidence_blocks,
        "contextPack": result.context_pack.included + result.context_pack.omitted,
        "retrievalTrace": result.retrieval_trace.attempts,
        "rerankTrace": result.rerank_trace.entries,
        "relevanceLevel": result.relevance_level is not RelevanceLevel.NONE,
        "completenessHint": result.completeness_hint.level is not CompletenessLevel.NONE,
    }
    missing = [name for name, value in present.items() if not value]
    return f"{', '.join(missing)} says nothing" if missing else None


@promise(
    _CONTRACT, "No-evidence result keeps traceability", "message", "reasonCode", "retrievalTrace.attempts", when=lambda result: not result.found
)
def no_evidence_is_traceable(result: LookupResult) -> str | None:
    """A result without evidence says so in its message, and its trace has every retrieval that was attempted."""
    if "no knowledge evidence was found" not in result.message.lower():
        return f"the message does not say that no knowledge evidence was found: {result.message!r}"
    searched = result.reason_code in _SEARCHED
    return f"the reason is {result.reason_code.value}, and no attempt is in the trace" if searched and not result.retrieval_trace.attempts else None


def _packed(result: LookupResult) -> Iterator[tuple[PackedBlock, PackedItem, EvidenceBlock]]:
    """What the text says, what the list says, and the block itself, for every packed block."""
    blocks = {block.id: block for block in result.evidence_blocks}
    for read, item in zip(parsed(result), result.context_pack.included, strict=False):
        if item.id in blocks:
            yield read, item, blocks[item.id]


def _header(value: str | None) -> str | None:
    return (value or "")[:MOST_NAME_CHARACTERS] or None


@promise(_PACK, "Context pack preserves source metadata", "contextPack.text", "evidenceBlocks", when=has_packed)
def pack_keeps_metadata(result: LookupResult) -> str | None:
    """The packed text has source, title, breadcrumb and hit reasons of every included block."""
    for read, item, block in _packed(result):
        reasons = tuple(reason.text for reason in block.hit_reasons)
        if (read.source, read.title, read.breadcrumb, read.reasons) != (block.source, _header(block.title), _header(block.breadcrumb), reasons):
            return f"the header of {item.id} is not what its block says"
    return None


def _exceeds_budget(result: LookupResult) -> bool:
    return bool(result.context_pack.omitted) or any(item.truncated for item in result.context_pack.included)


@promise(
    _PACK, "Context pack respects budget", "contextPack.text", "contextPack.included", "contextPack.omitted", "evidenceBlocks", when=_exceeds_budget
)
def pack_cuts_content(result: LookupResult) -> str | None:
    """Where the evidence exceeds the budget, content is cut and never its header, and what was cut or omitted is listed with its source."""
    sources = {block.id: block.source for block in result.evidence_blocks}
    for left_out in result.context_pack.omitted:
        if left_out.source != sources.get(left_out.id, left_out.source):
            return f"{left_out.id} is listed as omitted under the source {left_out.source}"
    for read, item, block in _packed(result):
        if item.truncated and read.whole_lines != (block.lines.start, block.lines.end):
            return f"the header of the cut {item.id} does not say what it was cut from"
    return None


@promise(_RERANK, "Rerank trace records score contributions", "rerankTrace.entries", "evidenceBlocks", when=has_evidence)
def contributions_are_recorded(result: LookupResult) -> str | None:
    """Every block has an entry with its source, its score, and one reason for each boost."""
    entries = {entry.chunk_id: entry for entry in result.rerank_trace.entries}
    for block in result.evidence_blocks:
        entry = entries.get(block.id)
        if entry is None:
            return f"{block.id} has no entry"
        if (entry.source, entry.score) != (block.source, block.score):
            return f"the entry of {block.id} has the source {entry.source} and the score {entry.score}"
        if len(entry.boost_reasons) != len(entry.parts) - 1:
            return f"{block.id} has {len(entry.parts) - 1} boosts and {len(entry.boost_reasons)} reasons"
    return None


def _hinted(result: LookupResult) -> list[EvidenceBlock]:
    """The blocks whose document carries a matched title, keyword or alias."""
    sources = {source for match in matches(result) if match.kind != "entity" for source in match.sources}
    return [block for block in result.evidence_blocks if block.source in sources]


@promise(
    _RERANK,
    "Query hints influence rerank without becoming evidence",
    "retrievalTrace.hints",
    "rerankTrace.entries",
    "evidenceBlocks",
    when=lambda result: bool(_hinted(result)),
)
def hints_are_hit_reasons(result: LookupResult) -> str | None:
    """A block whose document an L0 hint names has the hint as a hit reason, with its points, also where they are none."""
    entries = {entry.chunk_id: entry for entry in result.rerank_trace.entries}
    for block in _hinted(result):
        given = [part.points for part in entries[block.id].parts if part.code == "hint"] if block.id in entries else []
        recorded = [reason.points for reason in block.hit_reasons if reason.code == "hint"]
        if not recorded or recorded != given:
            return f"an L0 hint names {block.source}; the rerank gave {block.id} {given} points for it, and its hit reasons say {recorded}"
    return None


@promise(_BLOCKS, "Evidence block contains source metadata", "evidenceBlocks", "retrievalTrace.attempts", when=has_evidence)
def block_has_metadata(result: LookupResult) -> str | None:
    """Every block has source, breadcrumb, retrieval layer, content and hit reasons."""
    candidates = {(attempt.name, one.chunk_id): one for attempt in result.retrieval_trace.attempts for one in attempt.candidates}
    for block in result.evidence_blocks:
        said = {"source": block.source, "retrievalLayer": block.retrieval_layer, "content": block.content.strip(), "hitReasons": block.hit_reasons}
        if missing := [name for name, value in said.items() if not value]:
            return f"{block.id} has no {', '.join(missing)}"
        candidate = candidates.get((block.attempt, block.id))
        if candidate is not None and (candidate.source, candidate.breadcrumb) != (block.source, block.breadcrumb):
            return f"{block.id} does not carry the source and breadcrumb of its candidate"
    return None


@promise(_BLOCKS, "Evidence blocks are the primary evidence contract", "contextPack.text", "evidenceBlocks", when=has_packed)
def pack_comes_from_blocks(result: LookupResult) -> str | None:
    """Every packed text is part of the content of its block."""
    foreign = next((item.id for read, item, block in _packed(result) if read.content not in block.content), None)
    return f"the packed text of {foreign} is not in its block" if foreign else None


EVIDENCE = (
    evidence_result_is_whole,
    no_evidence_is_traceable,
    pack_keeps_metadata,
    pack_cuts_content,
    contributions_are_recorded,
    hints_are_hit_reasons,
    block_has_metadata,
    pack_comes_from_blocks,
)
