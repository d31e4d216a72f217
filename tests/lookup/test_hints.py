"""What L0 recognises in a question, and when it may narrow the search to a category."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contracts.codes import FilterCode
from tests.knowledge_base import Bench, document, open_bench

FILES = {
    "a/red.md": document("# Red valve\n\nText.\n", keywords=["pump", "shared word", "wide word", "red valve"]),
    "b/valve.md": document("# Valve\n\nText.\n", keywords=["shared word", "wide word"], aliases=["stopcock", "twice meant"]),
    "c/three.md": document("# Third part\n\nText.\n", keywords=["wide word", "cap"], aliases=["twice meant"]),
    "d/zh.md": document("# 阀门\n\n文字。\n", keywords=["扫码失败", "枪"], aliases=["龙头坏了"]),
    "e/two.md": document("# Double place\n\n`pump-agent` and E-77001.\n", category=["c", "d"], keywords=["two homes"]),
    "loose.md": document("# Loose sheet\n\nText.\n", keywords=["no home"]),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("hints"), FILES)


def votes(kb: Bench, query: str) -> dict[str, int]:
    return {one.category: one.votes for one in kb.question(query).decision.votes}


def matched(kb: Bench, query: str) -> list[tuple[str, str, bool]]:
    return [(hint.match.text, hint.match.kind, hint.votes) for hint in kb.question(query).hints]


def test_the_filter_is_applied_when_all_votes_are_for_one_category(kb: Bench) -> None:
    decision = kb.question("How does the pump of the red valve work?").decision
    assert (decision.code, decision.category) == (FilterCode.APPLIED, "a")
    assert decision.note == "2 of 2 votes are for a."


def test_nothing_is_filtered_when_no_entry_stands_in_the_query(kb: Bench) -> None:
    decision = kb.question("something else").decision
    assert (decision.code, decision.category, decision.votes) == (FilterCode.NO_MATCH, None, ())
    assert decision.note == "No L0 entry stands in the query."


def test_divided_votes_are_ambiguous(kb: Bench) -> None:
    decision = kb.question("the shared word").decision
    assert (decision.code, decision.category) == (FilterCode.AMBIGUOUS, None)
    assert [(one.category, one.share) for one in decision.votes] == [("a", 0.5), ("b", 0.5)]


def test_an_entry_in_most_categories_never_filters(kb: Bench) -> None:
    decision = kb.question("what about the wide word").decision
    assert (decision.code, decision.category, decision.votes) == (FilterCode.COVERS_EVERYTHING, None, ())
    assert matched(kb, "wide word") == [("wide word", "keyword", False)]


def test_an_entry_in_exactly_half_of_the_categories_votes(kb: Bench) -> None:
    assert kb.snapshot.catalog.category_count == 4
    assert votes(kb, "shared word") == {"a": 1, "b": 1}


def test_the_filter_can_be_disabled(kb: Bench) -> None:
    decision = kb.question("pump", use_l0_filter=False).decision
    assert (decision.code, decision.category) == (FilterCode.DISABLED, None)
    assert votes(kb, "pump") == {"a": 1}


def test_a_majority_is_enough_when_the_settings_say_so(kb: Bench) -> None:
    query = "pump with the shared word"
    assert votes(kb, query) == {"a": 2, "b": 1}
    assert kb.question(query).decision.code is FilterCode.AMBIGUOUS
    assert kb.question(query, filter_share=0.66).decision.category == "a"
    assert kb.question(query, filter_share=0.67).decision.category is None


def test_a_tie_is_ambiguous_even_when_the_share_is_reached(kb: Bench) -> None:
    assert kb.question("shared word", filter_share=0.5).decision.code is FilterCode.AMBIGUOUS


def test_a_title_of_one_word_is_a_hint_and_does_not_vote(kb: Bench) -> None:
    assert matched(kb, "which valve") == [("Valve", "title", False)]
    decision = kb.question("which valve").decision
    assert decision.code is FilterCode.NO_MATCH
    assert decision.note.startswith("The matched entries do not vote: they are one-word titles, ")


def test_a_keyword_of_one_word_votes(kb: Bench) -> None:
    assert matched(kb, "pump") == [("pump", "keyword", True)]


def test_an_entry_that_is_title_and_keyword_gives_one_vote(kb: Bench) -> None:
    assert matched(kb, "red valve") == [("red valve", "keyword", True), ("Red valve", "title", True), ("Valve", "title", False)]
    assert votes(kb, "red valve") == {"a": 1}


def test_an_entry_that_stands_twice_in_the_query_gives_one_vote(kb: Bench) -> None:
    assert votes(kb, "pump or pump") == {"a": 1}


def test_a_document_with_two_categories_votes_for_both(kb: Bench) -> None:
    assert votes(kb, "two homes") == {"c": 1, "d": 1}


def test_a_document_without_a_category_does_not_vote(kb: Bench) -> None:
    assert matched(kb, "no home") == [("no home", "keyword", False)]
    assert kb.question("no home").decision.code is FilterCode.NO_MATCH


def test_a_service_name_is_recognised_however_it_is_written(kb: Bench) -> None:
    assert [(one.text, one.kind) for one in kb.question("the Pump Agent is down").entities] == [("pump-agent", "service_name")]
    assert ("pump-agent", "entity", False) in matched(kb, "restart the pump agent")  # categories c and d both speak of it, once each
    assert votes(kb, "restart the pump agent") == {"a": 1}  # the keyword pump stands in it as well


def test_an_error_code_that_no_document_has_is_an_unknown_entity(kb: Bench) -> None:
    question = kb.question("E-77001 or E-77002")
    assert [one.text for one in question.entities] == ["E-77001", "E-77002"]
    assert question.unknown_entities == {"e-77002"}


@pytest.mark.parametrize("query", ["RED VALVE", "réd válve", "Ｒｅｄ　ｖａｌｖｅ", "red-valve", "the red valve?"])
def test_entries_match_without_case_width_accents_and_marks(kb: Bench, query: str) -> None:
    assert ("red valve", "keyword", True) in matched(kb, query)


@pytest.mark.parametrize("query", ["red big valve", "valve red", "red valves", "infrared valve"])
def test_the_words_of_an_entry_must_be_the_words_of_the_query_one_after_the_other(kb: Bench, query: str) -> None:
    assert "red valve" not in [text for text, _, _ in matched(kb, query)]


def test_an_alias_is_replaced_by_the_title_that_it_stands_for(kb: Bench) -> None:
    question = kb.question("Where is the STOPCOCK, please?")
    assert question.text == "Where is the Valve, please?"
    assert [(step.before, step.after) for step in question.steps if step.code == "aliases"] == [
        ("Where is the STOPCOCK, please?", "Where is the Valve, please?")
    ]
    assert question.decision.category == "b"


def test_an_alias_beside_its_own_title_is_kept(kb: Bench) -> None:
    assert kb.question("is the stopcock a valve").text == "is the stopcock a valve"


def test_an_alias_of_two_documents_is_kept(kb: Bench) -> None:
    assert kb.question("the twice meant thing").text == "the twice meant thing"


def test_chinese_entries_match_inside_a_sentence(kb: Bench) -> None:
    assert matched(kb, "昨天扫码失败的原因是什么") == [("扫码失败", "keyword", True)]
    assert kb.question("昨天扫码失败的原因是什么").decision.category == "d"
    assert matched(kb, "扫码不失败") == []


def test_a_chinese_alias_is_replaced_inside_a_sentence(kb: Bench) -> None:
    assert kb.question("为什么龙头坏了呢").text == "为什么阀门呢"


def test_a_chinese_title_of_two_characters_does_not_vote(kb: Bench) -> None:
    assert matched(kb, "阀门在哪里") == [("阀门", "title", False)]


def test_the_raw_query_stays_and_the_cleaned_one_has_single_spaces(kb: Bench) -> None:
    question = kb.question("  red \n valve\t！ ")
    assert (question.raw, question.text) == ("  red \n valve\t！ ", "red valve !")


def test_every_occurrence_of_an_alias_is_replaced(tmp_path: Path) -> None:
    kb = open_bench(tmp_path, {"a/valve.md": document("# Valve thing\n\nText.\n", aliases=["stopcock"])})
    assert kb.question("stopcock or stopcock").text == "Valve thing or Valve thing"


def test_a_long_chinese_title_matches(tmp_path: Path) -> None:
    title = "手持扫描枪故障处理的完整操作指南与常见问题"
    kb = open_bench(tmp_path, {"a/x.md": f"# {title}\n\nText.\n", "b/y.md": "# Other thing\n\nText.\n"})
    assert [hint.match.text for hint in kb.question(f"请看{title}。").hints] == [title]


def test_an_entry_of_two_kinds_covers_the_categories_of_both(tmp_path: Path) -> None:
    files = {f"c{i}/x.md": document(f"# Page number {i}\n\nText.\n", keywords=["blue lamp"]) for i in range(2)}
    files |= {f"c{i}/x.md": document(f"# Page number {i}\n\nText.\n", aliases=["blue lamp"]) for i in range(2, 4)}
    kb = open_bench(tmp_path, {**files, "c4/x.md": "# Page number 4\n\nText.\n"})
    assert kb.question("blue lamp").decision.code == "covers_everything"
