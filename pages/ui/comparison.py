"""Two runs next to each other: what was changed, what it did to each measure, and to which questions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.contracts.evaluation import FEWER_IS_BETTER, CaseOutcome, EvaluationRun, RunComparison, SavedRun
from engine.errors import BadInput
from engine.insight.evaluation.compare import compare
from engine.insight.evaluation.run_settings import written_value
from engine.settings import Settings
from pages.ui.address import Address, put_view
from pages.ui.controls import seed
from pages.ui.measures import MEANINGS
from pages.ui.misses import QUESTION_PIXELS
from pages.ui.runs import run_label
from pages.ui.safe import sentence

GAIN = "nDCG@10"  # the measure by which a question is better or worse
COLUMN_WORDS = {
    "Difference": "Second minus first.",
    "Better": "Questions for which the second is better.",
    "Worse": "Questions for which the second is worse.",
    "p": "How often chance alone makes a difference as large: two-sided paired randomisation test.",
}


def pick_two(runs: tuple[SavedRun, ...], here: Address, base: Settings) -> tuple[EvaluationRun, EvaluationRun] | None:
    """Draw the choice of two saved runs, the newest two to begin with; nothing where there are not two different ones."""
    known = {saved.run.run_id: saved for saved in reversed(runs)}
    newest_first = list(dict.fromkeys(saved.run.run_id for saved in runs))
    if len(newest_first) < 2:
        return None
    st.header("Comparison", anchor="comparison")
    chosen = {}
    for column, name, usual in zip(st.columns(2, gap="medium"), ("first", "second"), (newest_first[1], newest_first[0]), strict=True):
        key, wanted = f"evaluate_{name}", here.view.get(name)
        seed(key, wanted if wanted in known else usual)
        chosen[name] = column.selectbox(
            f"{name.capitalize()} run",
            newest_first,
            key=key,
            format_func=lambda run_id: run_label(known[run_id], base),
            on_change=_put_compared,
            args=(name, key),
            help="A saved run, newest first.",
        )
    first, second = chosen["first"], chosen["second"]
    if first == second:
        st.info("These are the same run. Choose two different ones.", icon=":material/info:")
        return None
    return known[first].run, known[second].run


def _put_compared(name: str, key: str) -> None:
    put_view(**{name: st.session_state[key]})


def comparison_panel(first: EvaluationRun, second: EvaluationRun) -> None:
    """Compare two runs, and draw what came of it."""
    try:
        comparison = compare(first, second)
    except BadInput as failure:
        st.info(sentence(str(failure)), icon=":material/info:")
    else:
        _draw(comparison)


def _draw(comparison: RunComparison) -> None:
    for note in _notes(comparison):
        st.caption(note)
    if comparison.changed_settings:
        st.dataframe(settings_table(comparison), key="evaluate_changed_settings", hide_index=True, width="content", alt="Settings that differ")
    decimals = {name: st.column_config.NumberColumn(format="%.3f") for name in ("First", "Second")}
    counts = {name: st.column_config.NumberColumn(help=COLUMN_WORDS[name]) for name in ("Better", "Worse")}
    st.dataframe(
        measures_table(comparison),
        key="evaluate_compared",
        hide_index=True,
        column_config={
            **decimals,
            **counts,
            "Difference": st.column_config.NumberColumn(format="%+.3f", help=COLUMN_WORDS["Difference"]),
            "p": st.column_config.NumberColumn(format="%.4f", help=COLUMN_WORDS["p"]),
            "Meaning": st.column_config.TextColumn(width="large"),
        },
        alt=f"Measures of both runs over {comparison.questions} questions",
    )
    if not comparison.changes:
        st.caption(f"All {comparison.questions} questions came out the same.")
        return
    st.markdown(f"**{len(comparison.changes)} of {comparison.questions} questions came out differently**, greatest loss first.")
    st.dataframe(
        changes_table(comparison),
        key="evaluate_changes",
        hide_index=True,
        column_config={"Question": st.column_config.TextColumn(width=QUESTION_PIXELS), GAIN: st.column_config.TextColumn(width="small")},
        alt="Questions for which the two runs differ",
    )


def _notes(comparison: RunComparison) -> list[str]:
    notes = [] if comparison.changed_settings else ["No setting differs."]
    if not comparison.same_snapshot:
        notes.append(":material/warning: The runs read different snapshots, so a difference may come from the documents.")
    for name, ids in (("first", comparison.only_first), ("second", comparison.only_second)):
        if ids:
            notes.append(f"{len(ids)} questions were asked only by the {name} run and are left out.")
    return notes


def settings_table(comparison: RunComparison) -> pd.DataFrame:
    """One row a setting that differs."""
    rows = [{"Setting": name, "First": written_value(one), "Second": written_value(two)} for name, (one, two) in comparison.changed_settings.items()]
    return pd.DataFrame(rows)


def measures_table(comparison: RunComparison) -> pd.DataFrame:
    """One row a measure, with the questions that it improved for and those that it did not."""
    rows = [
        {
            "Measure": one.measure,
            "Aim": "less" if one.measure in FEWER_IS_BETTER else "more",
            "First": one.first,
            "Second": one.second,
            "Difference": one.difference,
            "Better": one.wins,
            "Worse": one.losses,
            "Same": one.ties,
            "p": one.p_value,
            "Meaning": MEANINGS[one.measure],
        }
        for one in comparison.measures
    ]
    return pd.DataFrame(rows)


def changes_table(comparison: RunComparison) -> pd.DataFrame:
    """One row a question that came out differently; an arrow stands where a value differs."""
    rows = [
        {
            "Question": change.question,
            GAIN: _moved(_gain(change.first), _gain(change.second)),
            "Rank": _moved(_rank(change.first), _rank(change.second)),
            "Packed": _moved(_packed(change.first), _packed(change.second)),
            "Relevance": _moved(change.first.relevance_level.value, change.second.relevance_level.value),
            "mustNot": _moved(_must_not(change.first), _must_not(change.second)),
            "Came first": _moved(change.first.first_found or "nothing", change.second.first_found or "nothing"),
        }
        for change in comparison.changes
    ]
    return pd.DataFrame(rows)


def _moved(first: str, second: str) -> str:
    return first if first == second else f"{first} → {second}"


def _gain(outcome: CaseOutcome) -> str:
    return f"{outcome.measures[GAIN]:.3f}" if GAIN in outcome.measures else ""


def _rank(outcome: CaseOutcome) -> str:
    return str(outcome.first_rank or "none") if outcome.expected else ""


def _packed(outcome: CaseOutcome) -> str:
    return "" if outcome.packed is None else "yes" if outcome.packed else "no"


def _must_not(outcome: CaseOutcome) -> str:
    if not outcome.must_not:
        return ""
    return "misleads" if outcome.violations else "packed" if outcome.packed_must_not else "no"
