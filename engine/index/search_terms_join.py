"""The search terms of a former snapshot joined with those of new chunks, without counting what stays anew."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.index.search_terms import PAIR, SearchTerms, key_of, parts_of
from engine.index.search_terms_writer import KINDS, Entries, TermCounts, together

_ROW_BITS = 32


def joined(former: SearchTerms, row_now: np.ndarray, new: TermCounts) -> TermCounts:
    """The counts of a former snapshot with those of new chunks; `row_now[row]` is the new number of a former row, -1 where it is gone."""
    moved, old_words = row_now.astype(np.int32), former.words()
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
    return together(words, parts)


def _by_kind(keys: np.ndarray) -> list[slice]:
    """Where the keys of each kind stand."""
    borders = np.searchsorted(keys, [key_of(kind, 0) for kind in KINDS]).tolist()
    return [slice(start, end) for start, end in pairwise([*borders, len(keys)])]


def _staying(former: SearchTerms, keys: slice, moved: np.ndarray) -> Entries:
    """The entries of some keys whose chunk stays, with its new row; the keys by their number in the former snapshot."""
    entries = slice(former.key_starts[keys.start], former.key_starts[keys.stop])
    rows = moved[former.rows[entries]]
    stays = rows >= 0
    numbers = np.repeat(np.arange(keys.start, keys.stop, dtype=np.int32), np.diff(former.key_starts[keys.start : keys.stop + 1]))
    return numbers[stays], rows[stays], former.counts[entries][stays]


def _merged(staying: Entries, old_keys: np.ndarray, new: Entries) -> Entries:
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
