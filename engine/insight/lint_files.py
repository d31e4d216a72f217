"""What the reader skipped, what it complained about, and what the embedding model cannot read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.contracts.lint import Finding
from engine.index.state import unreadable_problem
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material
from engine.knowledge.chunking import Chunk


def skipped_files(material: Material) -> Iterator[Finding]:
    """Every file that is not indexed, whatever the reader's reason."""
    return (finding(file.code, file.source, 1, file.reason) for file in material.corpus.skipped)


def reader_problems(material: Material) -> Iterator[Finding]:
    """Every fault that the reader found in a file that is indexed all the same."""
    return (finding(problem.code, problem.source, problem.line, problem.message) for problem in material.corpus.problems)


def unreadable_by_embedder(material: Material) -> Iterator[Finding]:
    """One finding for each document with passages of which the model reads too small a share."""
    weak = [chunk for chunk in material.chunks if chunk.readable < material.settings.minimum_readable]
    for source, line, count in _by_document(weak):
        problem = unreadable_problem(source, line, count)
        yield finding(problem.code, source, line, problem.message)


def beyond_embedder_limit(material: Material) -> Iterator[Finding]:
    """One finding for each document with passages that are longer than what the model reads."""
    tokenizer, most = material.embedder.tokenizer, material.embedder.max_tokens
    if material.settings.chunk_tokens <= most:
        return
    sizes = ((chunk, chunk.tokens + tokenizer.count(chunk.breadcrumb) + tokenizer.reserved) for chunk in material.chunks)
    for source, line, count in _by_document(chunk for chunk, size in sizes if size > most):
        message = f"the embedding model does not see the end of {count} passages: it reads {most} tokens, breadcrumb included"
        yield finding("beyond_embedder_limit", source, line, message)


def _by_document(chunks: Iterable[Chunk]) -> list[tuple[str, int, int]]:
    """Source, first line and number of some chunks."""
    lines: dict[str, list[int]] = {}
    for chunk in chunks:
        lines.setdefault(chunk.source, []).append(chunk.start_line)
    return [(source, min(found), len(found)) for source, found in lines.items()]
