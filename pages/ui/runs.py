"""The evaluations of a knowledge base: which one is shown, and all that were saved."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st
from pydantic import JsonValue

from engine.contracts.evaluation import EvaluationRun, SavedRun
from engine.insight.evaluation.run_settings import written
from engine.settings import Settings
from pages.ui.address import Address, own_value, put_view
from pages.ui.safe import markdown, shorten

ALL = "all"  # questions, of every split
MEASURES = ("nDCG@10", "hit@packed", "refused_unanswerable", "refused_answerable")


def shown_run(runs: tuple[SavedRun, ...], here: Address) -> SavedRun | None:
    """The run that the address names, else the newest; says so where it names one that is not kept."""
    wanted = here.view.get("run")
    found = next((saved for saved in runs if wanted in (None, saved.run.run_id)), None)
    if not found and wanted:
        words = f"There is no saved run {markdown(shorten(wanted, 40))}. Open one of the history, or evaluate again."
        st.warning(words, title="This run is not kept", icon=":material/history_toggle_off:")
    return found


def differing(settings: Mapping[str, JsonValue], base: Settings) -> dict[str, JsonValue]:
    """The settings of a run that other settings have otherwise."""
    return {name: value for name, value in settings.items() if value != _plain(own_value(name, base))}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def when(saved: SavedRun) -> str:
    """The time of a run to the second, in UTC."""
    return saved.saved_at[:19].replace("T", " ")


def _asked(saved: SavedRun) -> str:
    return saved.run.split or ALL


def run_label(saved: SavedRun, base: Settings) -> str:
    """A run in one line: when, which questions, and which settings are not those of the knowledge base."""
    changed = written(differing(saved.run.settings, base))
    return f"{when(saved)} · {_asked(saved)}, {len(saved.run.outcomes)} questions{f' · {changed}' if changed else ''}"


def run_heading(saved: SavedRun, base: Settings) -> None:
    """Say which run is shown, and with which settings it was made."""
    st.header("Results", anchor="results")
    changed = written(differing(saved.run.settings, base))
    settings = f"with {markdown(changed)}" if changed else "with the settings of the knowledge base"
    st.caption(
        f"{len(saved.run.outcomes)} questions ({_asked(saved)}), saved {when(saved)} UTC, {settings}. "
        f"Run `{saved.run.run_id}` · snapshot `{saved.run.snapshot_id}`"
    )


def history_table(runs: tuple[SavedRun, ...], shown: str | None) -> pd.DataFrame:
    """One row a saved run, newest first."""
    rows = [
        {
            "Shown": saved.run.run_id == shown,
            "Saved (UTC)": when(saved),
            "Questions": f"{len(saved.run.outcomes)} ({_asked(saved)})",
            **{name: _mean(saved.run, name) for name in MEASURES},
            "Settings that are not the defaults": written(differing(saved.run.settings, Settings())) or "none",
            "Run": saved.run.run_id,
        }
        for saved in runs
    ]
    return pd.DataFrame(rows)


def _mean(run: EvaluationRun, name: str) -> float | None:
    return run.estimates[name].mean if name in run.estimates else None


def history_panel(runs: tuple[SavedRun, ...], shown: str | None) -> None:
    """Draw the saved runs; a selected one becomes the one that is shown."""
    st.header("History", anchor="history")
    st.caption("Every run that was saved, newest first. Select one to open it above.")
    key = f"evaluate_history_{len(runs)}_{runs[0].saved_at}"  # a new run moves the rows, so the selection begins anew

    def open_selected() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            put_view(run=runs[row].run.run_id)

    st.dataframe(
        history_table(runs, shown),
        key=key,
        hide_index=True,
        on_select=open_selected,
        selection_mode="single-row",
        column_config={
            "Shown": st.column_config.CheckboxColumn(width="small"),
            **{name: st.column_config.NumberColumn(format="%.3f") for name in MEASURES},
            "Settings that are not the defaults": st.column_config.TextColumn(width="large"),
        },
        alt=f"{len(runs)} saved runs, newest first",
    )
