"""The Ask page as a person meets it: a real browser and a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from filelock import FileLock

from engine import Settings
from engine.index.home import index_home
from tests.browser.running import drawn, expect, ready, serve, settled
from tests.pages.tiny import DIRECT, HOSTILE, HOSTILE_TEXT, HOSTILE_TITLE, RETRIED

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def ask(page: Page, question: str) -> None:
    box = page.get_by_role("searchbox", name="Question")
    box.fill(question)
    box.press("Enter")
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("q") == [question])
    drawn(page)


def verdict_of(page: Page) -> str:
    return page.locator(".st-key-ask_verdict").inner_text()


def picture_of(panel: Locator) -> str:
    """Every word that the picture in a part of the page draws."""
    return panel.locator(".js-plotly-plot").text_content() or ""


def result_of(page: Page) -> dict[str, Any]:
    """The JSON that the page gives to copy."""
    code = page.locator(".st-key-ask_json").get_by_test_id("stCode")
    if not code.is_visible():
        page.get_by_text("Result as JSON").click()
    result: dict[str, Any] = json.loads(code.inner_text())
    return result


def test_types_a_question_and_reads_evidence_attempts_and_budget(page: Page, server: str) -> None:
    page.goto(server)
    page.get_by_text("Try one of these").wait_for()
    ask(page, RETRIED)
    assert "Found 2 passages in 2 documents; relevance is high." in verdict_of(page)
    first = page.locator(".st-key-ask_block_1")
    assert "Replay approval" in first.inner_text()
    assert "policies/rewind.md" in first.inner_text()
    assert "Rewind the offsets of a group with a dry run first" in first.get_by_test_id("stCode").inner_text()
    filtered, unfiltered = page.locator(".st-key-ask_attempt_filtered"), page.locator(".st-key-ask_attempt_unfiltered")
    assert "category = databases" in filtered.inner_text()
    assert "Below the reference" in filtered.inner_text()
    assert "Selected" in unfiltered.inner_text()
    left, right = filtered.bounding_box(), unfiltered.bounding_box()
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]  # side by side
    assert left["x"] < right["x"]
    for panel in (filtered, unfiltered):
        assert "reference 0.40" in picture_of(panel)
    pack = result_of(page)["contextPack"]
    assert page.get_by_text(f"{pack['usedTokens']:,} of {pack['budgetTokens']:,} tokens used.").is_visible()
    assert "budget 1,500" in picture_of(page.locator(".st-key-ask_budget"))


def test_a_link_opens_the_same_run_on_a_server_that_nobody_has_visited(page: Page, server: str, fresh_environment: dict[str, str]) -> None:
    ready(page, server + "/?q=" + DIRECT)
    slider = page.get_by_role("slider", name="Evidence floor")
    slider.focus()
    slider.press("ArrowRight")
    settled(page)
    page.wait_for_url("**evidence_floor=0.26**")
    expected, link = result_of(page), page.url
    assert expected["retrievalTrace"]["attempts"][0]["evidenceFloor"] == 0.26
    with serve(fresh_environment) as fresh:
        ready(page, link.replace(server, fresh))
        assert result_of(page) == expected
        assert page.get_by_role("slider", name="Evidence floor").input_value() == "0.26"
        assert page.get_by_role("dialog").count() == 0


def test_the_frame_stands_before_the_index_is_open(page: Page, fresh_environment: dict[str, str]) -> None:
    kb, index = Path(fresh_environment["EVIDENCE_KB"]), Path(fresh_environment["EVIDENCE_INDEX_DIR"])
    home = index_home(kb, Settings(index_dir=str(index), embedding_model="hash"))
    home.mkdir(parents=True)
    with serve(fresh_environment) as slow:
        with FileLock(home / "lock"):  # another process builds the index, for as long as we like
            page.goto(slow + "/?q=" + DIRECT)
            expect(page.get_by_text("Opening kb")).to_be_visible()
            expect(page.get_by_role("heading", name="Ask the knowledge base")).to_be_visible()
            expect(page.get_by_role("searchbox", name="Question")).to_have_value(DIRECT)
            page.get_by_role("slider", name="Evidence floor").press("ArrowRight")  # a click while the index is built does not start over
            page.wait_for_url("**evidence_floor=0.26**")
            expect(page.get_by_text("Opening kb")).to_be_visible()
        drawn(page)
        assert "evidence_floor=0.26" in page.url
        assert result_of(page)["found"]


def test_the_back_button_brings_the_former_run_back(page: Page, server: str) -> None:
    ready(page, server + "/?q=" + DIRECT)
    former = verdict_of(page)
    ask(page, RETRIED)
    assert verdict_of(page) != former
    page.go_back()
    expect(page.get_by_role("searchbox", name="Question")).to_have_value(DIRECT)
    expect(page.locator(".st-key-ask_verdict")).to_have_text(former, use_inner_text=True)


def test_an_example_is_one_click_away(page: Page, server: str) -> None:
    page.goto(server)
    page.get_by_role("button", name="kafka topics").click()
    drawn(page)
    assert "trace_candidates=3" in page.url
    assert result_of(page)["query"] == RETRIED
    page.go_back()  # question and settings are one step
    page.get_by_role("button", name="kafka topics").wait_for()
    assert page.url.rstrip("/") == server


def test_hostile_text_reads_as_itself(page: Page, server: str) -> None:
    ready(page, server + "/?q=" + HOSTILE)
    block = page.locator(".st-key-ask_block_1")
    assert HOSTILE_TITLE in block.inner_text().replace("\u2060", "")
    assert block.get_by_test_id("stCode").inner_text().strip() == HOSTILE_TEXT
    assert page.locator("img[src=x], a[href*=evil], script:text('spell')").count() == 0


def test_a_narrow_window_never_scrolls_sideways(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 600, "height": 1000})
    ready(page, server + "/?q=" + RETRIED)
    assert page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('[data-testid=stMain]'))") == 0
