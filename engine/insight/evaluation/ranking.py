"""The ranking of a golden question and its measures, as `ir_measures` computes them.

A candidate stands for every expected target that it satisfies, else for itself at the depth of the finest expected target, so that
three chunks of one document take one place where a document is asked for. The first candidate of each decides its place. Gain is 1
for an expected target and 0 for the rest; a target that is no candidate is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.contracts.evaluation import RANKED
from engine.insight.evaluation.targets import Place, Target


def ranking(places: Iterable[Place], expected: Sequence[Target]) -> list[tuple[str, ...]]:
    """The distinct units in the order of the candidates; an expected target is its `target_unit`."""
    depth = max((target.depth for target in expected), default=1)
    units: dict[tuple[str, ...], None] = {}
    for place in places:
        satisfied = [target_unit(target) for target in expected if target.holds(place)]
        units.update(dict.fromkeys(satisfied or [place.unit(depth)]))
    return list(units)


def target_unit(target: Target) -> tuple[str, ...]:
    """The unit of an expected target, which no chunk has."""
    return ("", target.written)


def first_rank(ranked: Sequence[tuple[str, ...]], expected: Sequence[Target]) -> int | None:
    """Place of the first expected target, 1 is best."""
    wanted = {target_unit(target) for target in expected}
    return next((rank for rank, unit in enumerate(ranked, start=1) if unit in wanted), None)


def ranked_measures(rankings: Sequence[Sequence[tuple[str, ...]]], expected: Sequence[Sequence[Target]]) -> list[dict[str, float]]:
    """The measures in RANKED of each ranking, six decimals; none where nothing is expected."""
    import ir_measures

    asked = {str(at): targets for at, targets in enumerate(expected) if targets}
    relevant = {key: {f"target {at}": 1 for at in range(len(targets))} for key, targets in asked.items()}
    run = {key: _scored(rankings[int(key)], targets) for key, targets in asked.items()}
    values: list[dict[str, float]] = [{} for _ in expected]
    for one in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in RANKED], relevant, run) if asked else ():
        values[int(one.query_id)][str(one.measure)] = round(one.value, 6)
    return [{name: found[name] for name in RANKED if name in found} for found in values]


def _scored(ranked: Sequence[tuple[str, ...]], targets: Sequence[Target]) -> dict[str, float]:
    """Falling scores by name; the names are numbers, so that no path can trouble the measuring library."""
    numbers = {target_unit(target): at for at, target in enumerate(targets)}
    return {f"target {numbers[unit]}" if unit in numbers else f"other {rank}": float(-rank) for rank, unit in enumerate(ranked)}
