"""Which chunk has which search term how often: a sparse matrix in mapped files, ordered by term.

The rules ask for a hundred chunks and a few words at a time, which is an array's work: a term is found by binary search among
the sorted words, and its chunks lie next to each other in rising order. A word is its place in the vocabulary, a pair is two of
these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.index.damage import failure_to_read

TEXT, PAIR, HEADING = 0, 1, 2  # what a term was taken from
_KIND_SHIFT, FIRST_SHIFT = 60, 30  # a key: two bits of kind, thirty for the first word of a pair, thirty for the word or the second
TERM_FILES = tuple(f"terms-{part}.npy" for part in ("letters", "words", "keys", "starts", "rows", "counts"))


def key_of(kind: np.ndarray | int, word: np.ndarray | int, first: np.ndarray | int = 0) -> np.ndarray:
    """The keys of words, or of pairs: int64, ordered by kind, then by the words."""
    kinds, firsts, words = (np.asarray(part, dtype=np.int64) for part in (kind, first, word))
    return np.asarray((kinds << _KIND_SHIFT) | (firsts << FIRST_SHIFT) | words)


def parts_of(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Kind, first word of a pair (else 0), and word of each key."""
    low = (1 << FIRST_SHIFT) - 1
    return keys >> _KIND_SHIFT, (keys >> FIRST_SHIFT) & low, keys & low


class SearchTerms:
    """The terms of a snapshot, opened for reading; threads may share it."""

    def __init__(self, folder: Path) -> None:
        try:
            arrays = [np.asarray(np.load(folder / name, mmap_mode="r", allow_pickle=False)) for name in TERM_FILES]
        except (OSError, ValueError, EOFError) as failure:
            raise failure_to_read("the search terms", failure) from failure
        self._letters, self._word_starts, self.keys, self.key_starts, self.rows, self.counts = arrays

    def words(self) -> list[str]:
        """The whole vocabulary, sorted."""
        letters, starts = self._letters.tobytes(), self._word_starts.tolist()
        return [letters[start:end].decode() for start, end in pairwise(starts)]

    def frequencies(self, kind: int, searched: Iterable[str]) -> dict[str, int]:
        """In how many chunks each term stands; unknown terms are left out."""
        return {term: end - start for term, start, end in self._places(kind, searched)}

    def counts_in(self, kind: int, searched: Iterable[str], rows: Sequence[int]) -> dict[int, dict[str, int]]:
        """For each of some rows, how often it has each of the terms."""
        wanted = np.unique(np.asarray(rows, dtype=np.int32))
        found: dict[int, dict[str, int]] = {row: {} for row in rows}
        for term, start, end in self._places(kind, searched):
            having = self.rows[start:end]
            places = np.searchsorted(having, wanted)
            present = places < len(having)
            present[present] = having[places[present]] == wanted[present]
            for row, count in zip(wanted[present].tolist(), self.counts[start:end][places[present]].tolist(), strict=True):
                found[row][term] = count
        return found

    def postings(self, kind: int, searched: Iterable[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Each known one of some terms, with the rows that have it, rising, and how often each has it."""
        for term, start, end in self._places(kind, searched):
            yield term, self.rows[start:end], self.counts[start:end]

    def rows_with_all(self, searched: Sequence[str]) -> np.ndarray:
        """The rows that have every one of some words, rising; none where a word is unknown."""
        having = sorted((rows for _, rows, _ in self.postings(TEXT, searched)), key=len)  # the rarest first
        if not having or len(having) < len(set(searched)):
            return np.zeros(0, dtype=np.int32)
        return reduce(lambda some, others: np.intersect1d(some, others, assume_unique=True), having)

    def _places(self, kind: int, searched: Iterable[str]) -> list[tuple[str, int, int]]:
        """The known ones of some terms, each with where its chunks begin and end."""
        places = []
        for term in dict.fromkeys(searched):
            words = [self._word(word) for word in (term.split(" ") if kind == PAIR else [term])]
            known = [word for word in words if word is not None]
            if len(known) < len(words):
                continue
            key = key_of(kind, *reversed(known))
            at = int(np.searchsorted(self.keys, key))
            if at < len(self.keys) and self.keys[at] == key:
                places.append((term, int(self.key_starts[at]), int(self.key_starts[at + 1])))
        return places

    def _word(self, word: str) -> int | None:
        """The place of a word in the vocabulary."""
        wanted = word.encode()
        low, high = 0, len(self._word_starts) - 1
        while low < high:
            middle = (low + high) // 2
            if self._letters_of(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._word_starts) - 1 and self._letters_of(low) == wanted else None

    def _letters_of(self, place: int) -> bytes:
        return self._letters[self._word_starts[place] : self._word_starts[place + 1]].tobytes()
