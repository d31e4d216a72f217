"""Frontmatter: the author's text, or a problem with its line; never a guess."""

from __future__ import annotations

import pytest

from engine.knowledge.document import Document, read_document


def read(text: str) -> Document:
    return read_document("a/b.md", text, "hash")


def test_a_duplicate_field_keeps_the_first_and_is_reported() -> None:
    document = read("---\ntitle: One\ntitle: Two\n---\nText\n")
    assert (document.title, document.problems[0].code, document.problems[0].line) == ("One", "duplicate_field", 3)


def test_an_unclosed_block_is_reported_and_read_up_to_the_text() -> None:
    document = read("---\ntitle: Open\n\nText\n")
    assert [(problem.line, problem.code) for problem in document.problems] == [(1, "unclosed_frontmatter")]
    assert (document.title, document.lines) == ("Open", ("", "", "", "Text", ""))


def test_aliases_that_multiply_stay_within_a_limit() -> None:
    levels = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9) if i else ', '.join(['x'] * 9)}]" for i in range(9))
    document = read(f"---\n{levels}\n---\nText\n")
    [problem] = document.problems
    assert (document.fields, problem.code) == ({}, "broken_frontmatter")
    assert "has more than 10,000 values" in problem.message


def test_without_a_title_the_first_heading_then_the_file_name_is_taken() -> None:
    assert read("# From the heading\n\nText\n").title == "From the heading"
    assert read("Text\n").title == "b"


def test_a_title_over_200_characters_is_cut_and_reported() -> None:
    document = read(f"---\ntitle: {'x' * 300}\n---\nText\n")
    assert (len(document.title), document.problems[-1].code) == (200, "long_title")


def test_escaped_surrogates_become_the_character_or_a_mark() -> None:
    document = read('---\ntitle: "\\ud83d\\ude80 Launch"\nowner: "\\ud83d"\n---\nText\n')
    assert (document.title, document.fields["owner"]) == ("🚀 Launch", ("\ufffd",))


def test_an_anchor_in_itself_is_a_problem_and_no_crash() -> None:
    document = read("---\nx: &a [*a]\n---\nText\n")
    assert [problem.code for problem in document.problems] == ["broken_frontmatter"]


@pytest.mark.parametrize("written", ["", "null", "~"])
def test_an_empty_value_names_nothing(written: str) -> None:
    document = read(f"---\ncategory: {written}\nkeywords: {written}\n---\nText\n")
    assert (document.categories, document.keywords) == ((), ())


def test_a_heading_far_down_is_no_title_of_the_text_above_it() -> None:
    paragraphs = "\n\n".join(f"Paragraph {i}." for i in range(12))
    assert read(f"{paragraphs}\n\n# Appendix\n\nText\n").title == "b"
    assert read("<!-- licence -->\n\n![badge](x.png)\n\n# Depot plan\n\nText\n").title == "Depot plan"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"tags": [true, 1, null, "a"], "x": {"y": [false]}}\nText\n', {"tags": ("true", "1", "a"), "x.y": ("false",)}),
        ("---\ntitle: Null\nowner: null\ntags: [NULL, ~, a]\n---\nText\n", {"title": ("Null",), "owner": (), "tags": ("NULL", "a")}),
        ('---\ncategory: ["Research, Development"]\nkeywords: "a, b"\n---\nText\n', {"category": ("Research, Development",), "keywords": ("a", "b")}),
    ],
)
def test_values_stay_what_the_author_wrote(text: str, fields: dict[str, tuple[str, ...]]) -> None:
    assert read(text).fields == fields


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("---\ntitle: Restart: how\n---\n", 2, "a value has a colon and a space in it; put the value in quotes"),
        ('---\na: 1\ntitle: "open\nb: 2\nc: 3\n---\n', 3, "a quotation mark is not closed; add the second one"),
        ("---\ntitle:\tX\n---\n", 2, "a tab stands before a value; write spaces"),
        ("---\na: 1\ntags: [a, b\n---\n", 3, "a list is not closed; add the ]"),
        ("+++\na = \n+++\n", 2, "a value is missing"),
    ],
)
def test_the_usual_slips_are_explained_at_their_line(text: str, line: int, said: str) -> None:
    [problem] = [one for one in read(f"{text}Text\n").problems if one.code == "broken_frontmatter"]
    assert problem.line == line
    assert said in problem.message


def test_code_that_is_never_closed_is_reported() -> None:
    assert [one.code for one in read("---js\nmodule.exports = {}\n\nText\n").problems] == ["unclosed_frontmatter"]
