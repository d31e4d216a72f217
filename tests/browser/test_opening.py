"""The first build of an index as a person meets it: it is watched, stopped and taken up again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.index.embedding import HashEmbedder, document_fingerprint
from engine.index.embedding_cache import EmbeddingCache
from tests.browser.running import drawn, expect, serve
from tests.knowledge_base import write_files
from tests.pages.tiny import DIRECT, tiny_environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PAGES = {f"more/{i}.md": f"# Wombat {i}\n\nText {i}.\n\n## Food\n\nLeaves {i}.\n" for i in range(60)}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A knowledge base of several batches that nobody has built yet, without a model."""
    return tiny_environment(tmp_path, PAGES)


@contextmanager
def cache_held(environment: dict[str, str]) -> Iterator[None]:
    """Nobody can keep an embedding, so a build waits at the end of its next batch."""
    with EmbeddingCache(Path(environment["EVIDENCE_INDEX_DIR"]), document_fingerprint(HashEmbedder())) as cache:
        path = cache.path
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("begin immediate")
        yield
        connection.execute("rollback")


def test_a_first_build_is_stopped_for_everybody_and_goes_on_where_it_stopped(page: Page, browser: Browser, environment: dict[str, str]) -> None:
    told = "stopped; 32 of 126 passages are embedded and kept, nothing else has changed; go on from there whenever you like"
    with serve(environment) as server, browser.new_context() as context:
        other = context.new_page()
        with cache_held(environment):
            for one in (page, other):
                one.goto(server + "/?q=" + DIRECT)
                expect(one.get_by_text("Embedding passages: 0 of 126 passages")).to_be_visible()
            other.get_by_role("button", name="Stop").click()
            expect(other.get_by_role("button", name="Stopping")).to_be_disabled()
        for one in (page, other):
            expect(one.get_by_text(told)).to_be_visible()
            expect(one.get_by_role("button", name="Stop")).to_have_count(0)
        other.get_by_role("slider", name="Evidence floor").press("ArrowRight")  # a click does not start it again
        other.wait_for_url("**evidence_floor=0.26**")
        expect(other.get_by_role("button", name="Go on")).to_be_visible()
        with cache_held(environment):
            page.get_by_role("button", name="Go on").click()
            expect(page.get_by_text("Embedding passages: 32 of 126 passages")).to_be_visible()
            other.get_by_role("button", name="Go on").click()  # it goes on already
            expect(other.get_by_text("Embedding passages: 32 of 126 passages")).to_be_visible()
        drawn(page)
        drawn(other)


def test_a_stopped_sync_leaves_the_former_index_answering_and_goes_on(page: Page, environment: dict[str, str]) -> None:
    new = Path(environment["EVIDENCE_KB"]) / "more/new.md"
    with serve(environment) as server:
        page.goto(server + "/?q=" + DIRECT)
        drawn(page)
        write_files(new.parent, {"new.md": "# New\n\nA new text.\n"})
        sync = page.get_by_role("button", name="Sync now")
        expect(sync).to_be_visible()  # without a click
        with cache_held(environment):
            sync.click()
            expect(page.get_by_text("Embedding passages: 0 of 1 passages")).to_be_visible()
            page.get_by_role("button", name="Stop").click()
            expect(page.get_by_role("button", name="Stopping")).to_be_disabled()
        expect(page.get_by_text("stopped; 1 of 1 passages are embedded and kept")).to_be_visible()
        drawn(page)
        assert page.locator(".st-key-ask_verdict").inner_text().count("Found")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("Indexed 66 documents, 127 passages.")).to_be_visible()
        expect(page.get_by_role("button", name="Go on")).to_have_count(0)
