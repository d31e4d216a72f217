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
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import Stemmer

from engine.stop_words import STOP_WORDS

_CJK = "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd"
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
_LETTER = rf"(?:[^\W_{_CJK}]|[{_MARKS}])"
_RUN = re.compile(rf"[{_CJK}]+|{_LETTER}+(?:[-_./:@]{_LETTER}+)*(?:\+\+|#(?!\w))?")
_PART = re.compile(rf"{_LETTER}+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IS_CJK = re.compile(f"[{_CJK}]")
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
        return
    parts = [(part.start(), part.group()) for part in _PART.finditer(run)]
    if len(parts) == 1 and parts[0][1] == run:
        humps = _HUMP.findall(run) if run.isascii() else [run]
        if len([hump for hump in humps if hump.isalpha()]) < 2 or not re.search("[a-z][A-Z]", run):
            yield _word(run, start, "word")
            return
        parts = [(hump.start(), hump.group()) for hump in _HUMP.finditer(run)]
    yield Token(fold(run), "whole", start, start + len(run), False)
    if len(parts) > 1:
        for offset, part in parts:
            yield _word(part, start + offset, "part")


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


class TokenMap(NamedTuple):
    """Where the embedding model's tokens of one text begin, and which of them the model does not know."""

    starts: np.ndarray  # int64 [tokens], characters, rising
    unknown: np.ndarray  # int64 [tokens + 1], how many unknown ones stand before each token

    def count(self, start: int, end: int) -> int:
        """Tokens that begin in `start:end`."""
        first, last = np.searchsorted(self.starts, (start, end))
        return int(last - first)

    def readable(self, start: int, end: int) -> float:
        """Share of the tokens in `start:end` that the model knows; 1.0 where there is none."""
        first, last = np.searchsorted(self.starts, (start, end))
        return 1.0 if first == last else 1.0 - float(self.unknown[last] - self.unknown[first]) / float(last - first)


class Tokenizer(Protocol):
    """How the embedding model counts a text."""

    name: str
    reserved: int  # special tokens that the model adds to every text

    def map(self, text: str) -> TokenMap:
        """The tokens of a text, by position."""
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has, special ones left out."""
        ...


class ModelTokenizer:
    """A `tokenizer.json` of the model, run by the `tokenizers` package."""

    def __init__(self, path: Path, name: str) -> None:
        from tokenizers import Tokenizer as FastTokenizer

        self.name = name
        self._fast = FastTokenizer.from_file(str(path))
        self._fast.no_truncation()
        self._fast.no_padding()
        self.reserved = self._fast.num_special_tokens_to_add(False)
        self._unknown_id = next((i for t in ("[UNK]", "<unk>") if (i := self._fast.token_to_id(t)) is not None), -1)

    def map(self, text: str) -> TokenMap:
        encoding = self._fast.encode(_encodable(text), add_special_tokens=False)
        return _token_map([start for start, _ in encoding.offsets], [token == self._unknown_id for token in encoding.ids])

    def count(self, text: str) -> int:
        return len(self._fast.encode(_encodable(text), add_special_tokens=False).ids)


class WordTokenizer:
    """Words, CJK characters and punctuation marks as tokens; reads everything (for the hash embedder)."""

    name = "words"
    reserved = 0
    _token = re.compile(rf"[{_CJK}]|{_LETTER}+|[^\w\s]|_")

    def map(self, text: str) -> TokenMap:
        starts = [match.start() for match in self._token.finditer(text)]
        return _token_map(starts, [False] * len(starts))

    def count(self, text: str) -> int:
        return sum(1 for _ in self._token.finditer(text))


def _token_map(starts: list[int], unknown: list[bool]) -> TokenMap:
    return TokenMap(np.asarray(starts, dtype=np.int64), np.concatenate(([0], np.cumsum(unknown, dtype=np.int64))))


def _encodable(text: str) -> str:
    """Lone surrogates, which no UTF-8 encoder takes, become replacement marks of the same length."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
