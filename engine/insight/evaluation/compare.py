"""Two runs, question by question: what is better, what is worse, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from engine.contracts.evaluation import FEWER_IS_BETTER, RANKED, CaseOutcome, EvaluationRun, MeasureComparison, OutcomeChange, RunComparison
from engine.errors import BadInput
from engine.insight.evaluation.measures import value
from engine.insight.evaluation.randomisation import p_value

COMPARED = (
    *(*RANKED, "hit@packed", "must_not", "must_not_packed"),
    *("refused_unanswerable", "refused_or_low_unanswerable", "refused_answerable", "refused_or_low_answerable"),
)
Pair = tuple[CaseOutcome, CaseOutcome]


def compare(first: EvaluationRun, second: EvaluationRun) -> RunComparison:
    """Compare over the questions that both have asked, with the same expectation. Raises BadInput where there is none."""
    of_second = {_asked(one): one for one in second.outcomes}
    pairs = [(one, of_second[_asked(one)]) for one in first.outcomes if _asked(one) in of_second]
    if not pairs:
        raise BadInput(f"the runs {first.run_id} and {second.run_id} have no question in common; evaluate the same questions with both settings")
    common = {_asked(one) for one, _ in pairs}
    compared = [measure for measure in COMPARED if measure in first.estimates and measure in second.estimates]  # an old run has fewer
    return RunComparison(
        first=first.run_id,
        second=second.run_id,
        changed_settings={
            name: (first.settings.get(name), second.settings.get(name))
            for name in sorted({*first.settings, *second.settings})
            if first.settings.get(name) != second.settings.get(name)
        },
        same_snapshot=first.snapshot_id == second.snapshot_id,
        questions=len(pairs),
        only_first=tuple(one.id for one in first.outcomes if _asked(one) not in common),
        only_second=tuple(one.id for one in second.outcomes if _asked(one) not in common),
        measures=tuple(one for measure in compared if (one := _measure(measure, pairs))),
        changes=_changes(pairs, "must_not_packed" in compared),
    )


def _asked(one: CaseOutcome) -> tuple[object, ...]:
    """What makes two outcomes those of the same question."""
    return one.id, one.question, one.answerable, one.expected, one.must_not, one.scope


def _measure(measure: str, pairs: Sequence[Pair]) -> MeasureComparison | None:
    values = [(a, b) for one, other in pairs if (a := value(measure, one)) is not None and (b := value(measure, other)) is not None]
    if not values:
        return None
    differences = [b - a for a, b in values]
    rises, falls = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    wins, losses = (falls, rises) if measure in FEWER_IS_BETTER else (rises, falls)
    first, second = fmean(a for a, _ in values), fmean(b for _, b in values)
    return MeasureComparison(
        measure=measure,
        first=round(first, 6),
        second=round(second, 6),
        difference=round(second - first, 6),
        wins=wins,
        losses=losses,
        ties=len(values) - wins - losses,
        p_value=p_value(differences),
    )


def _changes(pairs: Sequence[Pair], with_packed: bool) -> tuple[OutcomeChange, ...]:
    """The pairs that differ in what a user would notice, greatest loss first; those alike in that, in the order of the questions."""
    changed = [pair for pair in pairs if _noticed(pair[0], with_packed) != _noticed(pair[1], with_packed)]
    changed.sort(key=lambda pair: pair[1].measures.get("nDCG@10", 0.0) - pair[0].measures.get("nDCG@10", 0.0))
    return tuple(OutcomeChange(id=one.id, question=one.question, first=one, second=other) for one, other in changed)


def _noticed(one: CaseOutcome, with_packed: bool) -> tuple[object, ...]:
    return one.measures, one.first_rank, one.relevance_level, one.packed, one.violations, one.packed_must_not if with_packed else ()
