"""The Ask page from question to JSON, run without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine import KnowledgeEngine
from tests.pages.tiny import DIRECT, HOSTILE, HOSTILE_TEXT, HOSTILE_TITLE, RETRIED, UNKNOWN

APP = Path(__file__).parents[2] / "app.py"


def open_page(**address: str | list[str]) -> AppTest:
    page = AppTest.from_file(APP, default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def result_of(page: AppTest) -> dict[str, Any]:
    """The result as the page gives it to copy."""
    found: dict[str, Any] = json.loads(canonical(page))
    return found


def canonical(page: AppTest) -> str:
    return next(code.value for code in page.code if code.value.startswith('{"schemaVersion"'))


def figure_of(page: AppTest, key: str) -> dict[str, Any]:
    figure: dict[str, Any] = json.loads(next(chart for chart in page.get("plotly_chart") if key in chart.proto.id).proto.spec)
    return figure


def words_of(page: AppTest) -> str:
    """All that a Markdown-rendering or plain element of the page says."""
    kinds = (page.markdown, page.caption, page.text, page.title, page.header, page.subheader, page.error, page.warning, page.success, page.info)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def test_before_the_first_question_the_examples_say_what_they_show(kb: Path) -> None:
    page = open_page()
    assert page.title[0].value == "Ask the knowledge base"
    assert "5 documents" in page.caption[0].value
    assert [button.label for button in page.button if "ask_example" in str(button.key)] == [
        r"How do I drain the queue backlog of the notify workers?",
        r"kafka topics\: rewind the offsets of a group with a dry run",
    ]
    assert r"The filter hides the answer, the retry finds it\." in words_of(page)


def test_skipped_files_and_problems_are_listed_with_what_to_do(kb: Path) -> None:
    (kb / "runbooks/latin.md").write_bytes("Müll".encode("latin-1"))
    (kb / "runbooks/colon.md").write_text("---\ntitle: a: b\n---\n# Colon\n\nText.\n")
    page = open_page()
    [table] = [frame.value for frame in page.dataframe if "File" in frame.value.columns]
    assert table["File"].tolist() == ["runbooks/latin.md", "runbooks/colon.md"]
    assert "save the file as UTF-8" in table["Why and what to do"][0]


def test_words_that_no_evidence_has_are_named(kb: Path) -> None:
    page = open_page(q=f"{DIRECT} zebra")
    assert result_of(page)["completenessHint"]["missingTerms"] == ["zebra"]
    assert "Not in it: **zebra**." in words_of(page)


def test_a_question_shows_verdict_evidence_and_the_result_of_the_engine_byte_for_byte(kb: Path) -> None:
    page = open_page()
    page.text_input(key="ask_question").set_value(DIRECT).run()
    assert not page.exception
    with KnowledgeEngine.open(kb) as engine:
        result = engine.lookup_knowledge(DIRECT)
    assert canonical(page) == result.canonical_json()
    assert page.query_params["q"] == DIRECT
    assert page.success[0].value.startswith("Found 2 passages in 1 document")
    assert "Relevance: high" in words_of(page)
    assert "Completeness: complete" in words_of(page)
    block = result.evidence_blocks[0]
    assert block.content in [code.value for code in page.code]
    assert (block.lines.start, block.lines.end) == (8, 8)
    assert "queue\\-backlog\\.md**, line 8" in words_of(page)
    for reason in block.hit_reasons:
        assert f"`{reason.code}`" in words_of(page)


def test_both_attempts_stand_side_by_side_with_the_selected_one_named(kb: Path) -> None:
    page = open_page(q=RETRIED)
    trace = result_of(page)["retrievalTrace"]
    assert [attempt["verdict"] for attempt in trace["attempts"]] == ["filtered_vector_low_quality", "ok"]
    facts = [dict(zip(table.value.index, table.value.iloc[:, 0], strict=True)) for table in page.table]
    assert facts[0]["Filter"] == r"category \= databases"
    assert facts[1]["Filter"] == "none"
    words = words_of(page)
    assert "**Selected: unfiltered.**" in words
    assert "`filtered_vector_low_quality`" in words
    for attempt in trace["attempts"]:
        dots = [
            x for line in figure_of(page, f"ask_similarity_{attempt['name']}")["data"] if line["name"] in ("Evidence", "Candidate") for x in line["x"]
        ]
        assert sorted(dots) == sorted(candidate["similarity"] for candidate in attempt["candidates"])


def test_stacked_bars_add_up_to_the_scores_of_the_result(kb: Path) -> None:
    page = open_page(q=RETRIED)
    entries = result_of(page)["rerankTrace"]["entries"][:10]
    bars = [trace for trace in figure_of(page, "ask_scores")["data"] if trace["type"] == "bar"]
    assert [round(sum(bar["x"][row] for bar in bars), 6) for row in range(len(entries))] == [entry["score"] for entry in entries]


def test_a_small_budget_is_drawn_with_what_was_cut_or_left_out(kb: Path) -> None:
    page = open_page(q=RETRIED, budget_tokens="120")
    pack = result_of(page)["contextPack"]
    assert pack["usedTokens"] <= pack["budgetTokens"] == 120
    assert pack["omitted"]
    bars = figure_of(page, "ask_budget")["data"]
    assert [bar["x"][0] for bar in bars if bar["y"] == [0]] == [item["tokens"] for item in pack["omitted"]]
    assert f"of these {sum(item['truncated'] for item in pack['included'])} cut, and {len(pack['omitted'])} left out" in words_of(page)


def test_without_evidence_the_closest_candidates_are_named_as_not_evidence(kb: Path) -> None:
    page = open_page(q=UNKNOWN)
    assert page.warning[0].value.startswith("No knowledge evidence was found")
    assert [header.value for header in page.header] == ["Closest candidates, not evidence", "How it came about"]
    assert not page.dataframe[0].value["Evidence"].any()
    assert set(page.dataframe[0].value["Why not"]) == {"below_floor"}
    assert "Nothing to pack. The budget is 1,500 tokens." in words_of(page)


def test_a_question_without_words_says_what_to_do_next(kb: Path) -> None:
    page = open_page(q="？？？")
    assert "no word to search for" in page.warning[0].value
    assert "Name the thing, the code or the alert" in words_of(page)


def test_a_blank_question_is_an_error_with_the_next_step(kb: Path) -> None:
    page = open_page(q="   ")
    assert len(page.error) == 1
    assert "question" in page.error[0].value
    assert not page.header


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("evidence_floor", "abc", "valid number"),
        ("evidence_floor", "7", "less than or equal to 1"),
        ("evidence_floor", "0.9", "thresholds out of order"),
        ("evidence_flor", "0.3", r"did you mean evidence\_floor?"),
        ("embedding_model", "/tmp/model", "cannot be set by a link"),
        ("index_dir", "/tmp", "cannot be set by a link"),
        ("scope", "colour=red", "colour"),
    ],
)
def test_a_bad_value_in_the_address_is_one_sentence_and_no_result(kb: Path, name: str, value: str, words: str) -> None:
    page = open_page(q=DIRECT, **{name: value})
    assert len(page.error) == 1
    assert words in page.error[0].value
    assert not page.header
    assert page.text_input(key="ask_question").value == DIRECT


def test_a_repaired_setting_brings_the_answer_back(kb: Path) -> None:
    page = open_page(q=DIRECT, evidence_floor="abc")
    page.button(key="ask_reset").click().run()
    assert not page.error
    assert "evidence_floor" not in page.query_params
    assert result_of(page)["found"]


def test_a_missing_knowledge_base_is_an_error_with_the_next_step(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCE_KB", str(kb / "nowhere"))
    page = open_page(q=DIRECT)
    assert len(page.error) == 1
    assert "nowhere" in page.error[0].value


def test_hostile_text_of_a_document_is_shown_and_does_nothing(kb: Path) -> None:
    page = open_page(q=HOSTILE)
    assert HOSTILE_TEXT in [code.value.strip() for code in page.code]
    words = "\n".join([words_of(page), *(expander.label for expander in page.expander)])
    for mark in ("<img", "<script", "**Unicorn", "![x]", "](http", ":tada", ":red[magic"):
        assert mark not in words.replace("\\" + mark, "")
    for key in ("ask_similarity_unfiltered", "ask_scores", "ask_budget"):
        assert "<img" not in json.dumps(figure_of(page, key), ensure_ascii=False)
    assert not any(element.proto.allow_html for element in page.markdown)
    assert HOSTILE_TITLE[:10] in result_of(page)["evidenceBlocks"][0]["breadcrumb"]


def test_a_changed_slider_changes_the_result_and_the_address(kb: Path) -> None:
    page = open_page(q=DIRECT)
    before = result_of(page)["settingsFingerprint"]
    page.slider(key="ask_evidence_floor").set_value(0.31).run()
    assert not page.exception
    assert page.query_params["evidence_floor"] == "0.31"
    changed = result_of(page)
    assert changed["settingsFingerprint"] != before
    assert changed["retrievalTrace"]["attempts"][0]["evidenceFloor"] == 0.31
    page.slider(key="ask_evidence_floor").set_value(0.25).run()
    assert "evidence_floor" not in page.query_params  # the knowledge base's own value needs no place in a link
    assert result_of(page)["settingsFingerprint"] == before


def test_the_filter_is_switched_off_from_the_sidebar(kb: Path) -> None:
    page = open_page(q=RETRIED)
    page.toggle(key="ask_use_l0_filter").set_value(False).run()
    trace = result_of(page)["retrievalTrace"]
    assert page.query_params["use_l0_filter"] == "false"
    assert trace["filterDecision"]["code"] == "disabled"
    assert [attempt["name"] for attempt in trace["attempts"]] == ["unfiltered"]
    assert "**No second attempt**" in words_of(page)


def test_an_example_opens_with_its_pinned_settings_also_those_without_a_widget(kb: Path) -> None:
    page = open_page(evidence_floor="0.3")
    page.button(key="ask_example_pinned").click().run()
    assert dict(page.query_params) == {"q": RETRIED, "trace_candidates": "3", "rule_weights.title": "0.5"}
    assert page.slider(key="ask_rule_weights.title").value == 0.5
    again = open_page(**{"q": RETRIED, "trace_candidates": "3", "rule_weights.title": "0.5"})
    assert canonical(again) == canonical(page)
    link = next(code.value for code in page.code if code.value.startswith("/?"))
    assert "trace_candidates=3&rule_weights.title=0.5" in link


def test_the_scope_comes_from_the_address_and_from_the_sidebar(kb: Path) -> None:
    page = open_page(q=RETRIED, scope=["category=runbooks", "category=policies"])
    assert page.multiselect(key="ask_scope").value == ["category=runbooks", "category=policies"]
    assert {block["source"] for block in result_of(page)["evidenceBlocks"]} == {"policies/rewind.md"}
    page.multiselect(key="ask_scope").set_value(["category=databases"]).run()
    assert page.query_params["scope"] == "category=databases"
    assert {block["source"] for block in result_of(page)["evidenceBlocks"]} == {"databases/topics.md"}


def test_every_widget_has_a_key_and_every_setting_a_help(kb: Path) -> None:
    page = open_page(q=DIRECT)
    widgets = [*page.slider, *page.toggle, *page.number_input, *page.multiselect]
    assert len(widgets) == 17
    assert all(widget.key.startswith("ask_") and widget.help for widget in widgets)
    pictures = [*(chart.proto for chart in page.get("plotly_chart")), *(table.proto for table in page.dataframe)]
    assert all(picture.alt for picture in pictures)
