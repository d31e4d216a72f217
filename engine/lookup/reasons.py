"""Why a block is evidence, as sentences that both the result and the packed context carry."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts.codes import AttemptName
from engine.lookup.rerank import Ranked
from engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Reason:
    """One hit reason; points are millionths."""

    code: str
    text: str
    points: int


def hit_reasons(best: Ranked, by_code: bool, found_by: AttemptName, category: str | None, settings: Settings) -> tuple[Reason, ...]:
    """The parts of the score, the floor waived for any of its chunks, and the way through the L0 filter; `category` is what L0 chose, if anything."""
    reasons = [Reason(part.code, part.reason, part.points) for part in best.parts]
    if by_code:
        text = f"has every error code of the question; by its similarity alone it would be no evidence (floor {settings.evidence_floor})"
        reasons.append(Reason("exact_terms", text, 0))
    if category is not None and found_by is AttemptName.FILTERED:
        reasons.append(Reason("filter", f"inside the category {category}, which L0 chose", 0))
    elif category is not None:
        filed = ", ".join(best.candidate.record.categories) or "no category"
        reasons.append(Reason("fallback", f"from the retry without the L0 filter; filed under {filed}", 0))
    return tuple(reasons)
