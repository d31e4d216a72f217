"""The one normaliser and tokeniser, used for documents and queries alike.

Latin words are folded and stemmed; identifiers (`foo-bar`, `a/b`, `ERR_SSL_4711`, `v1.31.2`, `KubePodCrashLooping`, `C++`) are
kept whole and split; scripts without spaces (CJK) give bigrams and unigrams.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import Stemmer

from engine.stop_words import STOP_WORDS

CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd"
)
_MARKS = (  # vowel signs and accents that Python does not count as letters
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
LETTER = rf"(?:[^\W_{CJK}]|[{_MARKS}])"
_RUN = re.compile(rf"[{CJK}]+|{LETTER}+(?:[-_./:@]{LETTER}+)*(?:\+\+|#(?!\w))?")
_PART = re.compile(rf"{LETTER}+")
_LEVELS = (re.compile("[/:@]"), re.compile("[.]"), re.compile("[-_]"))
_CAMEL = re.compile("[a-z][A-Z]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IS_CJK = re.compile(f"[{CJK}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SPACE = re.compile(r"\s+")
_STEMMERS = threading.local()


class Token(NamedTuple):
    """A piece of a text: what is searched for, how it was cut, and where it stands."""

    term: str
    kind: str  # word, whole (an identifier), part (of an identifier), bigram, unigram
    start: int
    end: int
    stop: bool


def clean(text: str) -> str:
    """NFKC form with single spaces, nothing at the ends."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip()


def valid_unicode(text: str) -> str:
    """Pairs of surrogates become the character that they stand for, lone ones replacement marks."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fold(text: str) -> str:
    """The text without differences of case, width and accents."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def tokenize(text: str) -> list[Token]:
    """Every token of a text, in order, wholes before their parts."""
    return [token for match in _RUN.finditer(text) for token in _cut(match.group(), match.start())]


def terms(text: str) -> list[str]:
    """The search terms of a text, repeated as often as they occur, without stop words."""
    return [token.term for token in tokenize(text) if not token.stop]


def pairs(text: str) -> list[str]:
    """Ordered neighbours among the search terms; identifiers count by their parts, CJK by bigrams."""
    flat = [token.term for token in tokenize(text) if not token.stop and token.kind in ("word", "part", "bigram")]
    return [f"{first} {second}" for first, second in pairwise(flat)]


def sequence(text: str) -> list[Token]:
    """The folded words of a text in order, unstemmed, for matching a phrase of consecutive words."""
    found = []
    for match in _RUN.finditer(text):
        run, start = match.group(), match.start()
        if _IS_CJK.match(run):
            found += [token for token in _cut_cjk(run, start) if token.kind == "bigram" or len(run) == 1]
        else:
            found += [Token(fold(part.group()), "word", start + part.start(), start + part.end(), False) for part in _PART.finditer(run)]
    return found


def phrase_key(text: str) -> str:
    """The words of a text as one comparable key; empty when it has none."""
    return " ".join(token.term for token in sequence(text))


def _cut(run: str, start: int) -> Iterator[Token]:
    if _IS_CJK.match(run):
        yield from _cut_cjk(run, start)
    elif len(parts := _parts(run)) == 1 and parts[0][1] == run:
        yield _word(run, start, "word")
    else:
        yield Token(fold(run), "whole", start, start + len(run), False)
        if len(parts) > 1:
            for offset, part in parts:
                yield from (token._replace(kind="part") if token.kind == "word" else token for token in _cut(part, start + offset))


def _parts(run: str) -> list[tuple[int, str]]:
    """An identifier one level down, with offsets: at `/ : @`, then at dots, then at hyphens, then at humps of camel case."""
    for separators in _LEVELS:
        if separators.search(run):
            return [(part.start(), part.group()) for part in re.finditer(rf"[^{separators.pattern[1:-1]}]+", run)]
    if run.isascii() and _CAMEL.search(run):
        return [(hump.start(), hump.group()) for hump in _HUMP.finditer(run)]
    return [(part.start(), part.group()) for part in _PART.finditer(run)]


def _cut_cjk(run: str, start: int) -> Iterator[Token]:
    stop_run = run in STOP_WORDS
    for i, character in enumerate(run):
        yield Token(fold(character), "unigram", start + i, start + i + 1, stop_run or character in STOP_WORDS)
        if i + 1 < len(run):
            bigram = run[i : i + 2]
            yield Token(fold(bigram), "bigram", start + i, start + i + 2, stop_run or bigram in STOP_WORDS)


def _word(word: str, start: int, kind: str) -> Token:
    folded = fold(word)
    return Token(_stem(folded), kind, start, start + len(word), folded in STOP_WORDS)


def _stem(word: str) -> str:
    if not word.isascii() or not word.isalpha():
        return word
    stemmer = getattr(_STEMMERS, "english", None)
    if stemmer is None:
        stemmer = _STEMMERS.english = Stemmer.Stemmer("english")  # not safe to share between threads
    return str(stemmer.stemWord(word))
