"""Stage 6: everything that the stages found becomes one `LookupResult`."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contracts.lookup import (
    CompletenessHint,
    CompletenessLevel,
    ContextPack,
    EvidenceBlock,
    EvidenceStatus,
    HitReason,
    LineRange,
    LookupResult,
    OmittedItem,
    PackedItem,
    ReasonCode,
    RelevanceLevel,
    RetrievalTrace,
    ScopeTerm,
    Verdict,
)
from engine.lookup.assemble_trace import hints_of, rerank_trace, trace_attempt
from engine.lookup.attempt import Attempt
from engine.lookup.blocks import Block
from engine.lookup.pack import Pack
from engine.lookup.rerank import MILLION
from engine.lookup.transform import Question
from engine.settings import Settings, digest
from engine.text import terms, tokenize
from engine.trace import Recorder

_NEAR_MISS = 0.05  # how far below the floor a candidate still counts as a near miss


def assemble(
    question: Question,
    scope: tuple[ScopeTerm, ...],
    attempts: Sequence[Attempt],
    selected: Attempt | None,
    selection_reason: str,
    pack: Pack,
    reason: ReasonCode,
    tokenizer_name: str,
    settings: Settings,
    snapshot_id: str,
    recorder: Recorder,
) -> LookupResult:
    """Build the result from the outcome of every stage."""
    with recorder.span("assemble"):
        blocks = selected.blocks if selected else ()
        fallback = next((a.verdict for a in attempts[:-1] if a.verdict in (Verdict.FILTERED_NO_EVIDENCE, Verdict.FILTERED_LOW_QUALITY)), None)
        relevance = _relevance(blocks, settings)
        shown = selected or (attempts[-1] if attempts else None)
        return LookupResult(
            query=question.raw,
            scope=scope,
            found=bool(blocks),
            message=_message(reason, relevance, blocks, shown, settings),
            evidence_status=EvidenceStatus.EVIDENCE if blocks else EvidenceStatus.NO_EVIDENCE,
            reason_code=reason,
            relevance_level=relevance,
            completeness_hint=_completeness(question, blocks, pack),
            evidence_blocks=tuple(_evidence(block, selected) for block in blocks) if selected else (),
            context_pack=_context_pack(pack, tokenizer_name, settings),
            retrieval_trace=RetrievalTrace(
                raw_query=question.raw,
                transformed_query=question.text,
                steps=question.steps,
                hints=hints_of(question),
                filter_decision=question.decision,
                attempts=tuple(trace_attempt(one, settings) for one in attempts),
                fallback_reason=fallback,
                selected_attempt=selected.name if selected else None,
                selection_reason=selection_reason,
                near_misses=_near_misses(shown, settings),
            ),
            rerank_trace=rerank_trace(shown, settings),
            trace_id=digest([question.raw, [term.model_dump() for term in scope], settings.fingerprint, snapshot_id]),
            snapshot_id=snapshot_id,
            settings_fingerprint=settings.fingerprint,
        )


def _relevance(blocks: Sequence[Block], settings: Settings) -> RelevanceLevel:
    """By the highest similarity among the blocks; exact error codes alone make no more than low."""
    if not blocks:
        return RelevanceLevel.NONE
    top = max((block.similarity for block in blocks if not block.waived), default=0.0)
    if top >= settings.high_threshold:
        return RelevanceLevel.HIGH
    return RelevanceLevel.MEDIUM if top >= settings.medium_threshold else RelevanceLevel.LOW


def _evidence(block: Block, attempt: Attempt) -> EvidenceBlock:
    record = block.best.candidate.record
    return EvidenceBlock(
        id=record.id,
        chunk_ids=tuple(member.candidate.record.id for member in block.members),
        source=record.source,
        title=record.title or None,
        breadcrumb=record.breadcrumb or None,
        categories=record.categories,
        lines=LineRange(start=block.lines[0], end=block.lines[1]),
        retrieval_layer="L1",
        attempt=attempt.name,
        content=block.content,
        similarity=block.similarity,
        score=block.best.score / MILLION,
        tokens=sum(member.candidate.record.tokens for member in block.members),
        hit_reasons=tuple(HitReason(code=reason.code, text=reason.text, points=reason.points / MILLION) for reason in block.reasons),
    )


def _context_pack(pack: Pack, tokenizer_name: str, settings: Settings) -> ContextPack:
    return ContextPack(
        text=pack.text,
        budget_tokens=settings.budget_tokens,
        used_tokens=pack.tokens,
        tokenizer=tokenizer_name,
        included=tuple(
            PackedItem(
                id=item.block.best.candidate.record.id,
                source=item.packed.source,
                tokens=item.tokens,
                truncated=item.packed.truncated,
                lines=LineRange(start=item.packed.lines[0], end=item.packed.lines[1]),
            )
            for item in pack.included
        ),
        omitted=tuple(
            OmittedItem(id=record.id, source=record.source, tokens=item.tokens, reason=item.reason)
            for item in pack.omitted
            for record in [item.block.best.candidate.record]
        ),
    )


def _completeness(question: Question, blocks: Sequence[Block], pack: Pack) -> CompletenessHint:
    """Words and names of the question that the packed evidence does not have, and what the budget took."""
    if not blocks:
        return CompletenessHint(level=CompletenessLevel.NONE, missing_terms=(), note="There is no evidence.")
    packed = {term for item in pack.included for text in (item.packed.content, item.packed.breadcrumb or "") for term in terms(text)}
    wanted = [token for token in tokenize(question.text) if not token.stop and token.kind in ("word", "part", "bigram")]
    missing = [question.text[token.start : token.end] for token in wanted if token.term not in packed]
    missing += [entity.text for entity in question.entities if entity.term not in packed]
    cut, left_out = sum(item.packed.truncated for item in pack.included), len(pack.omitted)
    missing = list(dict.fromkeys(missing))
    if cut or left_out:
        level, note = CompletenessLevel.TRUNCATED, f"The budget cut {cut} and left out {left_out} of {len(blocks)} blocks."
    elif missing:
        level, note = CompletenessLevel.PARTIAL, "Everything found is packed, and some words of the question are not in it."
    else:
        level, note = CompletenessLevel.COMPLETE, "The packed evidence has every word of the question, and nothing was cut."
    return CompletenessHint(level=level, missing_terms=tuple(missing), note=note)


def _near_misses(shown: Attempt | None, settings: Settings) -> int:
    floor = settings.evidence_floor
    return sum(floor - _NEAR_MISS <= one.similarity < floor for one in shown.candidates) if shown else 0


def _message(reason: ReasonCode, relevance: RelevanceLevel, blocks: Sequence[Block], shown: Attempt | None, settings: Settings) -> str:
    if reason is ReasonCode.FOUND:
        documents = len({block.best.candidate.record.source for block in blocks})
        return f"Found {_count(len(blocks), 'passage')} in {_count(documents, 'document')}; relevance is {relevance.value}."
    top = f"{shown.top_similarity:.3f}" if shown and shown.top_similarity is not None else "0"
    near = _near_misses(shown, settings)
    just_below = f"; {_count(near, 'candidate')} just below" if near else ""
    detail = {
        ReasonCode.EMPTY_KNOWLEDGE_BASE: "the knowledge base has no text; add Markdown files and sync",
        ReasonCode.NO_SEARCHABLE_TEXT: "the question has no word to search for; name what you look for",
        ReasonCode.L1_DISABLED: "the vector search is switched off (use_l1), and L0 hints are never evidence",
        ReasonCode.NO_CANDIDATES: "the scope leaves nothing to search; widen it",
        ReasonCode.BELOW_FLOOR: f"the nearest passage has similarity {top}, and the floor is {settings.evidence_floor}{just_below}",
        ReasonCode.UNREADABLE_BY_EMBEDDER: (
            "the embedding model cannot read enough of the question or of what it found, so its similarities mean nothing; "
            "choose a model for this language"
        ),
    }[reason]
    return f"No knowledge evidence was found: {detail}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
