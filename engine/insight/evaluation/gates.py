"""Demands on measures, as in `nDCG@10>=0.80`."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.contracts.evaluation import EvaluationRun, Gate
from engine.contracts.reports import Case
from engine.errors import BadInput
from engine.insight.evaluation.measures import MEASURES, applies

_FORM = re.compile(r"\s*([^\s<>=]+)\s*(>=|<=|>|<)\s*([0-9.]+)\s*")
_HOLDS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Demand:
    """A measure, an operator and a number."""

    written: str
    measure: str
    relation: str
    bound: float


def read_demands(written: Sequence[str]) -> tuple[Demand, ...]:
    """What gates demand, before anything is measured. Raises BadInput."""
    return tuple(map(_demand, written))


def _demand(written: str) -> Demand:
    parts = _FORM.fullmatch(written)
    bound = _number(parts[3]) if parts else None
    if parts is None or bound is None:
        raise BadInput(f"gate {written!r} is no demand; write MEASURE, one of >=, >, <= and <, and a number from 0 to 1, as in nDCG@10>=0.80")
    if parts[1] not in MEASURES:
        near = difflib.get_close_matches(parts[1].lower(), [name.lower() for name in MEASURES], n=1)
        meant = next((f"did you mean {name}? " for name in MEASURES if [name.lower()] == near), "")
        raise BadInput(f"gate {written!r}: there is no measure {parts[1]}; {meant}known are {', '.join(MEASURES)}")
    return Demand(written.strip(), parts[1], parts[2], bound)


def _number(written: str) -> float | None:
    try:
        bound = float(written)
    except ValueError:
        return None
    return bound if 0 <= bound <= 1 else None


def require_judgeable(demands: Sequence[Demand], cases: Sequence[Case]) -> None:
    """Look, before anything is asked, that some question says something of each measure. Raises BadInput."""
    _require_measured(demands, [measure for measure in MEASURES if any(applies(measure, case) for case in cases)])


def _require_measured(demands: Sequence[Demand], measured: Collection[str]) -> None:
    unmeasured = next((one for one in demands if one.measure not in measured), None)
    if unmeasured:
        known = ", ".join(measured)
        raise BadInput(f"gate {unmeasured.written!r} cannot be judged: no question measures {unmeasured.measure}; measured are {known}")


def held_against(run: EvaluationRun, demands: Sequence[Demand]) -> tuple[Gate, ...]:
    """Each demand with what was measured. Raises BadInput where no question says anything of a measure, which is no pass."""
    _require_measured(demands, run.estimates)
    measured = [(demand, run.estimates[demand.measure].mean) for demand in demands]
    return tuple(Gate(demand=one.written, measured=mean, passed=_HOLDS[one.relation](mean, one.bound)) for one, mean in measured)
