"""Every check can fail, and fails alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine.contracts.conformance import CheckOutcome, CheckStatus
from engine.contracts.lookup import LookupResult
from engine.insight.conformance import CHECKS, check
from tests.insight.mutations import MUTATIONS, OTHER_MUTATIONS

Results = Mapping[str, LookupResult]


def failing(result: LookupResult) -> list[str]:
    return [one.code for one in check(result) if one.status is CheckStatus.FAIL]


def test_every_check_has_a_mutation_and_a_code_of_its_own() -> None:
    codes = [one.code for one in CHECKS]
    assert sorted(codes) == sorted(MUTATIONS)
    assert len(codes) == len(set(codes)) == 40


@pytest.mark.parametrize("code", sorted(MUTATIONS))
def test_a_check_holds_for_a_real_result_and_fails_alone_when_its_promise_is_broken(results: Results, code: str) -> None:
    mutation = MUTATIONS[code]
    real = results[mutation.situation]
    assert failing(real) == []
    assert failing(mutation.change(real)) == [code]


@pytest.mark.parametrize(("code", "at"), [(code, at) for at, (code, _) in enumerate(OTHER_MUTATIONS)])
def test_a_check_fails_for_every_way_to_break_its_promise(results: Results, code: str, at: int) -> None:
    mutation = OTHER_MUTATIONS[at][1]
    assert code in failing(mutation.change(results[mutation.situation]))


def test_a_mutation_leaves_the_real_result_as_it_was(results: Results) -> None:
    before = {name: result.canonical_json() for name, result in results.items()}
    for mutation in MUTATIONS.values():
        mutation.change(results[mutation.situation])
    assert {name: result.canonical_json() for name, result in results.items()} == before


@pytest.mark.parametrize("check_", CHECKS, ids=[one.code for one in CHECKS])
def test_a_check_is_exhibited_by_some_situation(results: Results, check_: Any) -> None:
    assert any(check_.outcome(result).status is CheckStatus.PASS for result in results.values())


def test_a_scenario_that_a_result_does_not_show_is_not_a_pass(results: Results) -> None:
    found = {one.code: one.status for one in check(results["filtered_is_enough"])}
    assert found["filtered_is_enough"] is CheckStatus.PASS
    for code in ("retry_without_evidence", "retry_below_reference", "both_attempts_fail", "no_evidence_is_traceable", "scope_holds"):
        assert found[code] is CheckStatus.NOT_APPLICABLE
    passed = {one.code for one in check(results["empty_knowledge_base"]) if one.status is CheckStatus.PASS}
    assert passed == {
        *("stages_in_order", "same_query_argument", "no_evidence_is_traceable", "steps_follow_each_other", "fallback_reason_means_retry"),
        *("similarities_are_absolute", "dropped_is_no_evidence", "budget_holds", "pack_reads_back", "completeness_is_right"),
        *("found_agrees", "message_is_there"),
    }


def test_an_outcome_is_a_sentence_that_can_be_shown(results: Results) -> None:
    result = MUTATIONS["budget_holds"].change(results["filtered_is_enough"])
    (failed,) = [one for one in check(result) if one.status is CheckStatus.FAIL]
    assert failed.model_dump(mode="json", by_alias=True) == {
        "code": "budget_holds",
        "requirement": "Design",
        "scenario": "The budget holds",
        "sentence": "The packed text takes no more tokens than the budget allows.",
        "looksAt": ["contextPack.usedTokens", "contextPack.budgetTokens"],
        "status": "fail",
        "finding": f"{result.context_pack.used_tokens} tokens are packed, and the budget is 300",
    }
    assert CheckOutcome.model_validate_json(failed.model_dump_json()) == failed


def test_timings_decide_only_the_order_of_the_stages(results: Results) -> None:
    for result in results.values():
        untimed = LookupResult.model_validate_json(result.canonical_json())
        statuses = {one.code: one.status for one in check(untimed)}
        assert statuses.pop("stages_in_order") is CheckStatus.NOT_APPLICABLE
        assert {one.code: one.status for one in check(result) if one.code != "stages_in_order"} == statuses


@pytest.mark.parametrize("check_", CHECKS, ids=[one.code for one in CHECKS])
def test_what_a_check_looks_at_is_in_the_result(check_: Any) -> None:
    schema = LookupResult.model_json_schema(by_alias=True)
    for path in check_.looks_at:
        node: Any = schema
        for name in path.split("."):
            node = _properties(schema, node)[name.removesuffix("[]")]


def _properties(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The fields of an object, of the items of a list, or of what a reference names."""
    node = node.get("items", node)
    reference = node.get("$ref")
    found = schema["$defs"][reference.rpartition("/")[2]] if reference else node
    properties: dict[str, Any] = found["properties"]
    return properties
