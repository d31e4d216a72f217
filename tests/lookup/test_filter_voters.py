"""Titles and names vote on a category only where they are at home; what an author gave as keyword or alias always may."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.contracts.codes import FilterCode
from tests.knowledge_base import Bench, document, open_bench

OTHERS = {f"{name}/page.md": f"# Page of {name}\n\nNothing to see.\n" for name in ("w", "x", "y", "z")}
SILENT = (
    "The matched entries do not vote: they are one-word titles, belong to documents without a category, "
    "or are titles and names that other categories speak of as well."
)


def matched(kb: Bench, query: str) -> list[tuple[str, str, bool]]:
    return [(hint.match.text, hint.match.kind, hint.votes) for hint in kb.question(query).hints]


def spoken_of(home: int, elsewhere: int, text: str = "The copper kettle boils.", title: str = "Copper kettle") -> dict[str, str]:
    """A document with a title, and so many passages with its words in its category, and in others."""
    sections = "".join(f"\n## Part {i}\n\nCopper kettle number {i}.\n" for i in range(home))
    files = {"home/kettle.md": f"# {title}\n{sections}"}
    return files | {f"w/{i}.md": f"# Sheet {i}\n\n{text}\n" for i in range(elsewhere)} | OTHERS


def bench(folder: Path, files: Mapping[str, str]) -> Bench:
    return open_bench(folder, files)


def test_a_title_that_only_its_category_speaks_of_votes(tmp_path: Path) -> None:
    kb = bench(tmp_path, spoken_of(home=3, elsewhere=0))
    assert matched(kb, "the copper kettle") == [("Copper kettle", "title", True)]
    decision = kb.question("the copper kettle").decision
    assert (decision.code, decision.category, decision.note) == (FilterCode.APPLIED, "home", "1 of 1 votes are for home.")


def test_a_title_that_other_categories_speak_of_does_not_vote_and_the_note_says_why(tmp_path: Path) -> None:
    kb = bench(tmp_path, spoken_of(home=3, elsewhere=1))
    assert matched(kb, "the copper kettle") == [("Copper kettle", "title", False)]
    decision = kb.question("the copper kettle").decision
    assert (decision.code, decision.category, decision.votes, decision.note) == (FilterCode.NO_MATCH, None, (), SILENT)


@pytest.mark.parametrize(("home", "elsewhere", "votes"), [(9, 1, True), (8, 1, False), (18, 2, True), (17, 2, False), (10, 1, True)])
def test_nine_passages_in_ten_are_enough(tmp_path: Path, home: int, elsewhere: int, votes: bool) -> None:
    kb = bench(tmp_path, spoken_of(home, elsewhere))
    assert len(kb.snapshot.terms.rows_with_all(["copper", "kettl"])) == home + elsewhere
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", votes)]


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("Kettles, of copper.", False),  # word forms, in any order
        ("A kettle of steel.", True),  # not all words of it
        ("A copper roof. A steel kettle.", False),  # somewhere in the passage
    ],
)
def test_a_passage_speaks_of_a_title_when_it_has_all_its_words(tmp_path: Path, text: str, votes: bool) -> None:
    kb = bench(tmp_path, spoken_of(home=2, elsewhere=2, text=text))
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", votes)]


@pytest.mark.parametrize("field", ["keywords", "aliases"])
def test_what_an_author_gave_votes_wherever_else_it_is_spoken_of(tmp_path: Path, field: str) -> None:
    files = {"home/kettle.md": document("# Teapot\n\nIt boils.\n", **{field: ["copper kettle"]})}
    kb = bench(tmp_path, {**spoken_of(home=0, elsewhere=5), **files})
    assert [(text, votes) for text, _, votes in matched(kb, "copper kettle")] == [("copper kettle", True)]
    assert kb.question("copper kettle").decision.category == "home"


def test_a_title_that_is_given_as_a_keyword_as_well_votes_once_by_the_keyword(tmp_path: Path) -> None:
    files = {**spoken_of(home=1, elsewhere=5), "home/kettle.md": document("# Copper kettle\n\nIt boils.\n", keywords=["copper kettle"])}
    kb = bench(tmp_path, files)
    assert matched(kb, "copper kettle") == [("copper kettle", "keyword", True), ("Copper kettle", "title", False)]
    assert [(one.category, one.votes) for one in kb.question("copper kettle").decision.votes] == [("home", 1)]


@pytest.mark.parametrize(
    ("elsewhere", "votes"),
    [
        ("Ours is not the pump agent.", True),  # the same words, and not the name
        ("Unlike PUMP-AGENT, it waits.", False),
    ],
)
def test_a_name_votes_only_where_it_is_at_home(tmp_path: Path, elsewhere: str, votes: bool) -> None:
    home = "# The agent\n\nRestart `pump-agent` by hand.\n\n## Logs\n\nWhere `pump-agent` writes.\n"
    files = {"home/agent.md": home, "w/sheet.md": f"# Sheet\n\n{elsewhere}\n"}
    kb = bench(tmp_path, {**files, **OTHERS})
    [hint] = kb.question("restart pump-agent").hints
    assert (hint.match.kind, hint.match.categories, hint.votes) == ("entity", ("home",), votes)


def test_a_name_that_one_passage_has_does_not_vote(tmp_path: Path) -> None:
    kb = bench(tmp_path, {"home/agent.md": "# The agent\n\nRestart `pump-agent` by hand.\n", **OTHERS})
    assert matched(kb, "restart pump-agent") == [("pump-agent", "entity", False)]


def test_a_title_that_no_passage_has_does_not_vote(tmp_path: Path) -> None:
    kb = bench(tmp_path, {"home/kettle.md": "# Copper kettle\n", **OTHERS})
    assert kb.snapshot.terms.rows_with_all(["copper", "kettl"]).tolist() == []
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", False)]


def test_a_title_of_stop_words_only_does_not_vote(tmp_path: Path) -> None:
    kb = bench(tmp_path, {"home/we.md": "# Who we are\n\nThe team.\n", **OTHERS})
    assert matched(kb, "who we are in the home") == [("Who we are", "title", False)]


def test_a_title_of_very_many_passages_is_judged_by_a_thousand_of_them_spread_evenly(tmp_path: Path) -> None:
    elsewhere = {f"w/{at:03}.md": f"# Sheet {at}\n\ncopper kettle\n\n## More\n\ncopper kettle\n" for at in range(300)}
    home = {"home/kettle.md": "# Copper kettle\n\n" + "".join(f"## Part {at}\n\nIt boils.\n\n" for at in range(1400))}
    kb = bench(tmp_path, {**home, **elsewhere, **OTHERS})
    assert len(kb.snapshot.terms.rows_with_all(["copper", "kettl"])) == 2000
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", False)]  # 70 % of them are at home


@pytest.mark.parametrize(
    ("text", "votes"),
    [
        ("新的扫描枪电池坏了。", False),
        ("扫描枪的电池坏了。", True),  # another word between the two
        ("电梯坏了。", True),
    ],
)
def test_a_chinese_title_votes_only_where_it_is_at_home(tmp_path: Path, text: str, votes: bool) -> None:
    kb = bench(tmp_path, {"home/zh.md": "# 扫描枪电池\n\n更换。\n", "w/zh.md": f"# 其他\n\n{text}\n", **OTHERS})
    assert matched(kb, "扫描枪电池怎么换") == [("扫描枪电池", "title", votes)]


def test_documents_of_one_title_are_at_home_together(tmp_path: Path) -> None:
    files = {f"{name}/kettle.md": "# Copper kettle\n\nIt boils.\n" for name in ("home", "second")}
    kb = bench(tmp_path, {**files, **OTHERS})
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", True)]
    assert [(one.category, one.share) for one in kb.question("copper kettle").decision.votes] == [("home", 0.5), ("second", 0.5)]


def test_passages_without_a_category_are_not_at_home(tmp_path: Path) -> None:
    kb = bench(tmp_path, {**spoken_of(home=2, elsewhere=0), "loose.md": "# Loose\n\nThe copper kettle boils.\n"})
    assert matched(kb, "copper kettle") == [("Copper kettle", "title", False)]


def test_a_voter_that_is_silent_leaves_the_decision_to_the_others(tmp_path: Path) -> None:
    files = {**spoken_of(home=2, elsewhere=2), "x/lamp.md": "# Brass lamp\n\nIt shines.\n"}
    decision = bench(tmp_path, files).question("copper kettle and brass lamp").decision
    assert (decision.code, decision.category, decision.note) == (FilterCode.APPLIED, "x", "1 of 1 votes are for x.")
