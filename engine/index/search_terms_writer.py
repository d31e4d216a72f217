"""The search terms of new chunks counted, and the files of all of them written."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.index.search_terms import FIRST_SHIFT, HEADING, PAIR, TERM_FILES, TEXT, key_of, parts_of
from engine.knowledge.chunking import Chunk
from engine.text import search_terms, terms

KINDS = (TEXT, PAIR, HEADING)  # in the order of their keys; each is taken for itself, since a million chunks have a hundred million entries
_MOST = np.iinfo(np.uint16).max  # of one term in one chunk; BM25 is the same long before
Entries = tuple[np.ndarray, np.ndarray, np.ndarray]  # key, row and count of each, ordered by key, then by row


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The columns of `SearchTerms` in memory."""

    words: list[str]  # sorted; the keys count in it
    keys: np.ndarray  # int64, each once, rising
    key_starts: np.ndarray  # int64 [keys + 1], where the entries of each begin
    rows: np.ndarray  # int32
    counts: np.ndarray  # uint16


class TermCounter:
    """Takes chunks one by one, and counts their terms at the end in one go."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # of the words, in the order in which they were met
        self._met = {kind: array("q") for kind in KINDS}  # keys that count in it, chunk after chunk
        self._ends = {kind: array("q") for kind in KINDS}  # where each chunk ends among these

    def add(self, chunk: Chunk) -> tuple[int, int]:
        """Take a chunk; how many terms and how many pairs it has."""
        text, ordered = search_terms(chunk.embedded_text)
        self._note(TEXT, self._numbers(text))
        self._note(HEADING, self._numbers(terms(chunk.breadcrumb)))
        self._note(PAIR, (first << FIRST_SHIFT | second for first, second in pairwise(self._numbers(ordered))))
        return len(text), max(len(ordered) - 1, 0)

    def _numbers(self, words: Iterable[str]) -> list[int]:
        places = self._places
        return [places.setdefault(word, len(places)) for word in words]

    def _note(self, kind: int, keys: Iterable[int]) -> None:
        self._met[kind].extend(keys)
        self._ends[kind].append(len(self._met[kind]))

    def counted(self, rows: np.ndarray) -> TermCounts:
        """The counts of all chunks; `rows` are the rising row numbers that they have in the snapshot."""
        words = sorted(self._places)
        place = np.empty(len(words), dtype=np.int64)
        place[[self._places[word] for word in words]] = np.arange(len(words))
        return together(words, [self._counted(kind, place, rows.astype(np.int32)) for kind in KINDS])

    def _counted(self, kind: int, place: np.ndarray, rows: np.ndarray) -> Entries:
        """The entries of one kind: all occurrences of a term in a chunk are one."""
        _, first, word = parts_of(np.asarray(self._met[kind], dtype=np.int64))
        keys = key_of(kind, place[word], place[first] if kind == PAIR else 0)
        ends = np.asarray(self._ends[kind], dtype=np.int64)
        order = np.argsort(keys, kind="stable")  # the rows rise already
        keys, in_rows = keys[order], np.repeat(rows, ends - np.concatenate(([0], ends[:-1])))[order]
        starts = _starts((keys[1:] != keys[:-1]) | (in_rows[1:] != in_rows[:-1]), len(keys))
        counts = np.minimum(np.diff(np.append(starts, len(keys))), _MOST).astype(np.uint16)
        return keys[starts], in_rows[starts], counts


def together(words: list[str], parts: Iterable[Entries]) -> TermCounts:
    """The entries of all kinds, in their order, as columns."""
    keys, rows, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    starts = _starts(keys[1:] != keys[:-1], len(keys))
    return TermCounts(words, keys[starts], np.append(starts, len(keys)).astype(np.int64), rows, counts)


def write_search_terms(folder: Path, counts: TermCounts) -> None:
    """Write the files of the search terms; equal counts give equal files."""
    encoded = [word.encode() for word in counts.words]
    columns: tuple[np.ndarray, ...] = (
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        *(counts.keys, counts.key_starts, counts.rows, counts.counts),
    )
    for name, column in zip(TERM_FILES, columns, strict=True):
        np.save(folder / name, column, allow_pickle=False)


def _starts(differs: np.ndarray, count: int) -> np.ndarray:
    """Where the runs of equal entries begin, from where an entry differs from the one before it."""
    return np.flatnonzero(np.concatenate(([True], differs))) if count else np.zeros(0, dtype=np.int64)
