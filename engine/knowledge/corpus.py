"""A folder of Markdown files read into documents; every file is indexed or reported."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contracts.reports import Problem, SkippedFile
from engine.digest import bytes_hash
from engine.knowledge.collector import collector_paused
from engine.knowledge.document import Document, read_document
from engine.knowledge.files import decode, list_files, read_file
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
    root = kb.resolve()
    progress("read", 0, 1)
    chosen = settings or Settings()
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    with collector_paused():
        for source, path in list_files(kb):
            data = read_file(source, path, root)
            text = data if isinstance(data, SkippedFile) else decode(source, data)
            if isinstance(text, SkippedFile):
                skipped.append(text)
            elif not isinstance(data, SkippedFile):
                documents.append(read_document(source, text, bytes_hash(data), chosen))
    progress("read", 1, 1)
    return Corpus(_with_twins_reported(_with_folder_categories(documents)), tuple(skipped))


def _with_twins_reported(documents: tuple[Document, ...]) -> tuple[Document, ...]:
    """Two names that are one name on some systems are both read, and reported."""
    first: dict[str, str] = {}
    reported = []
    for document in documents:
        twin = first.setdefault(unicodedata.normalize("NFC", document.source).casefold(), document.source)
        if twin != document.source:
            message = f"its name differs from {twin} only by capitals or by how accents are written; rename one of them"
            problem = Problem(source=document.source, line=1, code="twin_name", message=message)
            document = replace(document, problems=(*document.problems, problem))
        reported.append(document)
    return tuple(reported)


def _with_folder_categories(documents: list[Document]) -> tuple[Document, ...]:
    """Documents without a category get the first folder below the folders that all documents share."""
    folders = [Path(document.source).parts[:-1] for document in documents]
    levels = zip(*folders, strict=False)
    shared = next((depth for depth, names in enumerate(levels) if len(set(names)) > 1), min(map(len, folders), default=0))
    return tuple(
        replace(document, categories=(parts[shared],), category_origin="folder") if not document.categories and len(parts) > shared else document
        for document, parts in zip(documents, folders, strict=True)
    )
