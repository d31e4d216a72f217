"""The Evaluate page from its first click to written thresholds, run without a browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from engine import KnowledgeEngine, load_settings
from engine.insight.cases import read_cases
from engine.progress import Progress
from pages.ui.desk import Task
from pages.ui.safe import markdown
from tests.knowledge_base import write_files
from tests.pages.test_ask import canonical, figure_of, open_page, words_of
from tests.pages.tiny import ANSWERED, DIRECT, MISSED, UNKNOWN

APP = Path(__file__).parents[2] / "app.py"


def open_evaluate(**address: str) -> AppTest:
    page = AppTest.from_file(APP, default_timeout=60)
    page.run()
    page.query_params.clear()
    for name, value in address.items():
        page.query_params[name] = value
    page.switch_page("pages/evaluate.py").run()
    assert not page.exception
    return page


def run_until(page: AppTest, holds: Callable[[AppTest], object]) -> None:
    end = time.monotonic() + 60
    while not holds(page):
        assert time.monotonic() < end, words_of(page)
        time.sleep(0.05)
        page.run()
        assert not page.exception


def headers(page: AppTest) -> list[str]:
    return [str(header.value) for header in page.header]


def evaluated(page: AppTest) -> AppTest:
    page.button(key="evaluate_start").click().run()
    run_until(page, lambda page: not page.button(key="evaluate_start").disabled and "Results" in headers(page))
    return page


def table_of(page: AppTest, column: str) -> Any:
    """The table that has a column."""
    [table] = [frame.value for frame in page.dataframe if column in frame.value.columns]
    return table


def select_miss(page: AppTest, question: str) -> AppTest:
    row = table_of(page, "What is wrong")["Question"].tolist().index(question)
    [key] = [str(frame.proto.id).rpartition("-")[2] for frame in page.dataframe if "What is wrong" in frame.value.columns]
    page.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return page.run()


def link_of(page: AppTest) -> dict[str, list[str]]:
    """Where `Open in Ask` leads."""
    [link] = page.get("page_link")
    assert link.proto.page == "ask"
    return parse_qs(link.proto.query_string)


def test_before_the_first_evaluation_the_page_says_how_to_make_one(kb: Path) -> None:
    page = open_evaluate()
    assert "Press Evaluate to make the first one." in words_of(page)
    assert page.button_group(key="evaluate_split").options == ["All (5)", "Dev (4)", "Test (1)"]
    assert headers(page) == ["Thresholds"]


def test_an_evaluation_is_that_of_the_engine_and_is_saved(kb: Path) -> None:
    page = evaluated(open_evaluate())
    with KnowledgeEngine.open(kb) as engine:
        expected = engine.evaluate()
        assert [saved.run for saved in engine.runs()] == [expected]
    assert f"Run `{expected.run_id}`" in words_of(page)
    bars = [bar for key in ("evaluate_measures", "evaluate_refusals") for bar in figure_of(page, key)["data"]]
    assert {bar["name"]: bar["x"] for bar in bars} == {
        name: [estimate.mean] for name, estimate in expected.estimates.items() if name not in ("must_not", "filtered", "fallback")
    }
    assert [metric.value for metric in page.metric] == ["60.0%", "20.0%"]


def test_sessions_share_one_evaluation(kb: Path) -> None:
    one, two = open_evaluate(), open_evaluate()
    evaluated(one)
    two.run()
    assert "Results" in headers(two)
    asked: list[str] = []
    may_end = Event()

    def work(name: str) -> Callable[[Progress], str]:
        def asking(progress: Progress) -> str:
            asked.append(name)
            may_end.wait(60)
            return name

        return asking

    task: Task[str] = Task()
    task.start(work("first"))
    task.start(work("second"))
    may_end.set()
    assert task.job is not None
    assert task.job.watch("") == "first"
    assert (asked, task.is_running) == (["first"], False)


def test_only_the_split_of_the_address_is_asked(kb: Path) -> None:
    page = evaluated(open_evaluate(split="test"))
    assert table_of(page, "Saved (UTC)")["Questions"].tolist() == ["1 (test)"]
    page.button_group(key="evaluate_split").set_value("dev").run()
    assert page.query_params["split"] == "dev"
    evaluated(page)
    run_until(page, lambda page: len(table_of(page, "Saved (UTC)")) == 2)
    assert table_of(page, "Saved (UTC)")["Questions"].tolist() == ["4 (dev)", "1 (test)"]


def test_misses_are_listed_worst_first_and_one_opens_in_ask_as_it_was(kb: Path) -> None:
    page = evaluated(open_evaluate(max_blocks="1", use_l0_filter="false"))
    misses = table_of(page, "What is wrong")
    assert misses[["Question", "What is wrong"]].to_numpy().tolist() == [[MISSED, "not first, not packed"], [ANSWERED, "answered"]]
    assert not page.get("page_link")
    select_miss(page, MISSED)
    facts = dict(zip(page.table[0].value.index, page.table[0].value.iloc[:, 0], strict=True))
    assert facts["Expected"] == markdown("policies/rewind.md")
    assert facts["Came first"] == markdown("runbooks/unicorn.md")
    parameters = link_of(page)
    assert parameters == {"q": [MISSED], "max_blocks": ["1"], "use_l0_filter": ["false"]}
    with KnowledgeEngine.open(kb) as engine:
        view = engine.with_settings(load_settings(kb, {"max_blocks": 1, "use_l0_filter": False}))
        assert canonical(open_page(**{name: values[0] for name, values in parameters.items()})) == view.lookup_knowledge(MISSED).canonical_json()


def test_a_run_with_settings_that_are_gone_still_opens_with_them(kb: Path) -> None:
    page = evaluated(open_evaluate())
    write_files(kb, {"evidence.toml": 'max_blocks = 2\nembedding_model = "hash"\n'})
    select_miss(page, MISSED)
    assert link_of(page) == {
        "q": [MISSED],
        "evidence_floor": ["0.25"],
        "reference_threshold": ["0.4"],
        "medium_threshold": ["0.5"],
        "high_threshold": ["0.7"],
        "max_blocks": ["8"],
    }


def test_a_run_with_a_setting_that_there_is_not_any_more_opens_without_it_and_says_so(kb: Path) -> None:
    with KnowledgeEngine.open(kb) as engine:
        run = engine.evaluate()
        engine.save_run(run.model_copy(update={"settings": {**run.settings, "rule_weights.entity": 0.05, "max_blocks": 3}}))
    page = select_miss(open_evaluate(), MISSED)
    assert link_of(page) == {"q": [MISSED], "max_blocks": ["3"]}
    assert markdown("rule_weights.entity had a value in this run and is no setting any more") in words_of(page)
    assert markdown("max_blocks=3, rule_weights.entity=0.05 (no setting any more)") in words_of(page)
    assert not open_page(**{name: values[0] for name, values in link_of(page).items()}).error


def test_hostile_text_of_a_question_does_nothing(kb: Path) -> None:
    page = select_miss(evaluated(open_evaluate()), MISSED)
    words = words_of(page)
    assert f"**{markdown(MISSED)}**" in words
    for mark in ("**magic", ":tada", "<b>"):
        assert mark not in words.replace("\\" + mark, "")


def test_the_newest_two_runs_are_compared_unless_the_address_names_others(kb: Path) -> None:
    page = evaluated(open_evaluate())
    assert "Comparison" not in headers(page)
    [plain] = table_of(page, "Saved (UTC)")["Run"]
    page = evaluated(open_evaluate(evidence_floor="0", reference_threshold="0.1"))
    run_until(page, lambda page: "Comparison" in headers(page))
    assert table_of(page, "Setting").to_numpy().tolist() == [["evidence_floor", "0.25", "0.0"], ["reference_threshold", "0.4", "0.1"]]
    measures = table_of(page, "Measure").set_index("Measure")
    assert measures.loc["refused_unanswerable", ["First", "Second", "Better", "Worse", "Same"]].tolist() == [0.5, 0.0, 0, 1, 1]
    [changes] = [frame.value for frame in page.dataframe if list(frame.value.columns)[:2] == ["Question", "nDCG@10"]]
    assert changes.set_index("Question").loc[UNKNOWN, "Relevance"] == "none → low"
    page.selectbox(key="evaluate_second").set_value(plain).run()
    assert page.query_params["second"] == plain
    assert "These are the same run." in words_of(page)


def test_an_older_run_is_shown_where_the_address_names_it_and_a_lost_one_is_said(kb: Path) -> None:
    page = evaluated(open_evaluate(max_blocks="1"))
    [older] = table_of(page, "Saved (UTC)")["Run"]
    evaluated(open_evaluate())
    page = open_evaluate(run=older)
    assert table_of(page, "Saved (UTC)")["Shown"].tolist() == [False, True]
    assert markdown("max_blocks=1") in words_of(page)
    page = open_evaluate(run="<b>gone")
    assert r"There is no saved run \<b\>gone." in words_of(page)
    assert "Results" not in headers(page)
    assert "History" in headers(page)


def test_without_golden_questions_there_is_one_to_copy(kb: Path, tmp_path: Path) -> None:
    (kb / "cases.yaml").unlink()
    page = open_evaluate()
    assert "no golden questions yet" in words_of(page)
    assert "evaluate_start" not in [button.key for button in page.button]
    [example] = [code.value for code in page.code]
    (kb / "cases.yaml").write_text(example)
    first, second = read_cases(kb)
    assert (first.expected, second.answerable) == (("databases/topics.md",), False)
    evaluated(open_evaluate())


def test_a_broken_file_of_questions_is_one_sentence(kb: Path) -> None:
    (kb / "cases.yaml").write_text("- question: no id\n")
    page = open_evaluate()
    assert [error.value for error in page.error] == [markdown("cases.yaml, line 1 ('no id'): it has no id; add it")]


def test_a_question_that_expects_what_is_not_there_fails_with_the_next_step(kb: Path) -> None:
    (kb / "cases.yaml").write_text(f'- {{id: typo, question: "{DIRECT}", expected: [runbooks/queue-backlgo.md]}}\n')
    page = open_evaluate()
    page.button(key="evaluate_start").click().run()
    run_until(page, lambda page: page.error)
    [error] = page.error
    assert "did you mean" in error.value
    assert "queue\\-backlog" in error.value
    assert not page.button(key="evaluate_start").disabled


def test_an_evaluation_is_stopped_and_nothing_of_it_is_kept(kb: Path) -> None:
    (kb / "cases.yaml").write_text("".join(f"- {{id: q{i}, question: '{DIRECT} {i}', expected: [runbooks/queue-backlog.md]}}\n" for i in range(3000)))
    page = open_evaluate()
    page.button(key="evaluate_start").click().run()
    assert page.button(key="evaluate_start").disabled
    run_until(page, lambda page: "Nothing of it is kept." in page.button(key="evaluate_evaluation_stop").help)
    page.button(key="evaluate_evaluation_stop").click().run()
    run_until(page, lambda page: "3,000 questions; nothing of it is kept" in words_of(page).replace("\\", ""))
    assert "History" not in headers(page)


@pytest.mark.parametrize(("name", "value", "words"), [("evidence_floor", "abc", "valid number"), ("index_dir", "/tmp", "cannot be set by a link")])
def test_a_bad_setting_in_the_address_is_one_sentence(kb: Path, name: str, value: str, words: str) -> None:
    page = open_evaluate(**{name: value})
    assert len(page.error) == 1
    assert words in page.error[0].value
    page.button(key="evaluate_reset").click().run()
    assert not page.error
