"""The Evaluate page as a person meets it: a real browser and a real server."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from engine import KnowledgeEngine, load_settings
from tests.browser.running import drawn, expect, serve, settled
from tests.pages.tiny import DIRECT, MISSED, tiny_environment

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A knowledge base and a history of its own, since these tests change them, without a model."""
    return tiny_environment(tmp_path)


def engine_of(environment: dict[str, str]) -> KnowledgeEngine:
    kb = environment["EVIDENCE_KB"]
    return KnowledgeEngine.open(kb, settings=load_settings(kb, {"index_dir": environment["EVIDENCE_INDEX_DIR"], "embedding_model": "hash"}))


def evaluate(page: Page) -> None:
    page.get_by_role("button", name="Evaluate", exact=True).click()
    settled(page)


def select_row(page: Page, table: Locator, row: int) -> None:
    """Click the box in front of a row; a table is painted, so there is nothing else to take hold of."""
    table.scroll_into_view_if_needed()
    table.locator(".dvn-scroller").click(position={"x": 18, "y": 33 * row + 50})
    settled(page)


def test_evaluates_by_a_click_and_opens_a_miss_in_ask(page: Page, environment: dict[str, str]) -> None:
    with serve(environment) as server:
        page.goto(server)
        page.get_by_text("Try one of these").wait_for()
        page.get_by_role("link", name="Evaluate").click()
        expect(page.get_by_role("heading", name="Evaluate the settings")).to_be_visible()
        expect(page.get_by_text("Press Evaluate to make the first one")).to_be_visible()
        evaluate(page)
        expect(page.get_by_role("heading", name="Results")).to_be_visible()
        with engine_of(environment) as engine:
            [saved] = engine.runs()
        drawing = page.locator(".st-key-evaluate_order .js-plotly-plot")
        expect(drawing).to_contain_text(f"{saved.run.estimates['nDCG@10'].mean:.3f}")
        assert drawing.locator(".bars .point").count() == 5
        assert page.locator(".st-key-evaluate_refused .js-plotly-plot .bars .point").count() == 4
        select_row(page, page.locator("[class*=st-key-evaluate_misses]"), 0)
        card = page.locator(".st-key-evaluate_outcome")
        expect(card).to_contain_text("policies/rewind.md")
        assert MISSED in card.inner_text().replace("\u2060", "")
        card.get_by_role("link", name="Open in Ask").click()
        drawn(page)
        assert parse_qs(urlsplit(page.url).query) == {"q": [MISSED]}
        expect(page.get_by_role("searchbox", name="Question")).to_have_value(MISSED)
        page.go_back()
        expect(page.get_by_role("heading", name="Results")).to_be_visible()


def test_a_link_to_a_run_opens_it_on_a_server_that_nobody_has_visited(page: Page, environment: dict[str, str]) -> None:
    with engine_of(environment) as engine:
        view = engine.with_settings(engine.settings.changed({"evidence_floor": 0.0}))
        older = engine.save_run(view.evaluate()).run
        newer = engine.save_run(engine.evaluate()).run
    with serve(environment) as server:
        page.goto(f"{server}/evaluate?run={older.run_id}&split=test")
        expect(page.get_by_text(older.run_id).first).to_be_visible()
        expect(page.get_by_role("navigation").or_(page.get_by_test_id("stTopNavLink")).first).to_be_visible()
        settled(page)
        assert page.get_by_role("dialog").count() == 0
        assert f"run={older.run_id}" in page.url
        expect(page.get_by_role("heading", name="Comparison")).to_be_visible()
        expect(page.get_by_text("2 of 5 questions came out differently")).to_be_visible()
        select_row(page, page.locator("[class*=st-key-evaluate_history]"), 0)
        page.wait_for_url(f"**run={newer.run_id}**")
        expect(page.get_by_text(newer.run_id).first).to_be_visible()


def test_thresholds_are_found_and_written_and_the_sidebar_shows_them(page: Page, environment: dict[str, str]) -> None:
    file = Path(environment["EVIDENCE_KB"]) / "evidence.toml"
    with serve(environment) as server:
        page.goto(server + "/evaluate?evidence_floor=0.1")
        page.get_by_role("button", name="Find thresholds").click()
        page.get_by_role("button", name="Write them to evidence.toml").click()
        expect(page.get_by_text("Written to evidence.toml")).to_be_visible()
        floor = tomllib.loads(file.read_text())["evidence_floor"]
        assert floor not in (0.1, 0.25)
        expect(page.get_by_role("slider", name="Evidence floor")).to_have_value(f"{floor}")
        assert "evidence_floor" not in page.url
        assert f"floor {floor:.2f}" in (page.locator(".st-key-evaluate_curve .js-plotly-plot").text_content() or "")
        expect(page.get_by_role("button", name="Write them to evidence.toml")).to_be_disabled()


def test_an_evaluation_goes_on_over_a_reload_and_is_stopped_by_a_click(page: Page, environment: dict[str, str]) -> None:
    many = "".join(f"- {{id: q{i}, question: '{DIRECT} {i}', expected: [runbooks/queue-backlog.md]}}\n" for i in range(4_000))
    (Path(environment["EVIDENCE_KB"]) / "cases.yaml").write_text(many)
    with serve(environment) as server:
        page.goto(server + "/evaluate")
        page.get_by_role("button", name="Evaluate", exact=True).click()
        expect(page.get_by_text("of 4,000 questions")).to_be_visible()
        page.reload()
        expect(page.get_by_text("of 4,000 questions")).to_be_visible()
        expect(page.get_by_role("button", name="Evaluate", exact=True)).to_be_disabled()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Evaluation was stopped")).to_be_visible()
        expect(page.get_by_role("button", name="Evaluate", exact=True)).to_be_enabled()
        expect(page.get_by_role("heading", name="History")).to_have_count(0)


def test_without_golden_questions_there_is_one_to_copy(page: Page, environment: dict[str, str]) -> None:
    (Path(environment["EVIDENCE_KB"]) / "cases.yaml").unlink()
    with serve(environment) as server:
        page.goto(server + "/evaluate")
        expect(page.get_by_text("no golden questions yet")).to_be_visible()
        expect(page.get_by_test_id("stCode")).to_contain_text("answerable: false")
        assert page.get_by_role("button", name="Evaluate", exact=True).count() == 0


def test_a_narrow_window_never_scrolls_sideways(page: Page, environment: dict[str, str]) -> None:
    page.set_viewport_size({"width": 600, "height": 1000})
    with engine_of(environment) as engine:
        engine.save_run(engine.evaluate())
    with serve(environment) as server:
        page.goto(server + "/evaluate")
        expect(page.get_by_role("heading", name="History")).to_be_visible()
        settled(page)
        assert page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('[data-testid=stMain]'))") == 0
