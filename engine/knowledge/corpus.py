"""A folder of Markdown files read into documents; every file is indexed or reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contracts.reports import Problem, SkippedFile
from engine.digest import bytes_hash
from engine.knowledge.chunk_names import MOST_NAME_CHARACTERS
from engine.knowledge.files import decode, list_files, read_file
from engine.knowledge.frontmatter import Frontmatter, read_frontmatter
from engine.knowledge.outline import Section, outline
from engine.settings import Settings

_MOST_BEFORE_A_TITLE = 10  # blocks; a first heading far down is the title of a part, not of the text above it
_COMMA = re.compile("[,，、]")


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
    field_lines: dict[str, int]  # 1-based
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


def read_corpus(kb: Path, settings: Settings | None = None) -> Corpus:
    """Read every document of a knowledge base; the settings say which fields mean what. Raises KnowledgeBaseMissing."""
    root = kb.resolve()
    chosen = settings or Settings()
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    for source, path in list_files(kb):
        data = read_file(source, path, root)
        text = data if isinstance(data, SkippedFile) else decode(source, data)
        if isinstance(text, SkippedFile):
            skipped.append(text)
        elif not isinstance(data, SkippedFile):
            documents.append(read_document(source, text, bytes_hash(data), chosen))
    return Corpus(_with_twins_reported(_with_folder_categories(documents)), tuple(skipped))


def read_document(source: str, text: str, file_hash: str, settings: Settings | None = None) -> Document:
    """One document from the text of its file."""
    chosen = settings or Settings()
    lines = text.split("\n")
    front = read_frontmatter(source, lines)
    lines = [""] * front.body_line + lines[front.body_line :]
    sections = outline(lines)
    lists = {name.casefold() for name in (*chosen.category_fields, *chosen.keyword_fields, *chosen.alias_fields)}
    fields = {name: _split(values) if name.casefold() in lists else values for name, values in front.fields.items()}
    title, title_line = _title(source, fields, front, sections, chosen.title_fields)
    categories = next((values for _, values in _named(fields, chosen.category_fields) if values), ())
    problems = [*front.problems, *_long_title(source, title, title_line), *_no_text(source, sections)]
    return Document(
        source=source,
        title=title[:MOST_NAME_CHARACTERS],
        categories=categories,
        category_origin="frontmatter" if categories else "none",
        keywords=_all_values(fields, chosen.keyword_fields),
        aliases=_all_values(fields, chosen.alias_fields),
        fields=fields,
        field_lines=front.lines,
        lines=tuple(lines),
        sections=sections,
        content_hash=file_hash,
        problems=tuple(problems),
    )


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """A list, or a single value that lists several between commas."""
    split = _COMMA.split(values[0]) if len(values) == 1 else values
    return tuple(dict.fromkeys(part.strip() for part in split if part.strip()))


def _named(fields: dict[str, tuple[str, ...]], names: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The fields with one of the names, in the order of the names, however they are capitalised."""
    wanted = [name.casefold() for name in names]
    return sorted(((name, values) for name, values in fields.items() if name.casefold() in wanted), key=lambda one: wanted.index(one[0].casefold()))


def _all_values(fields: dict[str, tuple[str, ...]], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for _, values in _named(fields, names) for value in values))


def _title(
    source: str, fields: dict[str, tuple[str, ...]], front: Frontmatter, sections: tuple[Section, ...], names: Iterable[str]
) -> tuple[str, int]:
    """Title from frontmatter, else the first heading of level one, else the file name, and the line where it stands."""
    for name, values in _named(fields, names):
        if given := " ".join(" ".join(values).split()):
            return given, front.lines[name]
    top = next((section for section in sections if section.level == 1 and section.headings[0]), None)
    before = [block for block in sections[0].blocks if block.kind != "html"]  # badges and licences stand above many a title
    if top is not None and len(before) <= _MOST_BEFORE_A_TITLE:
        return " ".join(top.headings[0].split()), top.line + 1
    return " ".join(Path(source).stem.removesuffix(".html").replace("-", " ").replace("_", " ").split()), 1


def _long_title(source: str, title: str, line: int) -> Iterable[Problem]:
    if len(title) > MOST_NAME_CHARACTERS:
        message = f"the title has {len(title)} characters and is cut after {MOST_NAME_CHARACTERS}; shorten it"
        yield Problem(source=source, line=line, code="long_title", message=message)


def _no_text(source: str, sections: tuple[Section, ...]) -> Iterable[Problem]:
    if not any(section.blocks for section in sections):
        has = "has headings but no text under them" if len(sections) > 1 else "has no text"
        message = f"the document {has}, so it can never be evidence; write some or remove the file"
        yield Problem(source=source, line=1, code="no_text", message=message)


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
