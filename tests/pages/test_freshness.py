"""What the page says of files that have changed since the index was built, and of a sync."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import KnowledgeEngine
from engine.index.home import CURRENT, index_home
from engine.settings_sources import load_settings
from pages.ui import freshness
from pages.ui.safe import markdown
from tests.knowledge_base import write_files
from tests.pages.test_ask import canonical, open_page, result_of, words_of

WOMBAT = "depots/wombat_*duty*.md"
QUESTION = "feed the wombat"


@pytest.fixture
def kb(kb: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny knowledge base, of which every run of the page sees the files as they are."""
    monkeypatch.setattr(freshness, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(freshness, "MOST_SHARE", 1000)
    return write_files(kb, {WOMBAT: "# Wombat duty\n\nFeed the wombat at noon.\n"})


def run_until(page: AppTest, holds: Callable[[AppTest], object]) -> None:
    """Run the page as its timer does, until something holds."""
    end = time.monotonic() + 60
    while not holds(page.run()):
        assert not page.exception
        assert time.monotonic() < end, words_of(page)
        time.sleep(0.05)
    assert not page.exception


def is_stale(page: AppTest) -> bool:
    return "Files have changed" in words_of(page)


def changed_files(page: AppTest) -> list[list[str]]:
    [rows] = [table.value.to_numpy().tolist() for table in page.dataframe if list(table.value.columns) == ["Change", "File"]]
    return list(rows)


def test_changed_files_are_named_and_synchronised(kb: Path) -> None:
    page = open_page(q=QUESTION)
    assert result_of(page)["found"]
    assert not is_stale(page)
    write_files(kb, {WOMBAT: "# Wombat duty\n\nFeed the wombat at dawn.\n", "new.md": "# New\n"})
    (kb / "runbooks/unicorn.md").unlink()
    page.run()
    assert "Files have changed since this index was built: 1 added, 1 changed, 1 deleted." in words_of(page)
    assert changed_files(page) == [["added", "new.md"], ["changed", WOMBAT], ["deleted", "runbooks/unicorn.md"]]
    assert "at noon" in canonical(page)
    page.button(key="ask_sync").click()
    run_until(page, lambda page: page.toast)
    assert "at dawn" in canonical(page)
    assert not is_stale(page)
    assert page.toast[0].value == "Indexed 6 documents, 6 passages."


def test_a_long_list_of_changed_files_is_cut_and_counted(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "MOST_ROWS", 3)
    page = open_page(q=QUESTION)
    write_files(kb, {f"new/{i}.md": "# New\n" for i in range(1234)})
    page.run()
    assert changed_files(page) == [["added", "new/0.md"], ["added", "new/1.md"], ["added", "new/10.md"]]
    assert "The first 3 of 1,234 files." in words_of(page)


def test_the_page_moves_to_a_snapshot_that_another_process_built(kb: Path) -> None:
    page = open_page(q=QUESTION)
    former = result_of(page)["snapshotId"]
    write_files(kb, {WOMBAT: "# Wombat duty\n\nFeed the wombat at dawn.\n"})
    with KnowledgeEngine.open(kb, sync_first=True) as other:
        expected = other.lookup_knowledge(QUESTION)
    assert expected.snapshot_id != former
    page.run()
    assert canonical(page) == expected.canonical_json()
    assert not is_stale(page)
    assert page.toast[0].value.startswith("Indexed 6 documents, 7 passages.")
    page.run()
    assert not page.toast


def test_a_deleted_knowledge_base_is_one_sentence_until_it_is_back(kb: Path) -> None:
    page = open_page(q=QUESTION)
    before = canonical(page)
    kb.rename(kb.with_name("away"))
    page.run()
    assert not page.exception
    assert [error.value for error in page.error] == [markdown(f"there is no knowledge base at {kb}; give a folder of Markdown files with --kb PATH")]
    kb.with_name("away").rename(kb)
    page.run()
    assert not page.error
    assert canonical(page) == before


@pytest.mark.parametrize("query", [QUESTION, None])
def test_a_damaged_snapshot_is_a_sentence_and_a_sync_repairs_it(kb: Path, query: str | None) -> None:
    page = open_page(**({"q": query} if query else {}))
    home = index_home(kb, load_settings(kb))
    (home / CURRENT).write_text("0123456789abcdef\n")
    page.run()
    assert not page.exception
    [warning] = page.warning
    assert warning.value.startswith("Snapshot 0123456789abcdef is damaged")
    assert "run\\: evidence sync" in warning.value
    page.button(key="ask_sync").click()
    run_until(page, lambda page: not page.warning)
    assert not is_stale(page)


def test_a_sync_that_fails_says_why_and_may_be_tried_again(kb: Path) -> None:
    page = open_page(q=QUESTION)
    write_files(kb, {WOMBAT: "# Wombat duty\n\nFeed the wombat at dawn.\n"})
    home = index_home(kb, load_settings(kb))
    shutil.rmtree(home)
    home.write_text("in the way")
    page.run()
    page.button(key="ask_sync").click()
    run_until(page, lambda page: page.error or page.warning)
    assert "at noon" in canonical(page)
    home.unlink()
    run_until(page, lambda page: "Sync now" in [button.label for button in page.button])
    page.button(key="ask_sync").click()
    run_until(page, lambda page: page.toast)
    assert "at dawn" in canonical(page)
    assert not page.error


def test_sessions_share_one_sync(kb: Path) -> None:
    one, two = open_page(q=QUESTION), open_page(q=QUESTION)
    write_files(kb, {WOMBAT: "# Wombat duty\n\nFeed the wombat at dawn.\n"})
    one.run()
    one.button(key="ask_sync").click()
    run_until(one, lambda page: page.toast)
    two.run()
    assert "at dawn" in canonical(two)
    assert not is_stale(two)
    assert two.toast[0].value.startswith("Indexed 6 documents")
