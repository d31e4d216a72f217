"""Passages that stand twice, or nearly twice.

Two passages are near duplicates when the sets of their runs of three search terms have a Jaccard similarity of at least
0.8. All of them are found without comparing all pairs: of two such sets, ordered by the rarity of their members, some
prefix members are equal (Bayardo, Ma and Srikant 2007).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material

_RUN = 3  # terms
_NUMERATOR, _DENOMINATOR = 4, 5  # the similarity, as whole numbers: no rounding


def duplicate_chunks(material: Material) -> Iterator[Finding]:
    """Each passage that stands twice or nearly twice, with the first one that it repeats."""
    first: dict[str, int] = {}
    copies = {row: earlier for row, chunk in enumerate(material.chunks) if (earlier := first.setdefault(chunk.content, row)) != row}
    yield from (_finding(material, "duplicate_chunk", "", row, earlier) for row, earlier in copies.items())
    originals = list(first.values())
    twins = near_twins([material.terms[row] for row in originals])
    yield from (_finding(material, "near_duplicate_chunk", "nearly ", originals[row], originals[earlier]) for row, earlier in twins.items())


def _finding(material: Material, code: str, nearly: str, row: int, earlier: int) -> Finding:
    chunk, twin = material.chunks[row], material.chunks[earlier]
    return finding(code, chunk.source, chunk.start_line, f"the passage is {nearly}the one at {twin.source}:{twin.start_line}")


def near_twins(texts: Sequence[Sequence[str]]) -> dict[int, int]:
    """Each text that has an earlier near duplicate, with the earliest."""
    sets = _ordered_sets(texts)
    posted: dict[int, list[int]] = {}  # rows by the members of their prefixes, rising
    twins = {}
    for row, members in enumerate(sets):
        size = len(members)
        prefix = sorted(members)[: size - -(-_NUMERATOR * size // _DENOMINATOR) + 1] if size else []
        seen = -1
        for earlier in heapq.merge(*(posted.get(member, ()) for member in prefix)):
            if earlier != seen and _is_near(sets[earlier], members):
                twins[row] = earlier
                break
            seen = earlier
        for member in prefix:
            posted.setdefault(member, []).append(row)
    return twins


def _is_near(one: frozenset[int], other: frozenset[int]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    if smaller * _DENOMINATOR < larger * _NUMERATOR:
        return False
    shared = len(one & other)
    return shared * _DENOMINATOR >= (smaller + larger - shared) * _NUMERATOR


def _ordered_sets(texts: Sequence[Sequence[str]]) -> list[frozenset[int]]:
    """The runs of each text as numbers, the rarest run of all texts the smallest."""
    runs = [{" ".join(text[at : at + _RUN]) for at in range(len(text) - _RUN + 1)} for text in texts]
    frequency = Counter(run for those in runs for run in those)
    number = {run: at for at, run in enumerate(sorted(frequency, key=lambda run: (frequency[run], run)))}
    return [frozenset(number[run] for run in those) for those in runs]
