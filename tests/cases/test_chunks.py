"""Reports about passages that were cut where they should not be; each number is the case's own."""

from __future__ import annotations

from pathlib import Path

from engine.knowledge.chunking import Chunk, chunk_document
from engine.knowledge.document import read_document
from engine.tokenizer import WordTokenizer
from tests.knowledge_base import open_engine

PYTHON = """```python
# configuration
def rotate(journal):
    # keep seven days
    journal.rotate(days=7)

# run
rotate(open_journal())
```"""


def cut(text: str, limit: int) -> list[Chunk]:
    return chunk_document(read_document("d.md", text, "hash"), WordTokenizer(), limit)


def table(rows: int) -> str:
    return "| Depot | Code |\n| --- | --- |\n" + "\n".join(f"| Harbour {i} | KX{i}9 |" for i in range(1, rows + 1))


def test_case_49_comments_in_a_fenced_block_are_no_headings_and_the_block_stays_whole(tmp_path: Path) -> None:
    """haystack PR#11011, langchain PR#10262, canopy PR#48."""
    filler = "The journal grows on every depot server during the day. " * 6
    chunks = cut(f"# Journal\n\n{filler}\n\n{PYTHON}\n\n{filler}\n", limit=100)
    assert {chunk.section for chunk in chunks} == {"journal"}
    assert [chunk for chunk in chunks if "```" in chunk.content] == [chunk for chunk in chunks if PYTHON in chunk.content] != []


def test_case_49_a_fence_longer_than_a_chunk_carries_its_info_string() -> None:
    code = "\n".join(f"# step {i}\nrun step {i}" for i in range(40))
    chunks = cut(f"# T\n\n```bash title=run.sh\n{code}\n```\n", limit=60)
    assert len(chunks) > 3
    assert all(chunk.content.startswith("```bash title=run.sh\n") for chunk in chunks)


def test_case_50_the_header_travels_with_row_55_of_a_table(tmp_path: Path) -> None:
    """open-webui#30413, Unstructured#3778, xberg#1100, chonkie#582."""
    with open_engine(tmp_path, {"depots.md": f"# Depots\n\n{table(60)}\n"}, chunk_tokens=80) as engine:
        [block, *_] = engine.lookup_knowledge("code of depot Harbour 55").evidence_blocks
        assert block.content.startswith("| Depot | Code |\n| --- | --- |\n")
        assert "| Harbour 55 | KX559 |" in block.content
        assert block.lines.start <= 4 + 55 <= block.lines.end


def test_case_50_a_table_that_has_a_second_header_row_in_its_body_keeps_both() -> None:
    chunks = cut(f"# Depots\n\n{table(8)}\n| **Depot** | **Code** |\n" + "\n".join(table(60).split("\n")[2:]) + "\n", limit=80)
    assert all(chunk.content.startswith("| Depot | Code |\n| --- | --- |\n| ") for chunk in chunks)
    assert sum("| **Depot** | **Code** |" in chunk.content for chunk in chunks) == 1


def test_case_52_no_two_packed_items_cover_the_same_text(tmp_path: Path) -> None:
    """compost#170, SillyTavern#1741."""
    sections = [" ".join(f"Depot {i} closes at noon and opens again at one." for i in range(start, start + 20)) for start in (0, 20, 40)]
    text = "# Hours\n\n" + "\n\n".join(f"## Part {i}\n\n{section}" for i, section in enumerate(sections))
    with open_engine(tmp_path, {"hours.md": text}, chunk_tokens=60, budget_tokens=4000) as engine:
        result = engine.lookup_knowledge("when does depot 7 close")
        packed = [set(range(item.lines.start, item.lines.end + 1)) for item in result.context_pack.included]
        assert len(packed) == 3 and len(set.union(*packed)) == sum(map(len, packed))
        sentences = [sentence for block in result.evidence_blocks for sentence in block.content.split(". ")]
        assert len(sentences) == len(set(sentences)) > 20


def test_lines_of_html_and_of_indented_code_are_cut_at_line_ends() -> None:
    for line in ("<li>depot number {} is closed on the first day</li>", "    run the depot step number {} of the day"):
        text = "\n".join(line.format(i) for i in range(60))
        chunks = cut(f"# T\n\n{text}\n", limit=60)
        assert len(chunks) > 5
        assert all(part in text.split("\n") for chunk in chunks for part in chunk.content.split("\n"))
