"""Reports about frontmatter that other tools lost or misread; each number is the case's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.knowledge.document import read_document
from engine.settings import Settings
from tests.cases.reading import body, codes, corpus_of, read
from tests.knowledge_base import open_engine


def test_case_42_a_title_with_a_colon_is_reported_with_its_line_and_the_document_is_found(tmp_path: Path) -> None:
    """basic-memory#408."""
    text = "---\ntags: x\ntitle: Governance: Manifest\n---\n\nThe manifest names the stewards of the archive.\n"
    with open_engine(tmp_path, {"governance.md": text}) as engine:
        [problem] = engine.report().problems
        assert (problem.source, problem.line, problem.code) == ("governance.md", 3, "broken_frontmatter")
        assert "put the value in quotes" in problem.message
        assert engine.lookup_knowledge("stewards of the archive").evidence_blocks[0].source == "governance.md"


@pytest.mark.parametrize("start", ["\ufeff---", "\n---", "\ufeff\n\n---", "--- ", "---\r"])
def test_case_43_fields_are_read_after_a_mark_a_blank_line_or_trailing_space(tmp_path: Path, start: str) -> None:
    """gsd-core#2977."""
    data = f"{start}\ntitle: Depot plan\n---\nText\n".encode()
    [document] = corpus_of(tmp_path, {"a.md": data}).documents
    assert (document.title, codes(document), body(document)) == ("Depot plan", [], "Text")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("---\n\nJust text.\n\n---\n\nMore.\n", "Just text."),
        ("---\n\nNote: the depot is closed.\n\n---\n\nMore.\n", "Note: the depot is closed."),
        ("---\nplain text\n---\nMore.\n", "plain text"),
        ("---\n# A heading\n---\nMore.\n", "# A heading"),
        ("-----\n\nText\n", "Text"),
        ("---\n\n- item\n\n---\n", "- item"),
        ("---\n`code` first\n---\nMore.\n", "`code` first"),
    ],
)
def test_case_43_a_body_that_begins_with_a_rule_stays_text(text: str, kept: str) -> None:
    """pandoras_gate#40."""
    document = read(text)
    assert (document.fields, codes(document)) == ({}, [])
    assert kept in document.lines


def test_case_43_a_list_as_frontmatter_is_reported_and_is_no_text() -> None:
    document = read("---\n- a\n- b\n---\nText\n")
    assert (document.fields, codes(document), body(document)) == ({}, ["broken_frontmatter"], "Text")


def test_case_44_scalars_stay_the_authors_text_and_a_duplicate_key_is_reported(tmp_path: Path) -> None:
    text = "---\ncategory: no\nversion: 1.10\nid: 0123\ndate: 2024-01-01\nat: 12:30:45\nyes: on\nid: 7\n---\nThe ledger closes at noon.\n"
    with open_engine(tmp_path, {"ledger.md": text}) as engine:
        assert [(one.line, one.code) for one in engine.report().problems] == [(8, "duplicate_field")]
        fields = engine.scope_fields()
        assert {name: fields[name] for name in ("category", "version", "id", "date", "at", "yes")} == {
            "category": ("no",),
            "version": ("1.10",),
            "id": ("0123",),
            "date": ("2024-01-01",),
            "at": ("12:30:45",),
            "yes": ("on",),
        }
        result = engine.lookup_knowledge("when does the ledger close", scope=["category=no", "version=1.10", "date=2024-01-01"])
        assert json.loads(result.canonical_json())["evidenceBlocks"][0]["categories"] == ["no"]


def test_toml_fields_mean_the_same_as_yaml_fields() -> None:
    toml = (
        '+++\ntitle = "Depot plan"\nversion = 1.10\nid = 0x1F\ndate = 2024-01-01\ndraft = false\n'
        'tags = ["a, b", "c"]\ncategory = \'no\'\n[ms]\ntopic = "x"\n+++\nText\n'
    )
    document = read(toml)
    assert document.fields == {
        "title": ("Depot plan",), "version": ("1.10",), "id": ("0x1F",), "date": ("2024-01-01",), "draft": ("false",),
        "tags": ("a, b", "c"), "category": ("no",), "ms.topic": ("x",),
    }
    assert (document.categories, document.keywords, codes(document), body(document)) == (("no",), ("a, b", "c"), [], "Text")
    assert document.field_lines["version"] == 3


