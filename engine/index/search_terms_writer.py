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

_KINDS = (TEXT, PAIR, HEADING)  # in the order of their keys; each is taken for itself, since a million chunks have a hundred million entries
_ROW_BITS = 32
_MOST = np.iinfo(np.uint16).max  # of one term in one chunk; BM25 is the same long before
_Entries = tuple[np.ndarray, np.ndarray, np.ndarray]  # key, row and count of each, ordered by key, then by row


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
        return _together(words, [self._counted(kind, place, rows.astype(np.int32)) for kind in _KINDS])

    def _counted(self, kind: int, place: np.ndarray, rows: np.ndarray) -> _Entries:
        """The entries of one kind: all occurrences of a term in a chunk are one."""
        _, first, word = parts_of(np.asarray(self._met[kind], dtype=np.int64))
        keys = key_of(kind, place[word], place[first] if kind == PAIR else 0)
        ends = np.asarray(self._ends[kind], dtype=np.int64)
        order = np.argsort(keys, kind="stable")  # the rows rise already
        keys, in_rows = keys[order], np.repeat(rows, ends - np.concatenate(([0], ends[:-1])))[order]
        starts = _starts((keys[1:] != keys[:-1]) | (in_rows[1:] != in_rows[:-1]), len(keys))
        counts = np.minimum(np.diff(np.append(starts, len(keys))), _MOST).astype(np.uint16)
        return keys[starts], in_rows[starts], counts


def joined(former: SearchTerms, new_rows: np.ndarray, new: TermCounts) -> TermCounts:
    """The counts of a former snapshot with those of new chunks; `new_rows[row]` is the new number of a former row, -1 where it is gone."""
    moved, old_words = new_rows.astype(np.int32), former.words()
    used = np.zeros(len(former.keys), dtype=bool)
    for keys in _by_kind(former.keys):
        used[_staying(former, keys, moved)[0]] = True
    words = sorted({*new.words, *_words_of(former.keys[used], old_words)})
    index = {word: i for i, word in enumerate(words)}
    old_keys = _renumbered(former.keys, old_words, index)
    of_new = np.repeat(_renumbered(new.keys, new.words, index), np.diff(new.key_starts))
    parts = [
        _merged(_staying(former, keys, moved), old_keys, (of_new[added], new.rows[added], new.counts[added]))
        for keys, added in zip(_by_kind(former.keys), _by_kind(of_new), strict=True)
    ]
    return _together(words, parts)


def _by_kind(keys: np.ndarray) -> list[slice]:
    """Where the keys of each kind stand."""
    borders = np.searchsorted(keys, [key_of(kind, 0) for kind in _KINDS]).tolist()
    return [slice(start, end) for start, end in pairwise([*borders, len(keys)])]


def _staying(former: SearchTerms, keys: slice, moved: np.ndarray) -> _Entries:
    """The entries of some keys whose chunk stays, with its new row; the keys by their number in the former snapshot."""
    entries = slice(former.key_starts[keys.start], former.key_starts[keys.stop])
    rows = moved[former.rows[entries]]
    stays = rows >= 0
    numbers = np.repeat(np.arange(keys.start, keys.stop, dtype=np.int32), np.diff(former.key_starts[keys.start : keys.stop + 1]))
    return numbers[stays], rows[stays], former.counts[entries][stays]


def _merged(staying: _Entries, old_keys: np.ndarray, new: _Entries) -> _Entries:
    """Former entries, with keys by their number in `old_keys`, and new ones in one order."""
    numbers, *old = staying
    keys, *added = new
    first, last = (int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else (0, 0)
    known = np.sort(np.concatenate([old_keys[first:last], keys]))  # a number for each key, so that key and row fit into one
    there = (np.searchsorted(known, old_keys[first:last]) << _ROW_BITS)[numbers - first] | old[0]
    at = np.searchsorted(there, np.searchsorted(known, keys) << _ROW_BITS | added[0])
    del there
    entry_keys, rows, counts = (np.insert(one, at, other) for one, other in zip((old_keys[numbers], *old), new, strict=True))
    return entry_keys, rows, counts


def _together(words: list[str], parts: Iterable[_Entries]) -> TermCounts:
    """The entries of all kinds, in their order, as columns."""
    keys, rows, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    starts = _starts(keys[1:] != keys[:-1], len(keys))
    return TermCounts(words, keys[starts], np.append(starts, len(keys)).astype(np.int64), rows, counts)


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
    columns = (
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        *(counts.keys, counts.key_starts, counts.rows, counts.counts),
    )
    for name, column in zip(TERM_FILES, columns, strict=True):
        np.save(folder / name, column, allow_pickle=False)


def _starts(differs: np.ndarray, count: int) -> np.ndarray:
    """Where the runs of equal entries begin, from where an entry differs from the one before it."""
    return np.flatnonzero(np.concatenate(([True], differs))) if count else np.zeros(0, dtype=np.int64)
