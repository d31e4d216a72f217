"""The one normaliser: what looks the same is the same, whichever way it was written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

Span = tuple[int, int]

_SPACE = re.compile(r"\s+")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Inside of words that look whole: soft hyphen, zero-width space, marks of direction, joiners of words, variants of a character.
_UNSEEN = "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff"
_MELTS = re.compile(f"[\uff9e\uff9f\u1160-\u11ff\u3131-\u318e\uffa0-\uffdc{_UNSEEN}]")  # into the character before it, as marks do: voicing, Hangul
_ODD = re.compile(f"[\u2010\u2011{_UNSEEN}]")
_PLAIN_MARKS = str.maketrans({"\u2010": "-", "\u2011": "-", **dict.fromkeys(_UNSEEN)})


def clean(text: str) -> str:
    """NFKC form with plain hyphens and single spaces, nothing unseen in it and nothing at the ends."""
    return _SPACE.sub(" ", plain(text)).strip()


def plain(text: str) -> str:
    """NFKC form with plain hyphens, without soft hyphens and their like."""
    if text.isascii():
        return text
    found = unicodedata.normalize("NFKC", text)
    return unicodedata.normalize("NFKC", found.translate(_PLAIN_MARKS)) if _ODD.search(found) else found


def valid_unicode(text: str) -> str:
    """Pairs of surrogates become the character that they stand for, lone ones replacement marks."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fold(text: str) -> str:
    """The text without differences of case, width and accents."""
    if text.isascii():
        return text.lower()  # nothing else can differ, and most words are ASCII
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def places_of_plain(text: str) -> list[Span]:
    """For each character of the plain form where in the text it comes from."""
    return [span for start, end in _characters(text) for span in [(start, end)] * len(plain(text[start:end]))]


def _characters(text: str) -> Iterator[Span]:
    """Stretches whose plain forms, one after the other, are the plain form of the text."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not (unicodedata.category(text[at])[0] == "M" or _MELTS.match(text[at])):
            yield start, at
            start = at
