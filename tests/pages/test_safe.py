"""Foreign text reads as itself and does nothing."""

from __future__ import annotations

import pytest

from pages.ui.safe import markdown, plotly, shorten


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain words", "plain words"),
        ("two\n\nlines\t here", "two lines here"),
        ("**b** _i_ `c`", r"\*\*b\*\* \_i\_ \`c\`"),
        ("![x](http://e.org/x.png)", "\\!\\[x\\]\\(http\\:\u2060\\/\\/e\\.org\\/x\\.png\\)"),
        (":red[x]", r"\:red\[x\]"),
        (":tada:", "\\:\u2060tada\\:"),
        (":material/home:", "\\:\u2060material\\/home\\:"),
        ("$x$ 0.688", r"\$x\$ 0\.688"),
        ("<script>", r"\<script\>"),
        ("a -> b", "a \\-\u2060\\> b"),
    ],
)
def test_markdown_is_escaped_to_one_line(text: str, escaped: str) -> None:
    assert markdown(text) == escaped


def test_a_plotly_label_has_no_tag_entity_or_formula() -> None:
    assert plotly("<a href='x'>$y$</a>\n&lt;") == "&lt;a href='x'&gt;&#36;y&#36;&lt;/a&gt; &amp;lt;"


@pytest.mark.parametrize(
    ("text", "cells", "short"),
    [
        ("short.md", 10, "short.md"),
        ("runbooks/ledger-write-stall.md", 13, "runboo…all.md"),
        ("手持扫描枪故障处理", 9, "手持…处理"),
        ("手持扫描枪故障处理", 18, "手持扫描枪故障处理"),
        ("", 5, ""),
    ],
)
def test_a_long_name_loses_its_middle(text: str, cells: int, short: str) -> None:
    assert shorten(text, cells) == short
