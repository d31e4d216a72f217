"""The search terms of new chunks counted, joined with those that stay from the former snapshot, and written."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.index.search_terms import FIRST_SHIFT, HEADING, PAIR, TERM_FILES, TEXT, SearchTerms, key_of, parts_of
from engine.knowledge.chunking import Chunk
from engine.text import search_terms, terms

_KINDS = (TEXT, PAIR, HEADING)
_MOST = np.iinfo(np.uint16).max  # of one term in one chunk; BM25 is the same long before


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Parallel columns, one entry for each term of each chunk, ordered by key, then by row."""

    words: list[str]  # sorted; the keys count in it
    keys: np.ndarray  # int64
    rows: np.ndarray  # int32
    counts: np.ndarray  # uint16


class TermCounter:
    """Takes chunks one by one, and counts their terms at the end in one go."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # of the words, in the order in which they were met
        self._met = {kind: array("q") for kind in _KINDS}  # keys that count in it, chunk after chunk
        self._ends = {kind: array("q") for kind in _KINDS}  # where each chunk ends among these

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
        columns = [self._columns(kind, place, rows) for kind in _KINDS]
        keys, in_rows = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        order = np.argsort(keys, kind="stable")  # the rows rise already
        keys, in_rows = keys[order], in_rows[order]
        starts = _starts((keys[1:] != keys[:-1]) | (in_rows[1:] != in_rows[:-1]), len(keys))
        counts = np.minimum(np.diff(np.append(starts, len(keys))), _MOST).astype(np.uint16)
        return TermCounts(words, keys[starts], in_rows[starts], counts)

    def _columns(self, kind: int, place: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Key and row of every occurrence of one kind."""
        _, first, word = parts_of(np.asarray(self._met[kind], dtype=np.int64))
        keys = key_of(kind, place[word], place[first] if kind == PAIR else 0)
        ends = np.asarray(self._ends[kind], dtype=np.int64)
        return keys, np.repeat(rows.astype(np.int32), ends - np.concatenate(([0], ends[:-1])))


def joined(former: SearchTerms, new_rows: np.ndarray, new: TermCounts) -> TermCounts:
    """The counts of a former snapshot with those of new chunks; `new_rows[row]` is the new number of a former row, -1 where it is gone."""
    of_key = np.repeat(np.arange(len(former.keys)), np.diff(former.key_starts))
    rows = new_rows.astype(np.int32)[former.rows]
    stays = rows >= 0
    of_key, rows = of_key[stays], rows[stays]
    used = np.zeros(len(former.keys), dtype=bool)
    used[of_key] = True
    old_words = former.words()
    words = sorted({*new.words, *_words_of(former.keys[used], old_words)})
    index = {word: i for i, word in enumerate(words)}
    old_keys, new_keys = _renumbered(former.keys, old_words, index), _renumbered(new.keys, new.words, index)
    known = np.sort(np.concatenate([old_keys[used], new_keys]))  # a number for each key, so that key and row fit into one
    there, arriving = np.searchsorted(known, old_keys)[of_key] << 32 | rows, np.searchsorted(known, new_keys) << 32 | new.rows
    at = np.searchsorted(there, arriving)
    columns = ((old_keys[of_key], new_keys), (rows, new.rows), (former.counts[stays], new.counts))
    return TermCounts(words, *(np.insert(old, at, added) for old, added in columns))


def _words_of(keys: np.ndarray, words: list[str]) -> set[str]:
    """The words that some keys speak of."""
    kinds, firsts, places = parts_of(keys)
    spoken = np.zeros(len(words), dtype=bool)
    spoken[places] = spoken[firsts[kinds == PAIR]] = True
    return {words[place] for place in np.flatnonzero(spoken).tolist()}


def _renumbered(keys: np.ndarray, words: list[str], index: dict[str, int]) -> np.ndarray:
    """Keys that count in some words, in another vocabulary; the order stays, since both are sorted. Keys of lost words mean nothing."""
    place = np.asarray([index.get(word, 0) for word in words], dtype=np.int64)
    kinds, firsts, places = parts_of(keys)
    return key_of(kinds, place[places], np.where(kinds == PAIR, place[firsts], 0)) if len(keys) else keys


def write_search_terms(folder: Path, counts: TermCounts) -> None:
    """Write the files of the search terms; equal counts give equal files."""
    encoded = [word.encode() for word in counts.words]
    starts = _starts(counts.keys[1:] != counts.keys[:-1], len(counts.keys))
    columns = (
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        counts.keys[starts],
        np.append(starts, len(counts.keys)).astype(np.int64),
        counts.rows.astype(np.int32),
        counts.counts.astype(np.uint16),
    )
    for name, column in zip(TERM_FILES, columns, strict=True):
        np.save(folder / name, column, allow_pickle=False)


def _starts(differs: np.ndarray, count: int) -> np.ndarray:
    """Where the runs of equal entries begin, from where an entry differs from the one before it."""
    return np.flatnonzero(np.concatenate(([True], differs))) if count else np.zeros(0, dtype=np.int64)
