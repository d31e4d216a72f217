"""The golden questions of a knowledge base, asked with the settings in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from engine.contracts.evaluation import CaseOutcome, EvaluationRun, Split
from engine.contracts.lookup import LookupResult
from engine.contracts.reports import Case
from engine.digest import digest
from engine.errors import BadInput
from engine.index.embedding import Embedder
from engine.index.snapshot import Snapshot
from engine.insight.cases import cases_of
from engine.insight.evaluation.estimates import estimates
from engine.insight.evaluation.outcomes import candidate_places, outcome
from engine.insight.evaluation.ranking import first_rank, ranked_measures, ranking
from engine.insight.evaluation.targets import Question, read_questions
from engine.lookup.pipeline import look_up
from engine.progress import Progress, no_progress
from engine.settings import MACHINE_SETTINGS, Settings
from engine.trace import Recorder


def evaluate(
    cases: Sequence[Case],
    settings: Settings,
    snapshot: Snapshot,
    embedder: Embedder,
    split: Split | None = None,
    progress: Progress = no_progress,
) -> EvaluationRun:
    """Ask every case of a split (None: all) and measure what comes; settings that a case pins belong to its demonstration and are left aside.

    Raises:
        BadInput: there is no case to ask, no text to find, or a case names what the snapshot does not have.
    """
    questions = read_questions(chosen(cases, split, snapshot), snapshot.catalog)
    everything = settings.candidate_count + settings.lexical_candidates  # so that the trace holds the whole ranking
    wide = settings.model_copy(update={"trace_candidates": everything})
    rankings, outcomes = [], []
    for question, result in asked(questions, wide, snapshot, embedder, progress):
        ranked = ranking(candidate_places(result), question.expected)
        rankings.append(ranked)
        outcomes.append(outcome(question, result, first_rank(ranked, question.expected)))
    measured = ranked_measures(rankings, [question.expected for question in questions])
    with_measures = tuple(one.model_copy(update={"measures": values}) for one, values in zip(outcomes, measured, strict=True))
    return _run(with_measures, settings, snapshot.id, split)


def chosen(cases: Sequence[Case], split: Split | None, snapshot: Snapshot) -> list[Case]:
    """The cases of a split. Raises BadInput where there is none, or nothing that could be found."""
    of_split = cases_of(cases, split)
    if not snapshot.catalog.chunk_count:
        raise BadInput("the knowledge base has no text, so no question can be measured; add Markdown files and run: evidence sync")
    return of_split


def asked(
    questions: Sequence[Question], settings: Settings, snapshot: Snapshot, embedder: Embedder, progress: Progress
) -> Iterator[tuple[Question, LookupResult]]:
    """Each question with its result, within its scope; a result is large, so keep what is needed of it. Raises BadInput that names the case."""
    for done, question in enumerate(questions):
        progress("evaluate", done, len(questions))
        try:
            result = look_up(question.case.question, question.case.scope, settings, snapshot, embedder, Recorder())
        except BadInput as failure:
            raise BadInput(f"case {question.case.id}: {failure}") from failure
        yield question, result
    progress("evaluate", len(questions), len(questions))


def _run(outcomes: tuple[CaseOutcome, ...], settings: Settings, snapshot_id: str, split: Split | None) -> EvaluationRun:
    by_id = sorted(outcomes, key=lambda one: one.id)  # the same cases in another order are the same evaluation
    questions = [[one.id, one.question, one.answerable, one.expected, one.must_not, one.scope] for one in by_id]
    run = EvaluationRun(
        run_id="",
        snapshot_id=snapshot_id,
        settings_fingerprint=settings.fingerprint,
        settings=flat_settings(settings),
        cases_digest=digest(questions),
        split=split,
        estimates=estimates(outcomes),
        outcomes=outcomes,
    )
    same = run.model_copy(update={"outcomes": tuple(by_id)}).model_dump(mode="json", exclude={"run_id"})
    return run.model_copy(update={"run_id": digest(same)[:12]})


def flat_settings(settings: Settings) -> dict[str, JsonValue]:
    """Every setting that can change an answer; rule weights by dotted name."""
    tree = settings.model_dump(mode="json", exclude=MACHINE_SETTINGS)
    weights = {f"rule_weights.{name}": weight for name, weight in tree.pop("rule_weights").items()}
    return {**tree, **weights}