def test_json_fields_mean_the_same_as_yaml_fields() -> None:
    document = read('{\n  "title": "Depot plan",\n  "version": 1.10,\n  "draft": true,\n  "none": null,\n  "tags": "a, b"\n}\n\nText\n')
    assert document.fields == {"title": ("Depot plan",), "version": ("1.10",), "draft": ("true",), "none": (), "tags": ("a", "b")}
    assert (codes(document), body(document), document.field_lines["version"]) == ([], "Text", 3)


@pytest.mark.parametrize("text", ["{% include x %}\n\nText\n", "{{< note >}}\n", "{ not json }\n", '{"a": 1} is an object\n', "{/* mdx */}\n"])
def test_what_only_looks_like_json_stays_text(text: str) -> None:
    document = read(text)
    assert (document.fields, codes(document)) == ({}, [])
    assert body(document).startswith(text.split("\n")[0])


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ('+++\na = 1\nb = \n+++\nText\n', 3, "broken_frontmatter"),
        ('+++\na = 1\na = 2\n+++\nText\n', 3, "broken_frontmatter"),
        ('{\n"a": 1,\n"b" 2\n}\nText\n', 3, "broken_frontmatter"),
        ("---js\nmodule.exports = { title: require('fs') }\n---\nText\n", 1, "broken_frontmatter"),
        ("---\ntitle:\tX: y\n---\nText\n", 2, "broken_frontmatter"),
        ("---\ntitle: X\n? [a]\n: b\n---\nText\n", 3, "broken_frontmatter"),
        ("---\ntitle: Open\n\nText\n", 1, "unclosed_frontmatter"),
        ("+++\ntitle = 1\n\nText\n", 1, "unclosed_frontmatter"),
        ('{\n"title": 1,\n\nText\n', 1, "unclosed_frontmatter"),
        ("---\ntitle: Open\n\n# Real heading\n\nSome: text: here\n\n---\n\nText\n", 1, "unclosed_frontmatter"),
    ],
)
def test_a_broken_block_is_reported_with_its_line_and_the_text_is_kept(text: str, line: int, code: str) -> None:
    document = read(text)
    assert [(problem.line, problem.code) for problem in document.problems] == [(line, code)]
    assert "Text" in document.lines


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("---\ntitle: Bad: colon\n\n# Heading\n\nBody.\n\n---\n\nRest\n", ["# Heading", "Body.", "Rest"]),
        ("---\ntitle: Open\n# Heading\nText with: colon: twice\n\nMore text\n\n---\nRest\n", ["# Heading", "Text with: colon: twice", "More text"]),
        ("---\ntitle: Open\n\n- item: a\n- item: b\n---\nRest\n", ["- item: a", "- item: b", "Rest"]),
        ("---\ntitle: Open\nowner: edge\n\nNote: check the valve.\n\n---\n\nRest\n", ["Note: check the valve.", "Rest"]),
        ('{\n"title": "X",,\n "b": 1 }\n\nText one.\n\n```json\n{\n}\n```\nTail\n', ["Text one.", "Tail"]),
        ("---\n# set by the tool\ntitle: X\n\nRest\n", ["Rest"]),
        ("+++\ntitle = 1\n\nRest\n", ["Rest"]),
        ("---\ntitle: A\nBody words here.\n", ["Body words here."]),
        ("---\ntitle: A\n\nhttps://example.com is the site\n\n---\nRest\n", ["https://example.com is the site", "Rest"]),
        ("---\ntitle: A\nowner: b\n\nhttp://x is here\n", ["http://x is here"]),
        ('{"title": "A", "build": 0123}\nBody text\n', ["Body text"]),
        ('{"title": "A",}\nBody text.\n\n## Next\n', ["Body text.", "## Next"]),
        ('{\n  "title": "A"\n\n[link](x) sentence.\n\nEnd\n', ["[link](x) sentence.", "End"]),
        ('{"title": "A"\nBody\n\nmore\n', ["Body", "more"]),
        ('+++\ntitle = "A"\n\nBody text\n\n+++\n\nmore\n', ["Body text", "more"]),
        ('+++\ntitle = "A"\n---\nBody text\n', ["Body text"]),
        ("---\ntitle: A\n<p>body</p>\n---\nmore\n", ["<p>body</p>", "more"]),
        ("---\ntitle: A\nHeading\n---\nBody text\n", ["Heading", "Body text"]),
        ("---\ntitle: A\n\n# Heading\n\nnote: a sentence\n\n---\n\nmore\n", ["# Heading", "note: a sentence", "more"]),
    ],
)
def test_the_text_after_fields_without_an_end_is_kept_and_the_fault_reported(text: str, kept: list[str]) -> None:
    document = read(text)
    assert set(kept) <= set(document.lines)
    assert set(codes(document)) & {"broken_frontmatter", "unclosed_frontmatter", "doubtful_frontmatter"}


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: X\n\nkeywords:\n\n- a\n- b\n\n# a comment\nowner: edge\n# the last\n---\nText\n",
        "---\n\nTitle: X\nKeywords: a, b\nowner: edge\n---\nText\n",
        "---\ntitle: X\nkeywords: [\n  a,\n\n  b\n]\nowner: edge\n---\nText\n",
        "---\nauthors:\n- name: Ann\n  mail: a@x\n\n- name: Bob\ntitle: X\nkeywords: a, b\nowner: edge\n---\nText\n",
        "---\ntitle: X\n\n标题: w\nog/title: y\n\n$schema: z\n\nkeywords: a, b\nDate of birth: w\nowner: edge\n---\nText\n",
        "---\ntitle: X\n\nKeywords:\n\n- a\n- b\n\nOwner: y\nowner: edge\n---\nText\n",
        "---\nkeywords: [a,\n\nb]\ntitle: X\nowner: edge\n---\nText\n",
        "---\ntitle: X\nkeywords:\n- a\n  #y\n\n# note\n\n- b\nowner: edge\n---\nText\n".replace("\n# note\n", "# note\n"),
        "---\ntitle: X\nkeywords: a, b\nowner: edge\n--- # end\nText\n",
        "---\ntitle: X\nkeywords: a, b\nowner: edge\n\n# Customer intent: as an operator I want to scale\n\n---\nText\n",
        "---\ntitle: X\nnote: |\n  one\n\n  Two: three\nkeywords: a, b\nowner: edge\n---\nText\n",
    ],
)
def test_blank_lines_and_comments_within_fields_do_not_end_them(text: str) -> None:
    document = read(text)
    assert (document.title, document.keywords, document.fields["owner"]) == ("X", ("a", "b"), ("edge",))
    assert (codes(document), body(document)) == ([], "Text")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('+++\nsubtitle = "s"\ndescription = "the title"\ntitle = "T"\n[ms]\ntopic = "x"\n+++\n', {"title": 4, "description": 3, "ms.topic": 6}),
        ('{\n"description": "the title",\n"title": "T",\n"x": {\n"a": 1,\n"title": 2}\n}\n', {"title": 3, "x.a": 5, "x.title": 6}),
        ('---\nnote: "a\u2028b"\nother: a\u2028b\u0085c\ntitle: T\n---\n', {"note": 2, "other": 3, "title": 4}),
    ],
)
def test_a_field_has_the_line_where_it_stands(text: str, lines: dict[str, int]) -> None:
    found = read(text).field_lines
    assert {name: found[name] for name in lines} == lines


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ('{\n"description": "the title",\n"title": "T",\n"title": "U"\n}\nText\n', 4, "duplicate_field"),
        ("---\na: 1\nb: 2\nc: bad\x01\n---\nText\n", 4, "broken_frontmatter"),
        ("---\na: 1\ntitle: Ticket #42 fix\n---\nText\n", 3, "cut_value"),
        ("---json\n{}\nmore\n---\nText\n", 3, "broken_frontmatter"),
        ("---json\n{}\n\nText\n", 1, "unclosed_frontmatter"),
        ("---\na: b\ntitle：Hello\nowner: b\n---\nText\n", 3, "broken_frontmatter"),
        ("---\na: b\nno colon here\nz: w\n---\nText\n", 3, "broken_frontmatter"),
        ("---\na: b\ntags: [a, b\nowner: b\n---\nText\n", 3, "broken_frontmatter"),
    ],
)
def test_a_problem_has_the_line_of_the_fault(text: str, line: int, code: str) -> None:
    assert [(problem.line, problem.code) for problem in read(text).problems] == [(line, code)]


