"""Thresholds on the Evaluate page: found, written and in force, run without a browser."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine import KnowledgeEngine
from pages.ui.safe import markdown
from tests.knowledge_base import write_files
from tests.pages.test_ask import figure_of
from tests.pages.test_evaluate import evaluated, open_evaluate, run_until, select_miss
from tests.pages.tiny import MISSED


def calibrated(page: AppTest) -> AppTest:
    page.button(key="evaluate_calibrate").click().run()
    run_until(page, lambda page: "evaluate_write" in [button.key for button in page.button])
    return page


def table_of_thresholds(page: AppTest) -> Any:
    [table] = [table.value for table in page.table if "Proposed" in table.value.columns]
    return table


def test_thresholds_of_an_older_index_are_said_to_be_so(kb: Path) -> None:
    page = calibrated(open_evaluate())
    assert not any("The index has changed" in str(one.value) for one in page.warning)
    write_files(kb, {"new.md": "# New\n\nA new text.\n"})
    with KnowledgeEngine.open(kb, sync_first=True):
        run_until(page, lambda page: any("The index has changed" in str(one.value) for one in page.warning))


def test_thresholds_are_found_and_written_by_a_click_and_used_from_then_on(kb: Path) -> None:
    page = calibrated(open_evaluate(evidence_floor="0.1", max_blocks="3"))
    with KnowledgeEngine.open(kb) as engine:
        found = engine.calibrate(split="dev")
    lines = {line["name"]: line["y"] for line in figure_of(page, "evaluate_curve")["data"]}
    assert lines["Answerable questions below (wrongly refused)"] == [point.answerable_below for point in found.curve]
    assert tomllib.loads((kb / "evidence.toml").read_text())["evidence_floor"] == 0.25
    page.button(key="evaluate_write").click().run()
    assert not page.exception
    written = tomllib.loads((kb / "evidence.toml").read_text())
    assert {name: written[name] for name in found.thresholds} == found.thresholds
    assert page.success[0].value.startswith(markdown(f"evidence_floor = {found.thresholds['evidence_floor']:g}"))
    assert dict(page.query_params) == {"max_blocks": "3"}
    assert page.slider(key="evaluate_evidence_floor").value == found.thresholds["evidence_floor"]
    assert page.button(key="evaluate_write").disabled
    assert table_of_thresholds(page)["Now"].tolist() == [f"{value:.2f}" for value in found.thresholds.values()]
    page.run()
    assert not page.success


def test_written_thresholds_that_the_environment_overrules_are_said(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCE_EVIDENCE_FLOOR", "0.01")
    page = calibrated(open_evaluate())
    page.button(key="evaluate_write").click().run()
    assert markdown("But EVIDENCE_EVIDENCE_FLOOR of the environment still decide") in "\n".join(str(one.value) for one in page.warning)


def test_thresholds_that_cannot_be_written_are_one_sentence(kb: Path) -> None:
    page = calibrated(open_evaluate())
    (kb / "evidence.toml").write_text("max_blocks = 3 [")
    page.button(key="evaluate_write").click().run()
    assert any("repair the file or remove it" in str(error.value) for error in page.error)
    assert (kb / "evidence.toml").read_text() == "max_blocks = 3 ["


def test_every_widget_has_a_key_of_the_page_and_every_picture_a_description(kb: Path) -> None:
    page = evaluated(open_evaluate())
    page = calibrated(evaluated(open_evaluate(evidence_floor="0")))
    select_miss(page, MISSED)
    widgets = [*page.slider, *page.toggle, *page.number_input, *page.button, *page.selectbox, *page.button_group]
    assert len(widgets) == 23
    assert all(str(widget.key).startswith("evaluate_") and widget.help for widget in widgets)
    pictures = [*(chart.proto for chart in page.get("plotly_chart")), *(table.proto for table in (*page.dataframe, *page.table))]
    assert len(pictures) == 10
    assert all(picture.alt for picture in pictures)
