"""Public reports about filters, retold on the real engine with the hash embedder; each number is the case's own."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.contracts.codes import ReasonCode, Verdict
from engine.contracts.lookup import LookupResult
from engine.errors import UnknownScope
from tests.cases.legs import EVERY_LEG
from tests.knowledge_base import document, open_engine

CROWD = {f"news/{i:03}.md": f"# News {i}\n\nThe ferry to the island leaves late, notice {i}.\n" for i in range(198)}
RARE = {
    "archive/old.md": document("# Old paper\n\nThe ferry belonged to a mill on the river bank of the northern town.\n", keywords=["mill chronicle"]),
    "archive/map.md": "# Map\n\nOn paper from the quarry stands where the ferry once crossed to a pasture.\n",
}
FERRY = "when does the ferry to the island leave"


def searched(result: LookupResult) -> int:
    """How many chunks the only attempt searched."""
    [attempt] = result.retrieval_trace.attempts
    return attempt.searched_chunks


def candidates(result: LookupResult) -> set[str]:
    """The sources of all candidates of the only attempt."""
    [attempt] = result.retrieval_trace.attempts
    assert attempt.candidate_count == len(attempt.candidates)
    return {one.source for one in attempt.candidates}


@EVERY_LEG
def test_case_10_a_category_of_one_percent_keeps_all_of_its_passages_and_was_searched_completely(tmp_path: Path, leg: dict[str, Any]) -> None:
    """USearch#751, qmd#217 and #791, seocho#122: the nearest fifty were all of other categories, and the filter left none of them."""
    with open_engine(tmp_path, {**CROWD, **RARE}, candidate_count=50, trace_candidates=200, evidence_floor=0.05, **leg) as engine:
        anywhere = engine.lookup_knowledge(FERRY)
        inside = engine.lookup_knowledge(FERRY, scope=["category=archive"])
    nearest = {one.source for one in anywhere.retrieval_trace.attempts[0].candidates if one.rank <= 50}
    assert (searched(anywhere), len(nearest), nearest & RARE.keys()) == (200, 50, set())
    assert (searched(inside), candidates(inside)) == (2, set(RARE))
    assert {block.source for block in inside.evidence_blocks} == RARE.keys()


@EVERY_LEG
def test_case_10_the_category_that_l0_chooses_keeps_all_of_its_passages(tmp_path: Path, leg: dict[str, Any]) -> None:
    with open_engine(tmp_path, {**CROWD, **RARE}, candidate_count=50, evidence_floor=0.05, reference_threshold=0.05, **leg) as engine:
        result = engine.lookup_knowledge("mill chronicle: when does the ferry leave")
    assert [attempt.filter for attempt in result.retrieval_trace.attempts] == ["archive"]
    assert (searched(result), candidates(result)) == (2, set(RARE))


def test_case_11_a_filtered_result_is_not_padded_with_other_categories(tmp_path: Path) -> None:
    """llama_index PR#22897: of four results for a category of two, two came from elsewhere with a score of 0."""
    files = {
        "food/apple.md": "# Fruit\n\nAn apple a day.\n",
        "food/bread.md": "# Loaf\n\nBread is baked before dawn.\n",
        "firms/apple.md": "# Firm\n\nApple sells telephones.\n",
        "trees/apple.md": "# Tree\n\nThe apple tree blooms in May.\n",
        "cities/york.md": "# York\n\nA town in the north.\n",
    }
    with open_engine(tmp_path, files, candidate_count=4, evidence_floor=0) as engine:
        result = engine.lookup_knowledge("apple", scope={"category": "food"})
    assert (searched(result), candidates(result)) == (2, {"food/apple.md", "food/bread.md"})
    assert {block.source for block in result.evidence_blocks} <= {"food/apple.md", "food/bread.md"}
    assert result.rerank_trace.entries[0].source == "food/apple.md"


YEARS = {
    "plain.md": "---\nyear: 2024\n---\nThe harbour was dredged.\n",
    "quoted.md": '---\nyear: "2024"\n---\nThe harbour was dredged again.\n',
    "single.md": "---\nyear: '2024'\n---\nThe harbour was dredged once more.\n",
    "list.md": "---\nyear: [2023, 2024]\n---\nThe harbour was dredged twice.\n",
    "toml.md": "+++\nyear = 2024\n+++\nThe harbour was dredged for ships.\n",
    "json.md": '{\n"year": 2024\n}\n\nThe harbour was dredged for boats.\n',
    "other.md": "---\nyear: 2023\n---\nThe harbour was not dredged.\n",
    "none.md": "The harbour was never dredged.\n",
}
OF_2024 = YEARS.keys() - {"other.md", "none.md"}


