"""Stage 6: everything that the stages found becomes one `LookupResult`."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts.codes import AttemptName, EvidenceStatus, ReasonCode
from engine.contracts.lookup import ContextPack, EvidenceBlock, HitReason, LookupResult, OmittedItem, PackedItem, ScopeTerm
from engine.contracts.lookup_trace import LineRange, RetrievalTrace
from engine.digest import digest
from engine.lookup.assemble_trace import hints_of, rerank_trace, trace_attempt
from engine.lookup.attempt import Attempt
from engine.lookup.blocks import Block
from engine.lookup.judgement import completeness, message, near_misses, relevance
from engine.lookup.pack import Pack
from engine.lookup.rerank import MILLION
from engine.lookup.transform import Question
from engine.settings import Settings
from engine.trace import Recorder


@dataclass(frozen=True, slots=True)
class Run:
    """What every stage of one lookup came to."""

    question: Question
    scope: tuple[ScopeTerm, ...]
    attempts: tuple[Attempt, ...]
    selected: Attempt | None
    selection_reason: str
    pack: Pack
    tokenizer: str
    reason: ReasonCode
    snapshot_id: str

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The evidence."""
        return self.selected.blocks if self.selected else ()

    @property
    def shown(self) -> Attempt | None:
        """The attempt that the rerank trace is about: the selected one, else the last."""
        return self.selected or (self.attempts[-1] if self.attempts else None)


def assemble(run: Run, settings: Settings, recorder: Recorder) -> LookupResult:
    """Build the result from the outcome of every stage."""
    with recorder.span("assemble"):
        level = relevance(run.blocks, settings)
        return LookupResult(
            query=run.question.raw,
            scope=run.scope,
            found=bool(run.blocks),
            message=message(run.reason, run.question, level, run.blocks, run.shown, settings),
            evidence_status=EvidenceStatus.EVIDENCE if run.blocks else EvidenceStatus.NO_EVIDENCE,
            reason_code=run.reason,
            relevance_level=level,
            completeness_hint=completeness(run.question, run.blocks, run.pack),
            evidence_blocks=tuple(_evidence(block, run.selected.name) for block in run.blocks) if run.selected else (),
            context_pack=_context_pack(run.pack, run.tokenizer, settings),
            retrieval_trace=_retrieval_trace(run, settings),
            rerank_trace=rerank_trace(run.shown, settings),
            trace_id=digest([run.question.raw, [term.model_dump() for term in run.scope], settings.fingerprint, run.snapshot_id]),
            snapshot_id=run.snapshot_id,
            settings_fingerprint=settings.fingerprint,
        )


def _retrieval_trace(run: Run, settings: Settings) -> RetrievalTrace:
    return RetrievalTrace(
        raw_query=run.question.raw,
        transformed_query=run.question.text,
        steps=run.question.steps,
        hints=hints_of(run.question),
        filter_decision=run.question.decision,
        attempts=tuple(trace_attempt(one, settings) for one in run.attempts),
        fallback_reason=run.attempts[0].verdict if len(run.attempts) > 1 else None,
        selected_attempt=run.selected.name if run.selected else None,
        selection_reason=run.selection_reason,
        near_misses=near_misses(run.shown, settings),
    )


def _evidence(block: Block, found_by: AttemptName) -> EvidenceBlock:
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
        attempt=found_by,
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
