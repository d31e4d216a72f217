"""Public reports about thresholds, retold on the real engine with the hash embedder; each number is the case's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.contracts.codes import AttemptName, DropCode, ReasonCode
from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import CandidateTrace
from tests.cases.lamps import LAMP, LAMPS, entries
from tests.cases.legs import EVERY_LEG
from tests.knowledge_base import Bench, document, open_bench, open_engine

STRICT = dict.fromkeys(("evidence_floor", "reference_threshold", "medium_threshold", "high_threshold"), 0.99)
HEAVY = {"lexical": 5.0, "phrase": 5.0, "title": 5.0, "hint": 5.0, "document_words": 5.0, "category": 5.0}


@EVERY_LEG
@pytest.mark.parametrize("weights", [{}, HEAVY], ids=["usual weights", "heavy weights"])
@pytest.mark.parametrize("scope", [None, ["source=signals/lamp.md"], ["category=signals"], ["category!=gates"]], ids=repr)
def test_case_27_nothing_below_a_floor_of_099_passes_by_any_leg(
    tmp_path: Path, leg: dict[str, Any], scope: list[str] | None, weights: dict[str, float]
) -> None:
    """anything-llm#4080 and #3076, khora#1425, ragflow#7877: keyword hits and the hits of a chosen document went round the threshold."""
    with open_engine(tmp_path, LAMPS, **STRICT, exact_terms_waive_floor=False, rule_weights=weights, **leg) as engine:
        result = engine.lookup_knowledge(LAMP, scope=scope)
    hints = result.retrieval_trace.hints
    assert "signal lamp" in {match.text for match in hints.matched_keywords} and hints.entity_terms[0].known
    assert (result.found, result.reason_code, result.context_pack.text) == (False, ReasonCode.BELOW_FLOOR, "")
    assert entries(result)["signals/lamp.md"].score > 0.99 > entries(result)["signals/lamp.md"].base_score > 0.5
    assert {one.code for attempt in result.retrieval_trace.attempts for one in attempt.candidates} == {"below_floor"}


@EVERY_LEG
def test_case_27_what_reaches_a_floor_of_099_passes_alone(tmp_path: Path, leg: dict[str, Any]) -> None:
    files = {**LAMPS, "signals/same.md": "# Signal lamp\n\nSignal lamp.\n"}
    with open_engine(tmp_path, files, **STRICT, exact_terms_waive_floor=False, rule_weights=HEAVY, **leg) as engine:
        result = engine.lookup_knowledge("signal lamp")
    assert [(block.source, block.similarity) for block in result.evidence_blocks] == [("signals/same.md", 1)]


