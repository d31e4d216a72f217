"""A folder of Markdown files read into documents; every file is indexed or reported."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from engine.contracts.reports import Problem, SkippedFile
from engine.knowledge.document import Document, read_document
from engine.knowledge.reading import read_files
from engine.progress import Progress, no_progress
from engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that was found in the folder."""

    documents: tuple[Document, ...]
    skipped: tuple[SkippedFile, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all documents, in the order of the documents."""
        return tuple(problem for document in self.documents for problem in document.problems)


def read_corpus(kb: Path, settings: Settings | None = None, progress: Progress = no_progress) -> Corpus:
    """Read every document of a knowledge base; the settings say which fields mean what. Raises KnowledgeBaseMissing."""
    files = read_files(kb, {}, progress)
    documents = [read_document(file.source, file.text, file.content_hash, settings) for file in files.new]
    sources = [document.source for document in documents]
    folders, twins = folder_categories(sources), twin_problems(sources)
    return Corpus(tuple(_with_neighbours(document, folders, twins) for document in documents), files.skipped)


def _with_neighbours(document: Document, folders: Mapping[str, str], twins: Mapping[str, Problem]) -> Document:
    """A document with what only the other documents tell of it."""
    if not document.categories and document.source in folders:
        document = replace(document, categories=(folders[document.source],), category_origin="folder")
    if document.source in twins:
        document = replace(document, problems=(*document.problems, twins[document.source]))
    return document


def twin_problems(sources: Iterable[str]) -> dict[str, Problem]:
    """Two names that are one name on some systems are both read, and reported."""
    first: dict[str, str] = {}
    found = {}
    for source in sources:
        twin = first.setdefault(unicodedata.normalize("NFC", source).casefold(), source)
        if twin != source:
            message = f"its name differs from {twin} only by capitals or by how accents are written; rename one of them"
            found[source] = Problem(source=source, line=1, code="twin_name", message=message)
    return found


def folder_categories(sources: Sequence[str]) -> dict[str, str]:
    """The first folder below the folders that all documents share, for each that lies in one: its category where it names none."""
    folders = [PurePosixPath(source).parts[:-1] for source in sources]
    levels = zip(*folders, strict=False)
    shared = next((depth for depth, names in enumerate(levels) if len(set(names)) > 1), min(map(len, folders), default=0))
    return {source: parts[shared] for source, parts in zip(sources, folders, strict=True) if len(parts) > shared}
