"""What golden questions say of a knowledge base and its settings: measured runs, their comparison, and calibrated thresholds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from engine.contracts.base import Contract
from engine.contracts.codes import FilterCode, ReasonCode, RelevanceLevel, Verdict
from engine.contracts.lookup_trace import Similarity

Split = Literal["dev", "test"]
RANKED = ("nDCG@10", "R@5", "RR@10", "P@1")  # of the order of the candidates; names as ir-measures writes them
RANKED_MEANINGS = {
    "nDCG@10": "expected targets among the first ten, the higher the better; the best order is 1 (Järvelin & Kekäläinen 2002)",
    "R@5": "share of the expected targets among the first five",
    "RR@10": "1 / rank of the first expected target, 0 after the tenth",
    "P@1": "whether an expected target comes first",
}
SHARES = {
    "hit@packed": "questions that expect something and have an expected passage in the packed context",
    "refused_unanswerable": "unanswerable questions for which nothing was found",
    "refused_or_low_unanswerable": "unanswerable questions for which nothing was found, or at relevance low",
    "refused_answerable": "answerable questions for which nothing was found",
    "refused_or_low_answerable": "answerable questions for which nothing was found, or at relevance low",
    "must_not": "questions with a mustNot that misleads: it is evidence at relevance medium or high, before everything expected",
    "must_not_packed": "questions with a mustNot of which a line is in the packed context",
    "filtered": "questions whose first attempt was narrowed to one category",
    "fallback": "questions that were asked again without the filter",
}
FEWER_IS_BETTER = frozenset({"refused_answerable", "refused_or_low_answerable", "must_not", "must_not_packed"})


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Estimate(Contract):
    """A mean over questions with its 95 % confidence interval."""

    mean: Share = Field(description="Arithmetic mean, six decimals.")
    low: Share = Field(description="2.5th percentile of the means of bootstrap samples of the questions.")
    high: Share = Field(description="97.5th percentile.")
    questions: int = Field(ge=1, description="How many questions it is a mean of.")


class CaseOutcome(Contract):
    """What came of one golden question."""

    id: str
    question: str
    split: Split
    answerable: bool
    expected: tuple[str, ...]
    must_not: tuple[str, ...] = ()
    scope: tuple[str, ...]
    measures: dict[str, Share] = Field(description="The ranked measures, six decimals; none where nothing is expected.")
    first_rank: int | None = Field(description="Place of the first expected target among the distinct documents, sections or passages, 1 is best.")
    first_found: str | None = Field(description="Source of the first candidate.")
    packed: bool | None = Field(description="Whether an expected passage is in the packed context, at least in part; none where nothing is expected.")
    violations: tuple[str, ...] = Field(description="What would mislead and does: evidence at relevance medium or high, before everything expected.")
    packed_must_not: tuple[str, ...] = Field(default=(), description="What must not be evidence and has a line in the packed context.")
    found: bool
    reason_code: ReasonCode
    relevance_level: RelevanceLevel
    filter_code: FilterCode
    filter_category: str | None
    fallback_reason: Verdict | None
    top_similarity: Similarity | None = Field(description="Of the attempt that is shown.")


class EvaluationRun(Contract):
    """One evaluation of a set of golden questions."""

    run_id: str = Field(description="Twelve hex digits over everything else; equal evaluations have the same.")
    snapshot_id: str
    settings_fingerprint: str
    settings: dict[str, JsonValue] = Field(description="Every setting that can change an answer, with the value it had; rule weights by dotted name.")
    cases_digest: str = Field(description="Over the questions that were asked and what was expected; runs with the same can be compared as a whole.")
    split: Split | None = Field(description="Which part of the questions was asked; none for all.")
    estimates: dict[str, Estimate] = Field(description="By the name of a measure; one without a question to measure is left out.")
    outcomes: tuple[CaseOutcome, ...]

    @model_validator(mode="after")
    def _each_question_once(self) -> EvaluationRun:
        if len({one.id for one in self.outcomes}) < len(self.outcomes):
            raise ValueError("two outcomes have one id")
        return self


class SavedRun(Contract):
    """An entry of the history of evaluations."""

    saved_at: str = Field(description="When it was saved, ISO 8601 in UTC.")
    run: EvaluationRun


class Gate(Contract):
    """A demand on a measure, and whether it is met."""

    demand: str = Field(description="As it was written: `nDCG@10>=0.80`.")
    measured: float
    passed: bool


class MeasureComparison(Contract):
    """One measure of two runs over the questions that both have asked."""

    measure: str
    first: float
    second: float
    difference: float = Field(description="Second minus first.")
    wins: int = Field(ge=0, description="Questions for which the second is better.")
    losses: int = Field(ge=0)
    ties: int = Field(ge=0)
    p_value: float = Field(ge=0, le=1, description="Two-sided paired randomisation test over the questions: how often chance alone does as much.")


class OutcomeChange(Contract):
    """A question for which two runs differ."""

    id: str
    question: str
    first: CaseOutcome
    second: CaseOutcome


class RunComparison(Contract):
    """Two runs, question by question."""

    first: str = Field(description="Run id.")
    second: str = Field(description="Run id.")
    changed_settings: dict[str, tuple[JsonValue, JsonValue]] = Field(description="Settings that differ: first and second value.")
    same_snapshot: bool
    questions: int = Field(ge=0, description="How many questions both have asked.")
    only_first: tuple[str, ...] = Field(description="Ids of questions that only the first has asked.")
    only_second: tuple[str, ...]
    measures: tuple[MeasureComparison, ...]
    changes: tuple[OutcomeChange, ...] = Field(
        description="Those with another measure, place, relevance, pack or violation, greatest loss in nDCG@10 first."
    )


class CurvePoint(Contract):
    """What a threshold at one similarity would do."""

    threshold: Similarity
    answerable_below: float = Field(ge=0, le=1, description="Share of the answerable questions whose best similarity is below it.")
    unanswerable_below: float = Field(ge=0, le=1, description="Share of the unanswerable questions whose best similarity is below it.")


class Calibration(Contract):
    """Thresholds for the model at hand, found with answerable and unanswerable questions."""

    embedding_model: str
    snapshot_id: str
    answerable: int = Field(ge=1, description="How many questions it rests on.")
    unanswerable: int = Field(ge=1)
    thresholds: dict[str, float] = Field(description="evidence_floor, reference_threshold, medium_threshold, high_threshold.")
    present: dict[str, float] = Field(description="The same four as they are set now.")
    reasons: dict[str, str] = Field(description="Why each is where it is, in one sentence.")
    curve: tuple[CurvePoint, ...] = Field(description="From 0 to 1 in steps of 0.01.")
    separates: bool = Field(default=True, description="Whether answerable questions find something nearer than unanswerable ones, in the median.")
    warnings: tuple[str, ...] = Field(description="What speaks against trusting it, such as too few questions.")
