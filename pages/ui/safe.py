"""Foreign text made harmless: for Streamlit labels, which are Markdown, and for Plotly labels, which are HTML and TeX."""

from __future__ import annotations

import html
import re
from unicodedata import east_asian_width

_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'@/])")
# Streamlit replaces these after parsing, where a backslash no longer protects: emoji and icon codes, links, mail addresses, arrows.
_AFTER_PARSING = re.compile(r"(?<=:)(?=[\w+-]+:|material/|//)|(?<=@)(?=\w)|(?<=www)(?=\.)|(?<=[<>~=-])(?=[<>=-])", re.IGNORECASE)
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WORD_JOINER = "\u2060"
_ELLIPSIS = "…"


def markdown(text: str) -> str:
    """One line of Markdown that reads exactly as `text` and has no effect."""
    line = _AFTER_PARSING.sub(_WORD_JOINER, _one_line(text))
    return _MARKS.sub(r"\\\1", line)


def sentence(message: str) -> str:
    """The same for a message of the engine, as a sentence of its own."""
    return markdown(f"{message[:1].upper()}{message[1:]}.")


def badge(text: str) -> str:
    """The same for `st.badge`, which escapes square brackets itself."""
    return markdown(text).replace("\\[", "[").replace("\\]", "]")


def plotly(text: str) -> str:
    """One line of a Plotly label that reads exactly as `text`: no tag, no entity, no formula."""
    return html.escape(_one_line(text), quote=False).replace("$", "&#36;")


def _one_line(text: str) -> str:
    """One line, in which nothing turns the direction of what follows."""
    return _DIRECTION.sub("\ufffd", " ".join(text.split()))


def shorten(text: str, cells: int) -> str:
    """At most `cells` columns of text with the middle left out; a wide (East Asian) character takes two."""
    if _cells(text) <= cells:
        return text
    head, tail = _fitting(text, (cells - 1) // 2), _fitting(text[::-1], cells - 1 - (cells - 1) // 2)
    return head + _ELLIPSIS + tail[::-1]


def _fitting(text: str, cells: int) -> str:
    taken = 0
    for position, character in enumerate(text):
        taken += _cells(character)
        if taken > cells:
            return text[:position]
    return text


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