SERVICES = {
    "pumps/oil.md": document("# Oil pump\n\nOil the pump weekly.\n\n## Valve\n\nTurn the valve of the pump.\n", keywords=["pressure valve"]),
    "pumps/air.md": "# Air pump\n\nThe pressure of the air pump is nine bar.\n\n## Filter\n\nThe filter of the pump is cleaned.\n",
    "boilers/steam.md": "# Steam\n\nThe pressure valve of the boiler opens at nine bar.\n",
    "boilers/copy.md": "# Steam boiler\n\nThe pressure valve of the boiler opens at nine bar.\n",
    "boilers/code.md": "# Codes\n\nERR-4711 is the pressure of the boiler.\n",
    "office.md": "# Office\n\nCoffee is in the kitchen of the office.\n",
    "long.md": "# Long\n\n"
    + "\n\n".join(f"The pressure valve {'of the pump ' * (i % 4)}is read every {i} hours by the guard of the hall." for i in range(24)),
}
QUESTIONS = {  # with the attempt that is selected
    "oil of the pump, pressure valve of the pump": AttemptName.FILTERED,
    "pressure valve of the boiler, ERR-4711": AttemptName.UNFILTERED,  # the filtered attempt is worse
    "pressure in the pump": AttemptName.UNFILTERED,  # no L0 entry
    "the guard who reads the pressure valve of the pump every 7 hours": AttemptName.UNFILTERED,
}
FLOORS = st.one_of(st.floats(0, 1), st.integers(0, 20).map(lambda twentieth: twentieth / 20))


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Few documents, with neighbours to merge, a copy to drop, an error code and a category that L0 chooses."""
    return open_bench(tmp_path_factory.mktemp("services"), SERVICES, chunk_tokens=32, exact_terms_waive_floor=False)


def with_floor(kb: Bench, query: str, floor: float, reference: float, **changes: Any) -> LookupResult:
    """A lookup in which the floor alone differs; the thresholds above it stay where they are."""
    fixed = {"reference_threshold": reference, "medium_threshold": 1, "high_threshold": 1, "trace_candidates": 200}
    return kb.look_up(query, None, evidence_floor=floor, **fixed, **changes)


def shown(result: LookupResult) -> dict[str, CandidateTrace]:
    """The candidates of the attempt that was selected, or the last, by chunk id."""
    attempts = result.retrieval_trace.attempts
    selected = [attempt for attempt in attempts if attempt.name == result.retrieval_trace.selected_attempt]
    return {one.chunk_id: one for one in (selected or attempts)[-1].candidates}


def passages(result: LookupResult) -> set[str]:
    """The chunk ids of all evidence."""
    return {chunk_id for block in result.evidence_blocks for chunk_id in block.chunk_ids}


@EVERY_LEG
@pytest.mark.parametrize("reference", [1.0, 0.5])
@pytest.mark.parametrize("places", [50, 2])
@given(query=st.sampled_from(sorted(QUESTIONS)), pair=st.tuples(FLOORS, FLOORS))
@hypothesis_settings(deadline=None, derandomize=True, max_examples=25)
def test_case_28_raising_the_floor_is_monotone(
    services: Bench, places: int, reference: float, leg: dict[str, Any], query: str, pair: tuple[float, float]
) -> None:
    """langchain PR#6341 and #11587: a threshold that was applied twice, on two scales.

    Monotone, where the floor alone rises, means: as long as there is evidence, it is that of the same attempt with the same similarities;
    nothing becomes evidence that was below the lower floor; and with room for all, nothing becomes evidence that was not, but the copy of
    what was. With few places, one that gets free goes to the next passage, which had passed the lower floor as well.
    """
    low, high = sorted(min(floor, reference) for floor in pair)
    room = {"max_blocks": places, "max_blocks_per_document": places, **leg}
    lower, higher = (with_floor(services, query, floor, reference, **room) for floor in (low, high))
    assert lower.found or not higher.found
    if higher.found:
        assert lower.retrieval_trace.selected_attempt == higher.retrieval_trace.selected_attempt
        assert {name: one.similarity for name, one in shown(lower).items()} == {name: one.similarity for name, one in shown(higher).items()}
        assert all(shown(higher)[one].similarity >= high for one in passages(higher))
        before = {shown(lower)[one].code for one in passages(higher)}
        no_place = {DropCode.MAX_BLOCKS, DropCode.MAX_BLOCKS_PER_DOCUMENT} if places < 50 else set()
        assert before <= {None, DropCode.DUPLICATE_OF, *no_place}


@EVERY_LEG
@pytest.mark.parametrize("query", QUESTIONS)
def test_case_28_each_question_loses_its_evidence_to_a_high_floor_and_walks_its_own_way(services: Bench, query: str, leg: dict[str, Any]) -> None:
    results = [with_floor(services, query, floor, 0.5, max_blocks=50, max_blocks_per_document=50, **leg) for floor in (0.0, 0.4)]
    results.append(with_floor(services, query, 1.0, 1.0, **leg))
    found = [len(passages(result)) for result in results]
    assert found[0] >= found[1] > found[2] == 0
    assert {result.retrieval_trace.selected_attempt for result in results[:-1]} == {QUESTIONS[query]}
