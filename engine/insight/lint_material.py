"""What the lint rules look at: the files as they are now, cut as a sync would cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from engine.contracts.lint import Finding
from engine.contracts.reports import SkippedFile
from engine.index.embedding import Embedder, Progress
from engine.index.sync import cut_documents
from engine.knowledge.chunking import Chunk
from engine.knowledge.corpus import Corpus, Document, read_corpus
from engine.knowledge.files import decode, read_file
from engine.settings import Settings
from engine.text import terms


@dataclass(frozen=True, slots=True)
class Material:
    """A knowledge base without an index."""

    corpus: Corpus
    chunks: tuple[Chunk, ...]
    terms: tuple[tuple[str, ...], ...]  # the search terms of each chunk, repeated head left out
    heads: Mapping[str, tuple[str, ...]]  # the frontmatter of each document as its author wrote it, by line
    settings: Settings
    embedder: Embedder

    def field_line(self, source: str, names: Iterable[str], value: str = "") -> int:
        """The line, from 1, where the first of some fields stands, or the value in it; 1 where neither is plain to see."""
        head = self.heads.get(source, ())
        wanted = tuple(names)
        first = next((at for at, line in enumerate(head) if _key(line) in wanted), None)
        if first is None:
            return 1
        end = next((at for at in range(first + 1, len(head)) if _key(head[at])), len(head))
        return next((at for at in range(first, end) if value in head[at]), first) + 1


Rule = Callable[[Material], Iterable[Finding]]


def read_material(kb: Path, settings: Settings, embedder: Embedder, progress: Progress) -> Material:
    """Read and cut every document. Raises KnowledgeBaseMissing."""
    progress("read", 0, 1)
    corpus = read_corpus(kb)
    heads = {document.source: _head(kb, document) for document in corpus.documents if document.fields}
    progress("read", 1, 1)
    chunks = tuple(cut_documents(corpus, settings, embedder, progress))
    found = []
    for done, chunk in enumerate(chunks):
        if done % 500 == 0:
            progress("words", done, len(chunks))
        found.append(tuple(terms(chunk.content[len(chunk.carried) :])))
    progress("words", len(chunks), len(chunks))
    return Material(corpus, chunks, tuple(found), heads, settings, embedder)


def _head(kb: Path, document: Document) -> tuple[str, ...]:
    """The lines above the text, which the reader leaves blank."""
    data = read_file(document.source, kb / document.source, kb.resolve())
    text = data if isinstance(data, SkippedFile) else decode(document.source, data)
    blank = len(list(takewhile(lambda line: not line.strip(), document.lines)))
    return () if isinstance(text, SkippedFile) else tuple(text.split("\n")[:blank])


def _key(line: str) -> str:
    name, colon, _ = line.partition(":")
    return name.strip().strip("'\"") if colon and not line[:1].isspace() else ""
