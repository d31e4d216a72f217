"""Frontmatter: the author's text, or a problem with its line; never a guess."""

from __future__ import annotations

import pytest

from engine.knowledge.document import Document, read_document


def read(text: str) -> Document:
    return read_document("a/b.md", text, "hash")


def test_every_scalar_stays_the_authors_text() -> None:
    document = read("---\ncategory: no\nversion: 1.10\nid: 0123\ndate: 2024-01-01\ntime: 12:30:45\n---\nText\n")
    assert document.categories == ("no",)
    assert {name: document.fields[name] for name in ("version", "id", "date", "time")} == {
        "version": ("1.10",),
        "id": ("0123",),
        "date": ("2024-01-01",),
        "time": ("12:30:45",),
    }


@pytest.mark.parametrize("written", ["[a b, c]", "a b, c", "\n  - a b\n  - c"])
def test_lists_and_comma_strings_mean_the_same(written: str) -> None:
    assert read(f"---\nkeywords: {written}\n---\nText\n").keywords == ("a b", "c")


def test_a_colon_in_a_value_is_a_problem_with_its_line_and_the_text_is_indexed() -> None:
    document = read("---\ncategory: x\ntitle: Governance: Manifest\n---\n# Real title\n\nText\n")
    assert [(problem.line, problem.code) for problem in document.problems] == [(3, "broken_frontmatter")]
    assert document.title == "Real title"
    assert "".join(document.lines).strip() == "# Real titleText"


def test_a_duplicate_field_keeps_the_first_and_is_reported() -> None:
    document = read("---\ntitle: One\ntitle: Two\n---\nText\n")
    assert (document.title, document.problems[0].code, document.problems[0].line) == ("One", "duplicate_field", 3)


def test_an_unclosed_block_is_reported_and_read_up_to_the_text() -> None:
    document = read("---\ntitle: Open\n\nText\n")
    assert [(problem.line, problem.code) for problem in document.problems] == [(1, "unclosed_frontmatter")]
    assert (document.title, document.lines) == ("Open", ("", "", "", "Text", ""))


def test_a_rule_at_the_top_is_no_frontmatter() -> None:
    document = read("---\n\nJust text.\n\n---\n\nMore.\n")
    assert document.problems == ()
    assert "Just text." in document.lines


def test_a_list_as_frontmatter_is_reported_and_never_becomes_text() -> None:
    document = read("---\n- a\n- b\n---\nText\n")
    assert document.problems[0].code == "broken_frontmatter"
    assert "- a" not in document.lines


def test_nothing_in_yaml_is_evaluated() -> None:
    document = read("---\ntitle: !!python/object/apply:os.system ['true']\n---\n# T\n\nText\n")
    assert document.fields["title"] == ("true",)


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
