"""The caller's own filter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.contracts.lookup import ScopeTerm
from engine.errors import BadInput, UnknownScope
from tests.knowledge_base import Bench, document, open_bench

FILES = {
    "a/one.md": document("# One\n\nCommon words.\n", owner="edge", level="1"),
    "a/two.md": document("# Two\n\nCommon words too.\n", owner=["edge", "core"]),
    "b/three.md": document("# Three\n\nCommon words three.\n", owner="core", level="2"),
    "b/four.md": document("# Four\n\nCommon words four.\n"),
    "five.md": "# Five\n\nCommon words five.\n",
}
ALL = {"a/one.md", "a/two.md", "b/three.md", "b/four.md", "five.md"}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(tmp_path_factory.mktemp("scope"), FILES)


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (None, ALL),
        ([], ALL),
        ({}, ALL),
        (["category=a"], {"a/one.md", "a/two.md"}),
        ("category=a", {"a/one.md", "a/two.md"}),
        ({"category": "a"}, {"a/one.md", "a/two.md"}),
        (["source=b/four.md"], {"b/four.md"}),
        (["category=a", "category=b"], {"a/one.md", "a/two.md", "b/three.md", "b/four.md"}),
        ({"category": ["a", "b"]}, {"a/one.md", "a/two.md", "b/three.md", "b/four.md"}),
        (["owner=core"], {"a/two.md", "b/three.md"}),
        (["category=a", "owner=core"], {"a/two.md"}),
        (["category=a", "level=2"], set()),
        (["owner="], {"b/four.md", "five.md"}),
        (["category="], {"five.md"}),
        (["owner=", "owner=core"], {"a/two.md", "b/three.md", "b/four.md", "five.md"}),
        (["owner!=edge"], {"b/three.md", "b/four.md", "five.md"}),
        (["owner!="], {"a/one.md", "a/two.md", "b/three.md"}),
        (["owner!=edge", "owner!=core"], {"b/four.md", "five.md"}),
        (["owner=core", "owner!=edge"], {"b/three.md"}),
        ([" owner = core "], {"a/two.md", "b/three.md"}),
    ],
)
def test_a_scope_leaves_the_documents_that_satisfy_it(kb: Bench, scope: Any, inside: set[str]) -> None:
    result = kb.look_up("common words", scope, evidence_floor=0.0, max_blocks=50)
    (attempt,) = result.retrieval_trace.attempts
    assert {candidate.source for candidate in attempt.candidates} == inside
    assert attempt.searched_chunks == len(inside)
    assert {block.source for block in result.evidence_blocks} == inside


def test_the_scope_is_in_the_result_sorted_and_without_repetition(kb: Bench) -> None:
    result = kb.look_up("common words", ["owner!=edge", "category=b", "category=a", "category=b"])
    assert result.scope == (
        ScopeTerm(field="category", operator="=", values=("a", "b")),
        ScopeTerm(field="owner", operator="!=", values=("edge",)),
    )


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (["ownr=edge"], "unknown scope field 'ownr'; did you mean owner? known: category, level, owner, source"),
        (["owner=egde"], "no document has owner='egde'; did you mean edge? known: core, edge"),
        (["owner!=nobody"], "no document has owner='nobody'; known: core, edge"),
        (["owner"], "scope 'owner' is no condition; write field=value, field!=value or field="),
        (["=edge"], "scope '=edge' is no condition; write field=value, field!=value or field="),
        ([""], "scope '' is no condition; write field=value, field!=value or field="),
        (["unknown="], "unknown scope field 'unknown'; known: category, level, owner, source"),
        (["owner=EDGE"], "no document has owner='EDGE'; known: core, edge"),
    ],
)
def test_an_unknown_or_malformed_condition_is_an_error_that_lists_what_is_known(kb: Bench, scope: list[str], message: str) -> None:
    with pytest.raises(UnknownScope) as raised:
        kb.look_up("common words", scope)
    assert str(raised.value) == message
    assert isinstance(raised.value, BadInput)


def test_a_long_list_of_known_values_is_cut(tmp_path: Path) -> None:
    kb = open_bench(tmp_path, {f"{letter}/x.md": "# X\n\nText.\n" for letter in "abcdefghijklmno"})
    with pytest.raises(UnknownScope, match="known: a, b, c, d, e, f, g, h, i, j, k, l and 3 more"):
        kb.look_up("text", ["category=zz"])


def test_a_scope_is_kept_in_the_retry_without_the_l0_filter(tmp_path: Path) -> None:
    files = {
        "a/one.md": document("# One\n\nNothing.\n", keywords=["blue lamp"]),
        "b/two.md": document("# Two\n\nThe blue lamp is broken.\n", owner="edge"),
        "b/three.md": document("# Three\n\nThe blue lamp is broken again.\n", owner="core"),
    }
    result = open_bench(tmp_path, files).look_up("blue lamp", ["owner=core", "owner="])
    filtered, retry = result.retrieval_trace.attempts
    assert ({one.source for one in filtered.candidates}, {one.source for one in retry.candidates}) == ({"a/one.md"}, {"a/one.md", "b/three.md"})
    assert [block.source for block in result.evidence_blocks] == ["b/three.md"]


def test_a_small_category_is_searched_completely(tmp_path: Path) -> None:
    files = {f"big/n{i}.md": f"# Note {i}\n\nlamp lamp lamp number {i}.\n" for i in range(150)}
    files["tiny/one.md"] = document("# Single page\n\nA lamp among many other words of a longer sentence.\n", keywords=["odd corner"])
    result = open_bench(tmp_path, files, candidate_count=5).look_up("odd corner lamp", evidence_floor=0.1, reference_threshold=0.1)
    (attempt,) = result.retrieval_trace.attempts
    assert (attempt.filter, attempt.searched_chunks, attempt.candidate_count) == ("tiny", 1, 1)
    assert [block.source for block in result.evidence_blocks] == ["tiny/one.md"]


@pytest.mark.parametrize("scope", [{"category": []}, {"nosuch": []}, {"category": ()}])
def test_a_field_without_values_is_an_error_and_no_unfiltered_result(kb: Bench, scope: Any) -> None:
    with pytest.raises(UnknownScope, match="has no values"):
        kb.look_up("lamp", scope)