@pytest.mark.parametrize(
    "scope", [{"year": 2024}, {"year": "2024"}, {"year": [2024]}, {"year": (2024, "2024")}, ["year=2024"], "year=2024", [" year = 2024"]], ids=repr
)
def test_case_12_a_number_and_its_text_filter_alike_on_both_sides(tmp_path: Path, scope: Any) -> None:
    """llama_index#19152: a number in the file and a text in the filter, or the reverse, matched nothing and said nothing."""
    with open_engine(tmp_path, YEARS, evidence_floor=0) as engine:
        result = engine.lookup_knowledge("when was the harbour dredged", scope=scope)
    assert [(term.field, term.operator, term.values) for term in result.scope] == [("year", "=", ("2024",))]
    assert (searched(result), candidates(result)) == (6, OF_2024)


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        ({"version": 1.5}, {"a.md", "b.md"}),
        ({"day": date(2024, 3, 1)}, {"a.md", "b.md"}),
        ({"day": [date(2024, 3, 1), "2024-04-01"]}, {"a.md", "b.md", "c.md"}),
        ({"day": date(2024, 4, 1), "version": 2}, {"c.md"}),
    ],
    ids=repr,
)
def test_case_12_a_fraction_and_a_date_are_compared_as_the_author_wrote_them(tmp_path: Path, scope: Any, inside: set[str]) -> None:
    files = {
        "a.md": "---\nversion: 1.5\nday: 2024-03-01\n---\nThe dredger came.\n",
        "b.md": "+++\nversion = 1.5\nday = 2024-03-01\n+++\nThe dredger came again.\n",
        "c.md": "---\nversion: 2\nday: 2024-04-01\n---\nThe dredger left.\n",
    }
    with open_engine(tmp_path, files, evidence_floor=0) as engine:
        assert candidates(engine.lookup_knowledge("where is the dredger", scope=scope)) == inside


@pytest.mark.parametrize("value", [2025, 2024.0, True, None, b"2024", {"from": 2024}, [None], [2024, [2023]], [], range(0)], ids=repr)
def test_case_12_a_value_that_no_document_can_have_is_an_error_and_never_an_empty_result(tmp_path: Path, value: Any) -> None:
    with open_engine(tmp_path, YEARS) as engine, pytest.raises(UnknownScope, match="year"):
        engine.lookup_knowledge("when was the harbour dredged", scope={"year": value})


REVIEWS = {
    "a.md": document("The crane was checked.\n", reviewer="ann"),
    "b.md": document("The crane was checked by two.\n", reviewer=["ann", "bob"]),
    "c.md": document("The crane was not checked.\n"),
    "d.md": "---\nreviewer:\n---\nThe crane is to be checked.\n",
    "e.md": '---\nreviewer: ""\n---\nThe crane is to be checked soon.\n',
    "f.md": "---\nreviewer: []\n---\nThe crane is to be checked late.\n",
    "g.md": "---\nreviewer: [' ', null]\n---\nThe crane is to be checked at last.\n",
}


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (["reviewer="], "cdefg"),
        ({"reviewer": ""}, "cdefg"),
        (["reviewer!="], "ab"),
        (["reviewer=ann"], "ab"),
        (["reviewer=bob"], "b"),
        (["reviewer!=bob"], "acdefg"),
        (["reviewer!=bob", "reviewer!="], "a"),
        (["reviewer=bob", "reviewer="], "bcdefg"),
        (["reviewer=ann", "reviewer="], "abcdefg"),
    ],
)
def test_case_14_a_field_that_is_missing_or_without_a_value_is_empty_and_equals_nothing(tmp_path: Path, scope: Any, inside: str) -> None:
    """dify#16177 and #24275, qdrant#9255."""
    with open_engine(tmp_path, REVIEWS, evidence_floor=0) as engine:
        result = engine.lookup_knowledge("who checked the crane", scope=scope)
    assert (searched(result), candidates(result)) == (len(inside), {f"{name}.md" for name in inside})


