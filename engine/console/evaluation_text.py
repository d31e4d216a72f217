"""An evaluation for reading: measures with intervals, misses, violations, refusals; and its gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.console.terminal import aligned, printable
from engine.contracts.evaluation import FEWER_IS_BETTER, RANKED_MEANINGS, SHARES, CaseOutcome, Estimate, EvaluationRun, Gate, Split
from engine.insight.evaluation.measures import wrongly_answered

_MOST_LISTED = 20
_QUESTION_CHARACTERS = 46


def evaluation_text(run: EvaluationRun) -> str:
    """The whole evaluation."""
    lines = [f"{len(run.outcomes)} questions ({split_text(run.split)}), snapshot {run.snapshot_id}, settings {run.settings_fingerprint}.", ""]
    lines += aligned([("measure", "mean", "95 % interval", "questions", ""), *(_row(name, one) for name, one in run.estimates.items())])
    lines += _section("Missed: an expected passage is not in the packed context", run.outcomes, lambda one: one.packed is False, _miss)
    lines += _section("Misleading evidence", run.outcomes, lambda one: bool(one.violations), _violation)
    lines += _section("A mustNot in the packed context", run.outcomes, lambda one: bool(one.packed_must_not), _packed_must_not)
    lines += _section("Answerable, and nothing was found", run.outcomes, lambda one: one.answerable and not one.found, _refusal)
    lines += _section("Unanswerable, and answered at relevance medium or high", run.outcomes, wrongly_answered, _wrong_answer)
    return printable(lines)


def split_text(split: Split | None) -> str:
    """Which part of the golden questions was asked."""
    return f"split {split}" if split else "all questions"


def gates_text(gates: Sequence[Gate]) -> list[str]:
    """A line for each gate."""
    return [f"  {'passed' if gate.passed else 'FAILED'}  {gate.demand}, measured {gate.measured:.6g}" for gate in gates]


def _row(name: str, one: Estimate) -> tuple[str, ...]:
    meaning = {**RANKED_MEANINGS, **SHARES}[name] + (" (fewer is better)" if name in FEWER_IS_BETTER else "")
    return name, f"{one.mean:.3f}", f"{one.low:.3f} to {one.high:.3f}", str(one.questions), meaning


def _section(
    title: str, outcomes: Sequence[CaseOutcome], applies: Callable[[CaseOutcome], bool], row: Callable[[CaseOutcome], tuple[str, ...]]
) -> list[str]:
    """A table of the questions that something is to be said of; nothing where there is none."""
    found = [row(one) for one in outcomes if applies(one)]
    more = [f"  and {len(found) - _MOST_LISTED} more (see --json)"] if len(found) > _MOST_LISTED else []
    return ["", f"{title}: {len(found)}", *(f"  {line}" for line in aligned(found[:_MOST_LISTED])), *more] if found else []


def _miss(one: CaseOutcome) -> tuple[str, ...]:
    rank = f"rank {one.first_rank}" if one.first_rank else "no candidate"
    return one.id, shortened(one.question), f"expected {', '.join(one.expected)}", f"first {one.first_found or 'nothing'}", rank


def _violation(one: CaseOutcome) -> tuple[str, ...]:
    return one.id, shortened(one.question), ", ".join(one.violations)


def _packed_must_not(one: CaseOutcome) -> tuple[str, ...]:
    return one.id, shortened(one.question), ", ".join(one.packed_must_not)


def _refusal(one: CaseOutcome) -> tuple[str, ...]:
    return one.id, shortened(one.question), one.reason_code.value, _top(one)


def _wrong_answer(one: CaseOutcome) -> tuple[str, ...]:
    return one.id, shortened(one.question), f"relevance {one.relevance_level.value}", f"first {one.first_found}", _top(one)


def _top(one: CaseOutcome) -> str:
    return "" if one.top_similarity is None else f"top similarity {one.top_similarity:.3f}"


def shortened(question: str) -> str:
    """The begin of a question, on one line."""
    text = " ".join(question.split())
    return text if len(text) <= _QUESTION_CHARACTERS else f"{text[: _QUESTION_CHARACTERS - 1]}…"
