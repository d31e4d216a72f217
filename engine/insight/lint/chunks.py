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
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.insight.lint.text import is_placeholder

_MOST_NAMED = 3  # places in one message
_RUN = 3  # terms
_NUMERATOR, _DENOMINATOR = 4, 5  # the similarity, as whole numbers: no rounding


def duplicate_chunks(material: Material) -> Iterator[Finding]:
    """Each passage that stands twice or nearly twice, at its first place, with the others; unwritten ones are a fault of their own."""
    places: dict[str, list[int]] = {}
    for row, chunk in enumerate(material.chunks):
        if not is_placeholder(chunk.content):
            places.setdefault(chunk.content, []).append(row)
    yield from (_finding(material, "duplicate_chunk", "stands", rows) for rows in places.values() if len(rows) > 1)
    originals = [rows[0] for rows in places.values()]
    groups: dict[int, list[int]] = {}
    for row, earlier in near_twins([material.terms[row] for row in originals]).items():
        groups.setdefault(originals[earlier], [originals[earlier]]).append(originals[row])
    yield from (_finding(material, "near_duplicate_chunk", "stands nearly the same", rows) for rows in groups.values())


def _finding(material: Material, code: str, stands: str, rows: Sequence[int]) -> Finding:
    first, *others = (material.chunks[row] for row in rows)
    named = ", ".join(f"{chunk.source}:{chunk.start_line}" for chunk in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more places" if len(others) > _MOST_NAMED else ""
    return finding(code, first.source, first.start_line, f"the passage {stands} at {named}{more}, too")


def near_twins(texts: Sequence[Sequence[str]]) -> dict[int, int]:
    """Each text that has an earlier near duplicate, with the earliest."""
    sets = _ordered_sets(texts)
    posted: dict[int, dict[tuple[int, int], list[int]]] = {}  # by member of a prefix, then by size of the set and place in it: rows, rising
    twins = {}
    for row, members in enumerate(sets):
        size = len(members)
        prefix = sorted(members)[: size - -(-_NUMERATOR * size // _DENOMINATOR) + 1] if size else []
        alike = [
            rows
            for place, member in enumerate(prefix)
            for (other_size, other_place), rows in posted.get(member, {}).items()
            if _may_be_near(size, place, other_size, other_place)
        ]
        seen = -1
        for earlier in heapq.merge(*alike):
            if earlier != seen and _is_near(sets[earlier], members):
                twins[row] = earlier
                break
            seen = earlier
        for place, member in enumerate(prefix):
            posted.setdefault(member, {}).setdefault((size, place), []).append(row)
    return twins


def _may_be_near(size: int, place: int, other_size: int, other_place: int) -> bool:
    """Whether two sets whose first common member stands at these places can share enough (Xiao et al. 2008, positional filter)."""
    most_shared = min(size - place, other_size - other_place)
    return most_shared * (_NUMERATOR + _DENOMINATOR) >= (size + other_size) * _NUMERATOR


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
