"""A folder of Markdown files read into documents; every file is indexed or reported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.contracts.reports import Problem, SkippedFile
from engine.digest import bytes_hash
from engine.knowledge.chunk_names import MOST_NAME_CHARACTERS
from engine.knowledge.files import decode, list_files, read_file
from engine.knowledge.frontmatter import read_frontmatter
from engine.knowledge.outline import Section, outline

CATEGORY_FIELDS = ("category", "categories")
KEYWORD_FIELDS = ("keywords", "tags")
ALIAS_FIELDS = ("aliases", "alias")


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its fields, its text by line, and where its category came from."""

    source: str
    title: str
    categories: tuple[str, ...]
    category_origin: str  # frontmatter, folder or none
    keywords: tuple[str, ...]
    aliases: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]
    lines: tuple[str, ...]  # of the whole file; those of the frontmatter are blank
    sections: tuple[Section, ...]
    content_hash: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that was found in the folder."""

    documents: tuple[Document, ...]
    skipped: tuple[SkippedFile, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all documents, in the order of the documents."""
        return tuple(problem for document in self.documents for problem in document.problems)


def read_corpus(kb: Path) -> Corpus:
    """Read every document of a knowledge base. Raises KnowledgeBaseMissing."""
    root = kb.resolve()
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    for source, path in list_files(kb):
        data = read_file(source, path, root)
        text = data if isinstance(data, SkippedFile) else decode(source, data)
        if isinstance(text, SkippedFile):
            skipped.append(text)
        elif not isinstance(data, SkippedFile):
            documents.append(read_document(source, text, bytes_hash(data)))
    return Corpus(_with_folder_categories(documents), tuple(skipped))


def read_document(source: str, text: str, file_hash: str) -> Document:
    """One document from the text of its file."""
    lines = text.split("\n")
    front = read_frontmatter(source, lines)
    lines = [""] * front.body_line + lines[front.body_line :]
    sections = outline(lines)
    title, problems = _title(source, front.fields, sections, front.problems)
    categories = _values(front.fields, CATEGORY_FIELDS)
    return Document(
        source=source,
        title=title,
        categories=categories,
        category_origin="frontmatter" if categories else "none",
        keywords=_values(front.fields, KEYWORD_FIELDS),
        aliases=_values(front.fields, ALIAS_FIELDS),
        fields=front.fields,
        lines=tuple(lines),
        sections=sections,
        content_hash=file_hash,
        problems=problems,
    )


def _values(fields: dict[str, tuple[str, ...]], names: tuple[str, ...]) -> tuple[str, ...]:
    """The values of the named fields; a single value may list several between commas."""
    found = [fields[name] for name in names if name in fields]
    split = [part.strip() for values in found for value in values for part in (value.split(",") if len(values) == 1 else [value])]
    return tuple(dict.fromkeys(part for part in split if part))


def _title(
    source: str, fields: dict[str, tuple[str, ...]], sections: tuple[Section, ...], problems: tuple[Problem, ...]
) -> tuple[str, tuple[Problem, ...]]:
    """Title from frontmatter, else the first heading, else the file name; capped, which is a problem to report."""
    headings = (section.headings[0] for section in sections if section.headings and section.headings[0])
    given = " ".join(fields.get("title", ())) or next(headings, "") or Path(source).stem.replace("-", " ").replace("_", " ")
    title = " ".join(given.split())
    if len(title) <= MOST_NAME_CHARACTERS:
        return title, problems
    message = f"the title has {len(title)} characters and is cut after {MOST_NAME_CHARACTERS}; shorten it"
    return title[:MOST_NAME_CHARACTERS], (*problems, Problem(source=source, line=1, code="long_title", message=message))


def _with_folder_categories(documents: list[Document]) -> tuple[Document, ...]:
    """Documents without a category get the first folder below the folders that all documents share."""
    folders = [Path(document.source).parts[:-1] for document in documents]
    levels = zip(*folders, strict=False)
    shared = next((depth for depth, names in enumerate(levels) if len(set(names)) > 1), min(map(len, folders), default=0))
    return tuple(
        replace(document, categories=(parts[shared],), category_origin="folder") if not document.categories and len(parts) > shared else document
        for document, parts in zip(documents, folders, strict=True)
    )
