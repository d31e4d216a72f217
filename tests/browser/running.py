"""A real server on a fresh port and a real Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page
    from playwright.sync_api._generated import LocatorAssertions

ROOT = Path(__file__).parents[2]
HOW_TO_GET_IT = "no Chromium here; install it (apt-get install chromium) and Playwright (pip install playwright), or set CHROMIUM to its path"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS = 60
PATIENCE = 90_000  # milliseconds; a machine that does something else must not fail a test


def chromium() -> str | None:
    """The path of a Chromium on this machine."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def serve(environment: dict[str, str]) -> Iterator[str]:
    """Run app.py until the block ends, with no EVIDENCE_ variable but the given ones; yields the address that it answers at."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("EVIDENCE_")}
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true", "--server.fileWatcherType=none"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env={**ours, **environment})
        try:
            _wait(f"http://localhost:{port}/_stcore/health", process)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(20)
        log.seek(0)
        assert b"Traceback" not in log.read()


def _wait(health: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(health, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the server did not answer at {health} within {START_SECONDS} seconds")


@contextmanager
def browsing() -> Iterator[Browser]:
    """A Chromium that makes no request of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        try:
            yield browser
        finally:
            browser.close()


def expect(locator: Locator) -> LocatorAssertions:
    """Playwright's assertions, which look again until they hold or the patience ends."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    return expect(locator)


def ready(page: Page, address: str) -> None:
    """Open an address and wait until its run is on the page."""
    page.goto(address)
    drawn(page)


def drawn(page: Page) -> None:
    """Wait until the last part of a run is on the page."""
    page.get_by_text("The whole run").wait_for(timeout=PATIENCE)
    settled(page)


def settled(page: Page) -> None:
    """Wait until no script runs and no part of the page waits for its own code."""
    page.wait_for_timeout(300)  # the click reaches the server
    idle = "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    page.wait_for_function(f"{idle} && !document.querySelector('[data-testid=stSkeleton]')", timeout=PATIENCE)
    page.wait_for_timeout(300)  # the last pictures are painted
