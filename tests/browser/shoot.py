"""The pictures of the README: `python -m tests.browser.shoot` runs the real model on kb/ and writes shots/ask.png and shots/ask-dark.png."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import quote

from tests.browser.running import browsing, ready, serve, settled

SHOTS = Path(__file__).parent / "shots"
QUESTION = "How do I reset the offsets of the scan-ingest consumer group?"
WIDTH = 1400


def shoot() -> None:
    """Write one picture for each appearance."""
    SHOTS.mkdir(exist_ok=True)
    schemes: tuple[tuple[str, Literal["light", "dark"]], ...] = (("ask.png", "light"), ("ask-dark.png", "dark"))
    with browsing() as browser, serve({}) as server:
        for name, scheme in schemes:
            page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme=scheme)
            ready(page, f"{server}/?q={quote(QUESTION)}")
            height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": WIDTH, "height": height})
            settled(page)
            page.screenshot(path=SHOTS / name)
            page.close()


if __name__ == "__main__":
    shoot()
