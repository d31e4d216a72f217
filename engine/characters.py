"""Where one visible character ends and the next begins: emoji, flags, accents and vowel signs are never torn."""

from __future__ import annotations

import re
import unicodedata

# Joiner, Hangul vowels and finals, Thai and Lao AM, half-width voicing, skin tones, tags.
_FOLLOWS = re.compile("[\u200d\u1160-\u11ff\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def inside_a_character(text: str, at: int, border: int = 0) -> bool:
    """Whether a cut before `text[at]` would tear a visible character; `border` is a place before it where none is torn.

    After Unicode's UAX 29, without prepended marks and Indic conjuncts.
    """
    if not border < at < len(text) or text[at].isascii():
        return False
    if _FOLLOWS.match(text[at]) or text[at - 1] == "\u200d" or unicodedata.category(text[at])[0] == "M":
        return True
    first = at
    while first > border and _FLAG_LETTER.match(text[at]) and _FLAG_LETTER.match(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1  # two letters are a flag


def border_before(text: str, at: int, first: int) -> int:
    """The last place at or before `at`, and after `first`, where no visible character is torn; `at` where there is none."""
    return next((place for place in range(at, first, -1) if not inside_a_character(text, place, first)), at)


def border_after(text: str, at: int, last: int) -> int:
    """The first place at or after `at`, and at most `last`, where no visible character is torn; `at` where there is none."""
    return next((place for place in range(at, last + 1) if not inside_a_character(text, place)), at)