def test_case_14_conditions_that_leave_nothing_say_so_with_the_count(tmp_path: Path) -> None:
    with open_engine(tmp_path, REVIEWS) as engine:
        result = engine.lookup_knowledge("who checked the crane", scope=["reviewer=", "reviewer!="])
    assert (result.found, result.reason_code, searched(result)) == (False, ReasonCode.NO_CANDIDATES, 0)


@pytest.mark.parametrize("scope", [["catagory=billing"], "catagory=billing", {"catagory": "billing"}, ["catagory!=billing"], ["catagory="]], ids=repr)
def test_case_15_an_unknown_key_is_an_error_with_a_near_name_and_the_known_ones(tmp_path: Path, scope: Any) -> None:
    """dify#35666, langchainjs#7735, x402#3173, neotoma#2042: a misspelt key was left out, and everything was searched."""
    files = {"billing/a.md": document("# Invoice\n\nInvoices are due in May.\n", team="money"), "legal/b.md": "# Claim\n\nClaims are due in June.\n"}
    with open_engine(tmp_path, files) as engine, pytest.raises(UnknownScope) as raised:
        engine.lookup_knowledge("when are invoices due", scope=scope)
    assert str(raised.value) == "unknown scope field 'catagory'; did you mean category? known: category, source, team"


def test_case_15_a_known_key_beside_an_unknown_one_saves_nothing(tmp_path: Path) -> None:
    with open_engine(tmp_path, REVIEWS) as engine, pytest.raises(UnknownScope, match="unknown scope field 'reviwer'; did you mean reviewer"):
        engine.lookup_knowledge("who checked the crane", scope=["reviewer=ann", "reviwer=bob"])


def test_case_17_evidence_of_the_retry_is_marked_with_its_own_category_and_the_filtered_set_is_kept(tmp_path: Path) -> None:
    """Our own retry rule, and ragflow's description of the same: the filter finds nothing good, and the search without it wins."""
    files = {
        "pumps/old.md": document("# Old pump\n\nOil the pump.\n", keywords=["pressure valve"]),
        "pumps/new.md": "# New pump\n\nClean the pump.\n",
        "boilers/steam.md": "# Steam\n\nThe pressure valve of the boiler opens at nine bar.\n",
        "loose.md": "Open the pressure valve of the boiler by hand at nine bar.\n",
    }
    with open_engine(tmp_path, files) as engine:
        result = engine.lookup_knowledge("at how many bar does the pressure valve of the boiler open")
    trace = result.retrieval_trace
    filtered, retry = trace.attempts
    assert (trace.filter_decision.category, trace.fallback_reason, trace.selected_attempt) == ("pumps", Verdict.FILTERED_NO_EVIDENCE, "unfiltered")
    assert {one.source for one in filtered.candidates} == {"pumps/old.md", "pumps/new.md"}
    assert {one.source for one in retry.candidates} == files.keys()
    marks = {block.source: [reason.text for reason in block.hit_reasons if reason.code == "fallback"] for block in result.evidence_blocks}
    assert marks == {
        "boilers/steam.md": ["from the retry without the L0 filter; filed under boilers"],
        "loose.md": ["from the retry without the L0 filter; filed under no category"],
    }
    assert all(block.attempt == "unfiltered" and "pumps" not in block.categories for block in result.evidence_blocks)


TAGGED = {
    "list.md": "---\ntags: [alpha, beta]\n---\nThe buoy is red.\n",
    "lines.md": "---\ntags:\n  - alpha\n  - beta\n---\nThe buoy is green.\n",
    "text.md": "---\ntags: alpha, beta\n---\nThe buoy is white.\n",
    "wide.md": "---\ntags: alpha，beta\n---\nThe buoy is black.\n",
    "toml.md": '+++\ntags = ["alpha", "beta"]\n+++\nThe buoy is blue.\n',
}


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (["tags=alpha"], TAGGED.keys()),
        (["tags=beta"], TAGGED.keys()),
        (["tags!=beta"], {"one.md"}),
        ({"tags": ["beta", "gamma"]}, {*TAGGED, "one.md"}),
    ],
)
def test_case_18_a_list_and_a_text_with_commas_filter_alike(tmp_path: Path, scope: Any, inside: set[str]) -> None:
    """langchain#9261."""
    with open_engine(tmp_path, {**TAGGED, "one.md": "---\ntags: gamma\n---\nThe buoy is grey.\n"}, evidence_floor=0) as engine:
        result = engine.lookup_knowledge("which colour has the buoy", scope=scope)
    assert (searched(result), candidates(result)) == (len(inside), inside)
