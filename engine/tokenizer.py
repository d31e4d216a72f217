"""How the embedding model counts a text: its own tokenizer without torch, or plain words for the hash embedder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.text import CJK, LETTER


@dataclass(frozen=True, slots=True)
class TokenMap:
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
    _token = re.compile(rf"[{CJK}]|{LETTER}+|[^\w\s]|_")

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
