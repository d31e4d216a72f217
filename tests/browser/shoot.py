"""The pictures of the README: `python -m tests.browser.shoot` runs the real model on kb/ and writes shots/ask.png and shots/ask-dark.png.

Light, the passages are folded, so that question, verdict, hints and both attempts are on one picture; dark, the whole page is shown.
"""

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
            page.set_default_timeout(300_000)  # the first start builds the index
            page.goto(server)
            page.locator(f".st-key-ask_example_{EXAMPLE} button").click()
            drawn(page)
            if scheme == "light":
                for summary in page.locator("details[open] > summary", has_text="similarity").all():
                    summary.click()
            height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": WIDTH, "height": height})
            settled(page)
            if scheme == "light":
                end = page.get_by_text("3. Ordering the candidates").bounding_box()
                page.set_viewport_size({"width": WIDTH, "height": int(end["y"]) if end else height})
            page.screenshot(path=SHOTS / name)
            page.close()


if __name__ == "__main__":
    shoot()
