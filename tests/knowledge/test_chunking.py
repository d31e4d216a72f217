"""Chunks: whole within the limit, cut at borders, with exact lines and stable ids."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.index.embedders import make_embedder
from engine.knowledge.chunk_names import make_breadcrumb
from engine.knowledge.chunking import Chunk, chunk_document
from engine.knowledge.document import Document, read_document
from engine.settings import Settings
from engine.tokenizer import Tokenizer, WordTokenizer

TOKENIZER = WordTokenizer()
MODEL_TOKENIZER = make_embedder(Settings()).tokenizer


def cut(text: str, limit: int = 256, source: str = "runbooks/disk.md") -> list[Chunk]:
    return chunk_document(read_document(source, text, "hash"), TOKENIZER, limit)


def test_an_id_is_path_heading_path_and_piece() -> None:
    chunks = cut("Before.\n\n# Disk Filling!\n\nIntro.\n\n## What to do\n\nDelete logs.\n")
    assert [chunk.id for chunk in chunks] == ["runbooks/disk.md#~1", "runbooks/disk.md#disk-filling~1", "runbooks/disk.md#disk-filling/what-to-do~1"]


def test_a_repeated_heading_gets_a_number() -> None:
    chunks = cut("## Steps\n\nOne.\n\n## Steps\n\nTwo.\n")
    assert [chunk.section for chunk in chunks] == ["steps", "steps-2"]


def test_a_heading_that_is_written_like_a_numbered_one_gets_its_own_id() -> None:
    chunks = cut("".join(f"## {heading}\n\nText.\n\n" for heading in ("Steps", "Steps", "Steps 2", "Steps", "Steps 2")))
    assert [chunk.section for chunk in chunks] == ["steps", "steps-2", "steps-2-2", "steps-3", "steps-2-3"]


def test_marks_of_an_id_are_encoded_in_the_path() -> None:
    assert cut("Text", source="a#b/50%~x.md")[0].id == "a%23b/50%25%7Ex.md#~1"


def test_an_id_survives_an_edit_elsewhere_in_the_file() -> None:
    before = {chunk.id for chunk in cut("# T\n\n## A\n\nOne.\n\n## B\n\nTwo.\n")}
    after = {chunk.id for chunk in cut("# T\n\nNew words here.\n\n## A\n\nOne, longer.\n\n## B\n\nTwo.\n")}
    assert before <= after


def test_lines_are_those_of_the_file_with_its_frontmatter() -> None:
    [chunk] = cut("---\ntitle: T\n---\n\n# T\n\nFirst line.\nSecond line.\n\n")
    assert (chunk.start_line, chunk.end_line, chunk.content) == (7, 8, "First line.\nSecond line.")


def test_a_breadcrumb_names_title_and_headings_once() -> None:
    assert [chunk.breadcrumb for chunk in cut("# Disk\n\nA.\n\n## Fix\n\nB.\n")] == ["Disk", "Disk > Fix"]


def test_headings_in_fences_are_text_and_the_fence_stays_whole() -> None:
    [chunk] = cut("# T\n\n```python\n# a comment\ndef f():\n    pass\n\n# another\n```\n")
    assert chunk.content.startswith("```python\n# a comment") and chunk.content.endswith("```")


def test_setext_headings_open_sections() -> None:
    assert [chunk.section for chunk in cut("Title\n=====\n\nA.\n\nPart\n----\n\nB.\n")] == ["title", "title/part"]


def test_a_heading_without_text_makes_no_chunk() -> None:
    assert [chunk.section for chunk in cut("# T\n\n## Empty\n\n## Full\n\nText.\n")] == ["t/full"]


def test_every_piece_of_a_table_carries_its_header() -> None:
    rows = "\n".join(f"| depot {i} | city {i} |" for i in range(60))
    chunks = cut(f"# T\n\n| Depot | City |\n|---|---|\n{rows}\n", limit=60)
    assert len(chunks) > 5
    assert all(chunk.content.startswith("| Depot | City |\n|---|---|\n") for chunk in chunks)
    [row_55] = [chunk for chunk in chunks if "| depot 55 |" in chunk.content]
    assert row_55.start_line <= 5 + 55 <= row_55.end_line


def test_a_fence_that_does_not_fit_carries_its_info_string() -> None:
    code = "\n".join(f"command number {i}" for i in range(60))
    chunks = cut(f"# T\n\n```bash\n{code}\n```\n", limit=50)
    assert len(chunks) > 3
    assert all(chunk.content.startswith("```bash\n") for chunk in chunks)


def test_a_sentence_longer_than_the_limit_is_cut_before_a_word() -> None:
    chunks = cut("word " * 300, limit=64)
    assert len(chunks) > 4
    assert all(set(chunk.content.split()) == {"word"} for chunk in chunks)


def test_an_emoji_is_never_torn() -> None:
    family = "👨‍👩‍👧"
    chunks = cut(family * 200, limit=40)
    assert len(chunks) > 1
    assert all(chunk.content.replace(family, "") == "" for chunk in chunks)


def test_an_empty_document_has_no_chunks() -> None:
    for text in ("", "   \n\n", "---\ntitle: Only fields\n---\n"):
        assert cut(text) == []


def test_a_heading_too_long_for_a_breadcrumb_is_text_too_and_reported() -> None:
    words = " ".join(f"word{i}" for i in range(120))
    chunks = cut(f"{words}\n---\n\nText after.\n")
    assert all(f"word{i}" in "".join(chunk.content for chunk in chunks) for i in range(120))
    assert [(one.line, one.code) for one in read_document("d.md", f"# T\n\nText\n\n## {words}\n\nText\n", "hash").problems] == [(5, "long_heading")]


def test_of_a_deep_path_the_upper_headings_are_left_out_first() -> None:
    chunks = cut("".join(f"{'#' * level} {'abcdefg ' * 6}{level}\n\nText.\n\n" for level in range(1, 6)))
    first, *_, fourth, fifth = (f"{'abcdefg ' * 6}{level}" for level in range(1, 6))
    assert chunks[-1].breadcrumb == " > ".join((first, "…", fourth, fifth))
    assert all(len(chunk.breadcrumb) <= 200 for chunk in chunks)


PARTS = [
    *("# " + "long heading " * 20, "### " + "x" * 90, "paragraph of many words " * 15 + "\nand a second line\n---"),
    *("# A", "## B", "## B 2", "# ", "####### seven", "Setext\n===", "Two\nlines\n---", "---", "+++", "* * *"),
    *("- item one\n- item two\n  - inner\n\n    more", "1. x\n2. y", "- # heading in a list\n\n  text", "> quote\n> # in it\n>\n> - list"),
    *("```sh\nls\n\n# c\n```", "~~~\nnever closed", "    indented code\n\n    more of it", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
    *("<div>\n# in html\n</div>", "<!-- a comment\n\n# in it\n-->", "<script>\n\nx</script>", "[r]: /u 'title'"),
    *("[[wiki link]] {{< shortcode >}} <Mdx prop={1} />", "\\# escaped"),
    *("a sentence. Another one! 句子。另一个。", "word " * 90, "x" * 300, "字" * 120, "👨‍👩‍👧" * 60, " " * 300 + "end", "a  \nhard  \nbreaks"),
]
MARKDOWN = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=80),
        st.text(alphabet="#-*>`|[]()!~=_<&;: \n\ta1.é中\u200d\u2028\f", max_size=60),
        st.sampled_from(PARTS),
    ),
    max_size=10,
).flatmap(lambda parts: st.sampled_from(["\n\n".join(parts), "\n".join(parts), "\n> ".join(parts), "\n  ".join(parts)]))


def expected_text(document: Document, tokenizer: Tokenizer, limit: int) -> list[str]:
    """The lines of a document but for the headings that their breadcrumb shows whole, by another parse than the chunker's."""
    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(document.lines))
    opened = [token.map for token in tokens if token.type == "heading_open" and token.level == 0 and token.map]
    sections = [section for section in document.sections if section.headings]
    assert [(section.line, section.text_line) for section in sections] == [(start, end) for start, end in opened]
    crumbs = [make_breadcrumb(document.title, section.headings, tokenizer.count, limit) for section in sections]
    named = [section for section, crumb in zip(sections, crumbs, strict=True) if section.headings[-1] in crumb]
    shown = {at for section in named for at in range(section.line, section.text_line)}
    return [line for at, line in enumerate(document.lines) if at not in shown]


