"""An edit as a person meets it who has the page open: noticed without a click, looked at, and brought into the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine import KnowledgeEngine, load_settings
from tests.browser.running import drawn, expect, serve
from tests.knowledge_base import write_files
from tests.pages.tiny import tiny_environment

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NOON, DAWN = ({"depots/wombat.md": f"# Wombat duty\n\nFeed the wombat at {time}.\n"} for time in ("noon", "dawn"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A knowledge base of its own, since these tests change it, without a model."""
    return tiny_environment(tmp_path, NOON)


def test_an_edit_is_noticed_without_a_click_and_a_click_brings_it_into_the_answer(page: Page, environment: dict[str, str]) -> None:
    kb = Path(environment["EVIDENCE_KB"])
    with serve(environment) as server:
        page.goto(server + "/?q=feed the wombat")
        drawn(page)
        write_files(kb, DAWN)
        expect(page.get_by_text("Files have changed since this index was built: 1 changed. Answers come from the index.")).to_be_visible()
        expect(page.get_by_text("Feed the wombat at noon.").first).to_be_visible()
        page.get_by_role("button", name="Which files").click()
        expect(page.get_by_test_id("stDataFrame").get_by_text("depots/wombat.md")).to_be_attached()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_text("Indexed 6 documents, 7 passages.")).to_be_visible()
        expect(page.get_by_text("Feed the wombat at dawn.").first).to_be_visible()
        expect(page.get_by_text("Files have changed")).to_have_count(0)
        expect(page.get_by_text("Feed the wombat at noon.")).to_have_count(0)


def test_a_sync_of_another_process_brings_the_new_answer_and_leaves_what_is_being_typed(page: Page, environment: dict[str, str]) -> None:
    kb = Path(environment["EVIDENCE_KB"])
    settings = load_settings(kb, {"embedding_model": "hash", "index_dir": environment["EVIDENCE_INDEX_DIR"]})
    with serve(environment) as server:
        page.goto(server + "/?q=feed the wombat")
        drawn(page)
        question = page.get_by_role("searchbox", name="Question")
        question.fill("a question that is not sent yet")
        write_files(kb, DAWN)
        with KnowledgeEngine.open(kb, settings=settings, sync_first=True) as other:
            assert other.report().documents == 6
        expect(page.get_by_text("Feed the wombat at dawn.").first).to_be_visible()
        expect(question).to_have_value("a question that is not sent yet")
        expect(page.get_by_text("Files have changed")).to_have_count(0)


def test_an_open_page_tells_of_a_knowledge_base_that_went_away_and_is_quiet_when_it_is_back(page: Page, environment: dict[str, str]) -> None:
    kb = Path(environment["EVIDENCE_KB"])
    with serve(environment) as server:
        page.goto(server + "/?q=feed the wombat")
        drawn(page)
        kb.rename(kb.with_name("away"))
        expect(page.get_by_text(f"There is no knowledge base at {kb}")).to_be_visible()
        expect(page.get_by_text("Feed the wombat at noon.").first).to_be_visible()
        kb.with_name("away").rename(kb)
        expect(page.get_by_text("There is no knowledge base")).to_have_count(0)
