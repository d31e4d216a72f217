"""Which links are broken, and on which line they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.index.embedding import HashEmbedder
from engine.insight.lint.rules import lint
from tests.knowledge_base import hash_settings, write_files

FILES = {
    "docs/plan.md": "Plan.",
    "docs/page.html.md": "Page.",
    "docs/my notes.mdx": "Notes.",
    "docs/deep/README.md": "Deep.",
    "docs/site/index.html.md": "Site.",
    "docs/picture.png": "",
    "top.md": "Top.",
    "evidence.toml": "",
}


def broken(folder: Path, text: str) -> list[tuple[int, str]]:
    kb = write_files(folder / "kb", {**FILES, "docs/from.md": text})
    found = lint(kb, hash_settings(folder / "index"), HashEmbedder()).findings
    said = [(one.line, one.message.removesuffix(" leads to no file")) for one in found if one.code == "broken_link"]
    return [(line, message.removeprefix("the link to ").removeprefix("the picture ")) for line, message in said]


@pytest.mark.parametrize(
    "target",
    [
        *("plan.md", "./plan.md#part", "plan.md?view=1", "plan", "plan.html", "page.html", "my%20notes.mdx", "<my notes.mdx>"),
        *("deep", "deep/", "site", "picture.png", "../top.md", "../evidence.toml", "../docs/plan.md", "#part", "", "?q=1"),
        *("https://example.com/x", "//example.com/x", "mailto:a@example.com", "/x.md", "../../outside.md", ".github/x.md", "~/x.md"),
        *("{{site}}/x.md", "<{% link x.md %}>", "<<%= x %>>", "$base/x.md", "https://[x/"),
    ],
)
def test_a_link_that_leads_somewhere_or_nowhere_in_the_knowledge_base_is_left_alone(tmp_path: Path, target: str) -> None:
    assert broken(tmp_path, f"[x]({target})\n") == []


@pytest.mark.parametrize("target", ["plans.md", "deep/plan.md", "plan.md/x", "../from.md", "docs/plan.md", "my%20note.mdx", "picture.jpg", "Plan.md"])
def test_a_link_to_a_missing_file_is_found(tmp_path: Path, target: str) -> None:
    assert broken(tmp_path, f"[x]({target})\n") == [(1, target.replace("%20", " "))]


def test_the_line_is_the_one_on_which_the_link_begins(tmp_path: Path) -> None:
    text = """---
title: x
---
# Heading with a [link](a.md)

A paragraph with `code
over two lines` and
a [link](b.md),
and ![a picture](c.png) in [a ![d](d.png) link
of two lines](e.md).

| a | b |
|---|---|
| x | [link](f.md) |

> a quote
> with a [link][ref]

- item
  [link](g.md)

[ref]: h.md
"""
    expected = [(4, "a.md"), (8, "b.md"), (9, "c.png"), (9, "d.png"), (9, "e.md"), (14, "f.md"), (17, "h.md"), (20, "g.md")]
    assert sorted(broken(tmp_path, text)) == sorted(expected)


def test_what_is_code_or_escaped_is_no_link(tmp_path: Path) -> None:
    assert broken(tmp_path, "`[x](a.md)`\n\n```\n[x](b.md)\n```\n\n    [x](c.md)\n\n\\[x](d.md)\n\n<!-- [x](e.md) -->\n") == []


def test_footnotes_and_folders_are_no_broken_links(tmp_path: Path) -> None:
    kb = write_files(tmp_path, {"docs/a.md": "See [^1] and [the rest](../notes) and [all](../notes/).\n\n[^1]: TODO\n", "notes/b.md": "Text."})
    found = lint(kb, hash_settings(tmp_path / "index"), HashEmbedder()).findings
    assert [one for one in found if one.code == "broken_link"] == []
