"""The pictures of the README: `python -m tests.browser.shoot` runs the real model on kb/ and writes shots/ask.png and shots/ask-dark.png."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tests.browser.running import browsing, drawn, serve, settled

SHOTS = Path(__file__).parent / "shots"
EXAMPLE = "path-filtered-low-quality"  # both attempts and a change of mind between them
WIDTH = 1400


def shoot() -> None:
    """Write one picture for each appearance."""
    SHOTS.mkdir(exist_ok=True)
    schemes: tuple[tuple[str, Literal["light", "dark"]], ...] = (("ask.png", "light"), ("ask-dark.png", "dark"))
    with browsing() as browser, serve({}) as server:
        for name, scheme in schemes:
            page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme=scheme)
            page.goto(server)
            page.locator(f".st-key-ask_example_{EXAMPLE} button").click()
            drawn(page)
            height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": WIDTH, "height": height})
            settled(page)
            page.screenshot(path=SHOTS / name)
            page.close()


if __name__ == "__main__":
    shoot()
