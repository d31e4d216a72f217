"""One browser and one server per module; a page that remembers what it asked for."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.running import HOW_TO_GET_IT, PATIENCE, browsing, chromium, serve
from tests.pages.tiny import tiny_environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; without one the tests are skipped, or fail where TESTS_REQUIRE_BROWSER is 1."""
    if chromium() is None or importlib.util.find_spec("playwright") is None:
        (pytest.fail if os.environ.get("TESTS_REQUIRE_BROWSER") == "1" else pytest.skip)(HOW_TO_GET_IT)
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A tiny knowledge base without a model, and an index of its own."""
    return tiny_environment(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def server(browser: Browser, environment: dict[str, str]) -> Iterator[str]:
    with serve(environment) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; the test fails when anything it did left localhost or raised in the browser."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(PATIENCE)
    requests: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("websocket", lambda websocket: requests.append(websocket.url))
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    yield page
    page.close()
    assert requests
    assert [url for url in requests if not url.startswith(("http://localhost:", "ws://localhost:", "data:", "blob:"))] == []
    assert faults == []


@pytest.fixture
def fresh_environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The same knowledge base on a machine that has never built its index."""
    return {**environment, "EVIDENCE_INDEX_DIR": str(tmp_path / "index")}
