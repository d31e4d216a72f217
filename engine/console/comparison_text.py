"""Two evaluations side by side, for reading."""

from __future__ import annotations

from engine.console.evaluation_text import shortened
from engine.console.terminal import aligned, printable
from engine.contracts.evaluation import CaseOutcome, MeasureComparison, OutcomeChange, RunComparison
from engine.insight.evaluation.run_settings import written_value

_MOST_LISTED = 20


def comparison_text(compared: RunComparison) -> str:
    """What differs between two runs, by setting, measure and question."""
    lines = [f"{compared.first} against {compared.second} over {compared.questions} questions that both have asked."]
    lines += [] if compared.same_snapshot else ["The snapshots differ, so the documents or their index may be the reason, too."]
    lines += [f"Only {run}: {', '.join(ids)}" for run, ids in ((compared.first, compared.only_first), (compared.second, compared.only_second)) if ids]
    lines += ["", "Settings: alike" if not compared.changed_settings else "Settings:"]
    lines += [f"  {name}: {written_value(first)} -> {written_value(second)}" for name, (first, second) in compared.changed_settings.items()]
    lines += ["", *aligned([("measure", "first", "second", "difference", "better", "worse", "alike", "p"), *map(_row, compared.measures)])]
    lines += ["", f"Changed questions: {len(compared.changes)}"]
    lines += [f"  {line}" for line in aligned([_change(one) for one in compared.changes[:_MOST_LISTED]])] if compared.changes else []
    more = len(compared.changes) - _MOST_LISTED
    return printable([*lines, *([f"  and {more} more (see --json)"] if more > 0 else [])])


def _row(one: MeasureComparison) -> tuple[str, ...]:
    means = f"{one.first:.3f}", f"{one.second:.3f}", f"{one.difference:+.3f}"
    return one.measure, *means, str(one.wins), str(one.losses), str(one.ties), f"{one.p_value:.3f}"


def _change(one: OutcomeChange) -> tuple[str, ...]:
    return one.id, shortened(one.question), f"{_state(one.first)} -> {_state(one.second)}"


def _state(one: CaseOutcome) -> str:
    """Rank, pack, relevance and violations in short, as far as they apply."""
    rank = (f"rank {one.first_rank}" if one.first_rank else "no candidate") if one.expected else ""
    packed = {True: "packed", False: "not packed", None: ""}[one.packed]
    wrong = "with what must not be" if one.violations else "with a mustNot in the pack" if one.packed_must_not else ""
    return ", ".join(part for part in (rank, packed, f"relevance {one.relevance_level.value}", wrong) if part)