def test_case_45_a_value_that_yaml_takes_for_a_comment_is_reported_and_a_real_comment_is_not() -> None:
    [problem] = read("---\ntitle: C# guide #1\nweight: 10 # the order\nowner: a|b & c\n---\nText\n").problems
    assert problem.message == "the value of title ends before #1, which YAML takes for a comment; quote the value"


def test_of_merged_lists_the_first_wins_and_nothing_is_reported() -> None:
    document = read("---\nx:\n  <<: [{a: 1}, {a: 2, b: 3}]\n---\nText\n")
    assert (document.fields, codes(document)) == ({"x.a": ("1",), "x.b": ("3",)}, [])


def test_fields_that_were_never_closed_are_read_up_to_the_blank_line() -> None:
    document = read("---\ntitle: Open\n\n# Real heading\n\nSome: text: here\n\n---\n\nText\n")
    assert (document.title, document.lines[3], document.lines[5]) == ("Open", "# Real heading", "Some: text: here")


def test_yaml_tags_and_code_are_never_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    attack = f"!!python/object/apply:os.system ['touch {made}']"
    document = read(f"---\ntitle: {attack}\nother: !!python/name:os.system\n---\nText\n")
    assert not made.exists()
    assert document.fields == {"title": (f"touch {made}",), "other": ()}


