"""A folder of Markdown files read into documents; every file is indexed or reported."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contracts.reports import Problem, SkippedFile
from engine.errors import KnowledgeBaseMissing
from engine.knowledge.frontmatter import read_frontmatter
from engine.knowledge.outline import Section, outline

MARKDOWN_SUFFIXES = {".md", ".markdown", ".mdx"}
OWN_FILES = {"cases.yaml", "evidence.toml"}  # about the knowledge base, not in it
MOST_BYTES = 20_000_000  # a larger file is a dump, not a document
MOST_TITLE_CHARACTERS = 200
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


def list_files(kb: Path) -> Iterator[tuple[str, Path]]:
    """Every visible file of a knowledge base as (source, path), in the order of the sources.

    Raises:
        KnowledgeBaseMissing: there is no folder at `kb`.
    """
    if not kb.is_dir():
        raise KnowledgeBaseMissing(f"there is no knowledge base at {kb}; give a folder of Markdown files with --kb PATH")
    found = []
    for folder, folders, files in os.walk(kb):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(folder, name) for name in files if not name.startswith(".")]
    named = ((path.relative_to(kb).as_posix(), path) for path in found)
    return iter(sorted((source, path) for source, path in named if source not in OWN_FILES))


def read_corpus(kb: Path) -> Corpus:
    """Read every document of a knowledge base. Raises KnowledgeBaseMissing."""
    root = kb.resolve() if kb.is_dir() else kb
    documents: list[Document] = []
    skipped: list[SkippedFile] = []
    for source, path in list_files(kb):
        read = _read_bytes(source, path, root)
        text = read if isinstance(read, SkippedFile) else _decode(source, read)
        if isinstance(text, SkippedFile) or isinstance(read, SkippedFile):
            skipped.append(text if isinstance(text, SkippedFile) else SkippedFile.model_validate(read))
        else:
            documents.append(read_document(source, text, content_hash(read)))
    return Corpus(_with_folder_categories(documents), tuple(skipped))


def content_hash(data: bytes) -> str:
    """The hash by which two versions of a file are compared."""
    return hashlib.sha256(data).hexdigest()


def read_document(source: str, text: str, file_hash: str) -> Document:
    """One document from the text of its file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
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


def _read_bytes(source: str, path: Path, root: Path) -> bytes | SkippedFile:
    if path.suffix.lower() not in MARKDOWN_SUFFIXES:
        return SkippedFile(source=_printable(source), code="not_markdown", reason="only .md, .markdown and .mdx files are read")
    try:
        if not path.resolve().is_relative_to(root):
            return SkippedFile(source=_printable(source), code="outside", reason="the link leads outside of the knowledge base; copy the file into it")
        if path.stat().st_size > MOST_BYTES:
            return SkippedFile(source=_printable(source), code="too_large", reason=f"larger than {MOST_BYTES // 1_000_000} MB; split it")
        return path.read_bytes() if _printable(source) == source else SkippedFile(
            source=_printable(source), code="unreadable", reason="the file name is not Unicode; rename it"
        )
    except OSError as failure:
        return SkippedFile(source=_printable(source), code="unreadable", reason=f"{failure.strerror or failure}; make the file readable")


def _decode(source: str, data: bytes) -> str | SkippedFile:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as failure:
        line = data[: failure.start].count(b"\n") + 1
        return SkippedFile(source=source, code="undecodable", reason=f"line {line} is not {encoding.removesuffix('-sig').upper()}; save the file as UTF-8")
    if "\0" in text:
        return SkippedFile(source=source, code="binary", reason=f"line {text[: text.index(chr(0))].count(chr(10)) + 1} has a NUL character; this is no text")
    return text


def _printable(source: str) -> str:
    return source.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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
    if len(title) <= MOST_TITLE_CHARACTERS:
        return title, problems
    message = f"the title has {len(title)} characters and is cut after {MOST_TITLE_CHARACTERS}; shorten it"
    return title[:MOST_TITLE_CHARACTERS], (*problems, Problem(source=source, line=1, code="long_title", message=message))


def _with_folder_categories(documents: list[Document]) -> tuple[Document, ...]:
    """Documents without a category get the first folder below the folders that all documents share."""
    folders = [Path(document.source).parts[:-1] for document in documents]
    shared = len(os.path.commonprefix(folders)) if folders else 0
    return tuple(
        replace(document, categories=(parts[shared],), category_origin="folder") if not document.categories and len(parts) > shared else document
        for document, parts in zip(documents, folders, strict=True)
    )
