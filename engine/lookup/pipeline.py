"""The lookup as the specification describes it: transform, attempt (retrieve, rerank, blocks), pack, assemble, record."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.contracts.codes import AttemptName, ReasonCode, Verdict
from engine.contracts.lookup import LookupResult, ScopeTerm
from engine.contracts.span import Span
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.lookup.assemble import Run, assemble
from engine.lookup.attempt import Attempt, attempt
from engine.lookup.pack import pack
from engine.lookup.scope import ScopeInput, read_scope
from engine.lookup.transform import Question, transform
from engine.settings import Settings
from engine.trace import Recorder


@dataclass(frozen=True, slots=True)
class Record:
    """What a finished lookup leaves behind, failed or not."""

    query: str
    result: LookupResult | None
    error: str | None
    spans: tuple[Span, ...]


Sink = Callable[[Record], None]
_ALONE = "L0 had set no filter that a second one could drop"
_LOG = logging.getLogger("engine")


def look_up(
    query: str,
    scope: ScopeInput,
    settings: Settings,
    snapshot: Snapshot,
    embedder: Embedder,
    recorder: Recorder,
    sinks: Sequence[Sink] = (),
) -> LookupResult:
    """Answer a query from a snapshot.

    Raises:
        BlankQuery, BadInput, UnknownScope, ModelUnavailable; an empty result is never an error.
    """
    try:
        with recorder.span("lookup_knowledge"):
            result = _look_up(query, scope, settings, snapshot, embedder, recorder)
    except BaseException as failure:
        record(query, None, f"{type(failure).__name__}: {failure}", recorder, sinks)
        raise
    return record(query, result, None, recorder, sinks) or result


def record(query: str, result: LookupResult | None, error: str | None, recorder: Recorder, sinks: Sequence[Sink]) -> LookupResult | None:
    """Close the recorder, put the timings into the result, and hand both to the sinks; a sink that fails costs no answer."""
    with recorder.span("record") as attributes:
        attributes["sinks"] = len(sinks)
    spans = recorder.close()
    if result is not None:
        result = result.model_copy(update={"retrieval_trace": result.retrieval_trace.model_copy(update={"spans": spans})})
    for sink in sinks:
        try:
            sink(Record(query, result, error, spans))
        except Exception:  # noqa: BLE001  a sink is somebody else's code
            _LOG.exception("a sink did not take the record of a lookup")
    return result


def _look_up(
    query: str, scope: ScopeInput, settings: Settings, snapshot: Snapshot, embedder: Embedder, recorder: Recorder
) -> LookupResult:
    terms = read_scope(scope, snapshot.catalog)
    question = transform(query, settings, snapshot, recorder)
    attempts = _attempts(question, terms, settings, snapshot, embedder, recorder)
    selected, why = select(attempts)
    packed = pack(selected.blocks if selected else (), settings.budget_tokens, embedder.tokenizer, recorder)
    reason = _reason(question, attempts, selected, settings, snapshot)
    run = Run(question, terms, tuple(attempts), selected, why, packed, embedder.tokenizer.name, reason, snapshot.id)
    return assemble(run, settings, recorder)


def _attempts(
    question: Question, scope: tuple[ScopeTerm, ...], settings: Settings, snapshot: Snapshot, embedder: Embedder, recorder: Recorder
) -> list[Attempt]:
    """One attempt, or two: the filtered one, and where it is not good enough the raw query without the L0 filter."""
    if not (settings.use_l1 and question.searchable and snapshot.catalog.chunk_count):
        return []
    if question.decision.category is None:
        return [attempt(AttemptName.UNFILTERED, question.text, question, scope, settings, snapshot, embedder, recorder)]
    filtered = attempt(AttemptName.FILTERED, question.text, question, scope, settings, snapshot, embedder, recorder)
    if filtered.verdict is Verdict.OK:
        return [filtered]
    return [filtered, attempt(AttemptName.UNFILTERED, question.raw, question, scope, settings, snapshot, embedder, recorder)]


def select(attempts: Sequence[Attempt]) -> tuple[Attempt | None, str]:
    """The attempt whose evidence is returned, and why: the retry, unless it has none or a lower top similarity."""
    if not attempts:
        return None, "No search was made."
    first, last = attempts[0], attempts[-1]
    if not first.blocks and not last.blocks:
        return None, "No attempt found evidence." if len(attempts) > 1 else f"The only attempt found no evidence; {_ALONE}."
    if len(attempts) == 1 and first.category is None:
        return first, f"The only attempt found evidence; {_ALONE}."
    if len(attempts) == 1:
        return first, "The filtered attempt is good enough, so no retry was made."
    tops = " against ".join("none" if one.top_similarity is None else f"{one.top_similarity:.3f}" for one in (last, first))
    if not last.blocks:
        return first, "The retry without the filter found no evidence, so the filtered evidence stays."
    if first.blocks and (last.top_similarity or 0) < (first.top_similarity or 0):
        return first, f"The retry without the filter is no better (top similarity {tops}), so the filtered evidence stays."
    return last, f"The retry without the filter replaces the filtered attempt (top similarity {tops})."


def _reason(
    question: Question, attempts: Sequence[Attempt], selected: Attempt | None, settings: Settings, snapshot: Snapshot
) -> ReasonCode:
    if selected is not None:
        return ReasonCode.FOUND
    if not snapshot.catalog.chunk_count:
        return ReasonCode.EMPTY_KNOWLEDGE_BASE
    if not question.searchable:
        return ReasonCode.NO_SEARCHABLE_TEXT
    if not settings.use_l1:
        return ReasonCode.L1_DISABLED
    last = attempts[-1]
    if not last.candidates:
        return ReasonCode.NO_CANDIDATES
    readable = [one for one in last.candidates if one.is_readable(settings)]
    return ReasonCode.BELOW_FLOOR if last.query_readable and readable else ReasonCode.UNREADABLE_BY_EMBEDDER
