"""The one tokeniser, used for documents and queries alike.

Latin words are folded and stemmed; identifiers (`foo-bar`, `a/b`, `ERR_SSL_4711`, `v1.31.2`, `KubePodCrashLooping`, `C++`, `R&D`)
are kept whole and split; scripts without spaces (CJK) give bigrams and unigrams. Width, hyphens of any kind and marks that
nobody sees make no difference, so a text gives the same terms before and after it is cleaned.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import Stemmer

from engine.plain_text import fold, places_of_plain, plain
from engine.stop_words import CHINESE, LISTS_OF

CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd"
)
_MARKS = (  # vowel signs and accents that Python does not count as letters
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
LETTER = rf"(?:[^\W_{CJK}]|[{_MARKS}])"
_LETTERS = rf"(?:[A-Za-z0-9]++|{LETTER})++"  # nearly all letters are ASCII, and a set of those alone is found at once
_RUN = re.compile(rf"{_LETTERS}(?:(?:::|[-_./:@&]){_LETTERS})*(?:\+\+|#(?!\w))?|[{CJK}]+")
_PART = re.compile(rf"{LETTER}+")
_NAMED_PART = re.compile(rf"{LETTER}+(?:\+\+|#(?!\w))?")  # `C++` and `C#` are other words than `C`
_LEVELS = (re.compile("[^/:@&]+"), re.compile("[^.]+"), re.compile("[^-_]+"))
_CAMEL = re.compile("[a-z][A-Z]|[0-9][A-Z][a-z]|[A-Z]{2}[a-z]{2}")  # not the plural of an acronym, "PDFs"
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IS_CJK = re.compile(f"[{CJK}]")
_STOP_RUN = re.compile(f"(?:{'|'.join(sorted(CHINESE, key=len, reverse=True))})++")  # nothing but stop words, such as "what is this" in Chinese
_REMEMBERED = 40  # characters; a longer run is no word that comes back
_STEMMERS = threading.local()


class Token(NamedTuple):
    """A piece of a text: what is searched for, how it was cut, and where it stands."""

    term: str
    kind: str  # word, whole (an identifier), part (of an identifier), bigram, unigram
    start: int
    end: int
    stop_lists: tuple[str, ...] = ()  # the lists that drop it; none: it is searched for

    @property
    def stop(self) -> bool:
        """Whether a list of stop words drops it."""
        return bool(self.stop_lists)


def tokenize(text: str) -> list[Token]:
    """Every token of a text, in order, wholes before their parts."""
    return _placed(_tokens(plain(text)), text)


def terms(text: str) -> list[str]:
    """The search terms of a text, repeated as often as they occur, without stop words."""
    return search_terms(text)[0]


def pairs(text: str) -> list[str]:
    """Ordered neighbours among the search terms; identifiers count by their parts, CJK by bigrams."""
    return [f"{first} {second}" for first, second in pairwise(search_terms(text)[1])]


def search_terms(text: str) -> tuple[list[str], list[str]]:
    """The terms of a text, and those of them of which neighbours are a pair, in one pass."""
    found: list[str] = []
    paired: list[str] = []
    for run in _RUN.findall(plain(text)):
        kept, in_pairs = _known_terms(run) if len(run) <= _REMEMBERED else _terms(run)
        found += kept
        paired += in_pairs
    return found, paired


def sequence(text: str) -> list[Token]:
    """The folded words of a text in order, unstemmed, for matching a phrase of consecutive words."""
    return _placed(_sequence(plain(text)), text)


def phrase_key(text: str) -> str:
    """The words of a text as one comparable key; empty when it has none."""
    return " ".join(token.term for token in _sequence(plain(text)))


def whole_term(name: str) -> str:
    """The search term of a name that is kept whole."""
    return _stem(fold(name))


def _tokens(text: str) -> Iterator[Token]:
    for match in _RUN.finditer(text):
        yield from _cut(match.group(), match.start())


@lru_cache(maxsize=1 << 15)  # most of any text are the same few thousand runs
def _known_terms(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _terms(run)


def _terms(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    kept = [token for token in _cut(run, 0) if not token.stop_lists]
    return tuple(token.term for token in kept), tuple(token.term for token in kept if token.kind in ("word", "part", "bigram"))


def _sequence(text: str) -> Iterator[Token]:
    for match in _RUN.finditer(text):
        run, start = match.group(), match.start()
        if _IS_CJK.match(run):
            yield from (token for token in _cut_cjk(run, start) if token.kind == "bigram" or len(run) == 1)
        else:
            yield from (Token(fold(part.group()), "word", start + part.start(), start + part.end()) for part in _NAMED_PART.finditer(run))


def _placed(tokens: Iterable[Token], text: str) -> list[Token]:
    """Tokens of the plain form with their offsets in the text as it was given."""
    if text.isascii() or plain(text) == text:
        return list(tokens)
    places = places_of_plain(text)
    return [token._replace(start=places[token.start][0], end=places[token.end - 1][1]) for token in tokens]


def _cut(run: str, start: int, kind: str = "word") -> Iterator[Token]:
    if _IS_CJK.match(run):
        yield from _cut_cjk(run, start)
    elif len(parts := _parts(run)) == 1 and parts[0][1] == run:
        yield _word(run, start, kind)
    else:
        yield Token(whole_term(run), "whole", start, start + len(run))
        if len(parts) > 1:
            for offset, part in parts:
                yield from _cut(part, start + offset, "part")


def _parts(run: str) -> list[tuple[int, str]]:
    """An identifier one level down, with offsets: at `/ : @`, then at dots, then at hyphens, then at humps of camel case."""
    if not run.isalnum():
        for level in _LEVELS:
            if len(parts := [(part.start(), part.group()) for part in level.finditer(run)]) > 1:
                return parts
    if run.isascii() and _CAMEL.search(run):
        return [(hump.start(), hump.group()) for hump in _HUMP.finditer(run)]
    return [(part.start(), part.group()) for part in _PART.finditer(run)]


def _cut_cjk(run: str, start: int) -> Iterator[Token]:
    dropped = ("chinese",) if _STOP_RUN.fullmatch(run) else ()
    for i, character in enumerate(run):
        yield Token(fold(character), "unigram", start + i, start + i + 1, dropped or LISTS_OF.get(character, ()))
        if i + 1 < len(run):
            bigram = run[i : i + 2]
            yield Token(fold(bigram), "bigram", start + i, start + i + 2, dropped or LISTS_OF.get(bigram, ()))


def _word(word: str, start: int, kind: str) -> Token:
    folded = fold(word)
    return Token(_stem(folded), kind, start, start + len(word), LISTS_OF.get(folded, ()))


def _stem(word: str) -> str:
    if not word.isascii() or not word.isalpha():
        return word
    stemmer = getattr(_STEMMERS, "english", None)
    if stemmer is None:
        stemmer = _STEMMERS.english = Stemmer.Stemmer("english")  # not safe to share between threads
    return str(stemmer.stemWord(word))