def test_a_merged_mapping_and_nested_fields_have_dotted_names() -> None:
    document = read("---\nbase: &b\n  owner: edge\n  team: net\nx:\n  <<: *b\n  owner: core\n---\nText\n")
    assert {name: values for name, values in document.fields.items() if name.startswith("x.")} == {"x.owner": ("core",), "x.team": ("net",)}


@pytest.mark.parametrize("written", ["[a b, c]", "a b, c", "\n  - a b\n  - c", "a b，c"])
@pytest.mark.parametrize("field", ["keywords", "tags", "aliases", "categories", "Keywords"])
def test_lists_comma_strings_and_single_values_mean_the_same(field: str, written: str) -> None:
    document = read(f"---\n{field}: {written}\n---\nText\n")
    assert document.fields[field] == ("a b", "c")
    named = {"aliases": document.aliases, "categories": document.categories}.get(field, document.keywords)
    assert named == ("a b", "c")


def test_case_18_a_list_and_a_comma_string_filter_alike(tmp_path: Path) -> None:
    """langchain#9261."""
    text = "The {} sleeps by day."
    files = {"a.md": f"---\ntags: [x, y]\n---\n{text.format('otter')}\n", "b.md": f"---\ntags: x, y\n---\n{text.format('otter')}\n"}
    with open_engine(tmp_path, files) as engine:
        for tag in ("x", "y"):
            found = engine.lookup_knowledge("otter sleeps", scope={"tags": tag}).retrieval_trace.attempts[0].candidates
            assert sorted(one.source for one in found) == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("fields", "categories"),
    [
        ("domain: a", ("a",)),
        ("type: how-to\nsection: Publishing", ("Publishing",)),
        ("ms.topic: concept", ("concept",)),
        ("categories: [a, b]", ("a", "b")),
        ("category:\ntype: t", ("t",)),
        ("Category: a", ("a",)),
    ],
)
def test_the_first_category_field_with_a_value_counts(fields: str, categories: tuple[str, ...]) -> None:
    assert read(f"---\n{fields}\n---\nText\n").categories == categories


def test_field_names_are_a_setting(tmp_path: Path) -> None:
    text = "---\nheadline: Depot plan\nextra:\n  area: depots\nlabels: a, b\nalso: plan B\ncategory: ignored\n---\n# H\n\nText\n"
    names = {"title_fields": "headline", "category_fields": ["extra.area"], "keyword_fields": "labels", "alias_fields": "also, as well"}
    document = read_document("a.md", text, "hash", Settings().changed(names))
    assert (document.title, document.categories, document.keywords, document.aliases) == ("Depot plan", ("depots",), ("a", "b"), ("plan B",))
    with open_engine(tmp_path, {"a.md": text}, category_fields=("extra.area",)) as engine:
        assert engine.scope_fields()["category"] == ("depots",)


def test_the_title_is_the_first_heading_of_level_one_else_the_file_name() -> None:
    assert read("## Part\n\nText\n\n# The *real* `title`\n\nMore\n").title == "The real title"
    assert read("## Part\n\nText\n", "x/depot-plan_2.html.md").title == "depot plan 2"


def test_marks_that_nobody_sees_before_the_first_line_hide_no_fields(tmp_path: Path) -> None:
    data = "\ufeff\ufeff\u200b---\ntitle: X\n---\nText\n".encode()
    assert corpus_of(tmp_path, {"a.md": data}).documents[0].title == "X"
