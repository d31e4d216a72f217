"""Files of a knowledge base read without an engine."""

from __future__ import annotations

from pathlib import Path

from engine.knowledge.corpus import Corpus, read_corpus
from engine.knowledge.document import Document, read_document


def read(text: str, source: str = "a/b.md") -> Document:
    return read_document(source, text, "hash")


def codes(document: Document) -> list[str]:
    return [problem.code for problem in document.problems]


def body(document: Document) -> str:
    return "\n".join(line for line in document.lines if line.strip())


def corpus_of(folder: Path, files: dict[str, bytes]) -> Corpus:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return read_corpus(folder)
