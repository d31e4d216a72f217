"""How the embedding model counts a text: its own tokenizer without torch, or plain words for the hash embedder."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.plain_text import valid_unicode
from engine.text import CJK, LETTER

_LONGEST = 64  # characters; a vocabulary has one token for any longer word, so that a megabyte would count as 1
_CHARACTERS = 4  # of such a word per token, about what a vocabulary takes apart


@dataclass(frozen=True, slots=True)
class TokenMap:
    """Where the embedding model's tokens of one text begin, and which of them the model does not know."""

    starts: np.ndarray  # int64 [tokens], characters, rising
    unknown: np.ndarray  # int64 [tokens + 1], how many unknown ones stand before each token

    def readable(self, start: int, end: int) -> float:
        """Share of the tokens in `start:end` that the model knows; 1.0 where there is none."""
        first, last = np.searchsorted(self.starts, (start, end))
        return 1.0 if first == last else 1.0 - float(self.unknown[last] - self.unknown[first]) / float(last - first)


class Tokenizer(Protocol):
    """How the embedding model counts a text."""

    name: str
    reserved: int  # special tokens that the model adds to every text
    parts_marks: bool  # whether every punctuation mark and CJK character is a token of its own

    def map(self, text: str) -> TokenMap:
        """The tokens of a text, by position."""
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has, special ones left out."""
        return len(self.map(text).starts)


class ModelTokenizer(Tokenizer):
    """A `tokenizer.json` of the model, run by the `tokenizers` package."""

    def __init__(self, path: Path, name: str) -> None:
        from tokenizers import Tokenizer as FastTokenizer

        self.name = name
        self._fast = FastTokenizer.from_file(str(path))
        self._fast.no_truncation()
        self._fast.no_padding()
        self.reserved = self._fast.num_special_tokens_to_add(False)
        self.parts_marks = json.loads(path.read_bytes()).get("pre_tokenizer", {}).get("type") == "BertPreTokenizer"
        self._unknown_id = next((i for t in ("[UNK]", "<unk>") if (i := self._fast.token_to_id(t)) is not None), -1)

    def map(self, text: str) -> TokenMap:
        encoding = self._fast.encode(valid_unicode(text), add_special_tokens=False)
        ids = encoding.ids
        return _token_map(text, encoding.offsets, [token == self._unknown_id for token in ids] if self._unknown_id in ids else None)

    def count(self, text: str) -> int:
        if len(text) > _LONGEST:
            return len(self.map(text).starts)
        return len(self._fast.encode(valid_unicode(text), add_special_tokens=False))  # nothing is too long: the places need not be read


class WordTokenizer(Tokenizer):
    """Words, CJK characters and punctuation marks as tokens; reads everything (for the hash embedder)."""

    name = "words"
    reserved = 0
    parts_marks = True
    _token = re.compile(rf"[{CJK}]|{LETTER}+|[^\w\s]|_")

    def map(self, text: str) -> TokenMap:
        return _token_map(text, [match.span() for match in self._token.finditer(text)], None)


def _token_map(text: str, spans: list[tuple[int, int]], unknown: list[bool] | None) -> TokenMap:
    """The map of some tokens; words too long for any vocabulary and long white space count by their length."""
    edges = np.fromiter(chain.from_iterable(spans), dtype=np.int64, count=2 * len(spans))
    starts, ends = edges[::2], edges[1::2]
    flags = np.zeros(len(starts), dtype=np.int64) if unknown is None else np.asarray(unknown, dtype=np.int64)
    if len(text) > _LONGEST:
        gaps = np.append(starts, len(text)) - np.insert(ends, 0, 0)
        if (ends - starts).max(initial=0) > _LONGEST or gaps.max() > _LONGEST:
            starts, flags = _with_long_stretches(starts, ends, gaps, flags)
    return TokenMap(starts, np.concatenate(([0], np.cumsum(flags))))


def _with_long_stretches(starts: np.ndarray, ends: np.ndarray, gaps: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """More token starts inside of long words, as unknown as the word, and inside of long white space."""
    long = ends - starts > _LONGEST
    words = [np.arange(start + _CHARACTERS, end, _CHARACTERS) for start, end in zip(starts[long], ends[long], strict=True)]
    word_flags = [np.full(len(more), flag) for more, flag in zip(words, flags[long], strict=True)]
    spaces = [np.arange(end + _LONGEST, end + gap, _LONGEST) for end, gap in zip(np.insert(ends, 0, 0), gaps, strict=True) if gap > _LONGEST]
    all_starts = np.concatenate([starts, *words, *spaces])
    all_flags = np.concatenate([flags, *word_flags, np.zeros(sum(map(len, spaces)), dtype=np.int64)])
    order = np.argsort(all_starts, kind="stable")
    return all_starts[order], all_flags[order]