def squeezed(lines: list[str]) -> str:
    """The text of some lines without any white space."""
    return "".join("".join(lines).split())


@settings(max_examples=200, deadline=None)
@given(MARKDOWN, st.integers(32, 80))
def test_chunks_cover_the_body_in_order_with_exact_lines_within_the_limit(text: str, limit: int) -> None:
    for tokenizer in (TOKENIZER, MODEL_TOKENIZER):
        document = read_document("d.md", text, "hash")
        chunks = chunk_document(document, tokenizer, limit)
        own = [chunk.content.removeprefix(chunk.carried) for chunk in chunks]
        assert squeezed(own) == squeezed(expected_text(document, tokenizer, limit))
        for chunk, content in zip(chunks, own, strict=True):
            assert content.strip()
            assert content.count("\n") == chunk.end_line - chunk.start_line
            assert content in "\n".join(document.lines[chunk.start_line - 1 : chunk.end_line])
            assert tokenizer.count(chunk.embedded_text) + tokenizer.reserved <= limit
            assert chunk.tokens == tokenizer.count(chunk.content)
        assert [chunk.start_line for chunk in chunks] == sorted(chunk.start_line for chunk in chunks)
        assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("restart " * 10 + "ab1x9" * 12 + "👨\u200d" * 30, 32),
        ("kubectl " * 115 + "xqzt" * 20 + "\x85" * 30 + "xqzt" * 20 + " word" * 100, 256),
        ("kubectl " * 20 + "xqzt" * 20 + "\x0c" * 30 + "xqzt" * 20 + " word" * 100, 64),
    ],
)
def test_what_the_model_takes_apart_or_out_does_not_exceed_the_limit(text: str, limit: int) -> None:
    chunks = chunk_document(read_document("d.md", text, "hash"), MODEL_TOKENIZER, limit)
    assert max(MODEL_TOKENIZER.count(chunk.embedded_text) + MODEL_TOKENIZER.reserved for chunk in chunks) <= limit


def test_a_first_row_or_code_line_that_is_too_long_carries_its_head_on() -> None:
    row = " ".join(f"word{i}" for i in range(200))
    for text, head in ((f"| A | B |\n|---|---|\n| {row} | x |\n", "| A | B |\n|---|---|\n"), (f"```json\n{row}\n```\n", "```json\n")):
        chunks = cut(text, limit=64)
        assert len(chunks) > 3
        assert all(chunk.content.startswith(head) for chunk in chunks)


def test_a_heading_of_a_picture_or_a_component_has_a_name() -> None:
    text = "## ![Architecture diagram](x.png)\n\nOne.\n\n## <Comp title='Quux'/>\n\nTwo.\n"
    assert [chunk.breadcrumb for chunk in cut(text)] == ["disk > Architecture diagram", "disk > <Comp title='Quux'/>"]
