"""One file read into a document: what it is called, what its fields mean, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.contracts.reports import Problem
from engine.knowledge.chunk_names import MOST_NAME_CHARACTERS, shorter_breadcrumbs
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
    title_line: int  # 1-based; 1 where it is the file name
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


def read_document(source: str, text: str, file_hash: str, settings: Settings | None = None) -> Document:
    """One document from the text of its file."""
    chosen = settings or Settings()
    lines = text.split("\n")
    front = read_frontmatter(source, lines)
    lines = [""] * front.body_line + lines[front.body_line :]
    sections = outline(lines)
    lists = {name.casefold() for name in (*chosen.category_fields, *chosen.keyword_fields, *chosen.alias_fields)}
    fields = {name: _split(values) if name.casefold() in lists and name not in front.lists else values for name, values in front.fields.items()}
    title, title_line = _title(source, fields, front, sections, chosen.title_fields)
    categories = next((values for _, values in _named(fields, chosen.category_fields) if values), ())
    problems = [*front.problems, *_long_title(source, title, title_line), *_long_headings(source, title, sections), *_no_text(source, sections)]
    return Document(
        source=source,
        title=title[:MOST_NAME_CHARACTERS],
        title_line=title_line,
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
    """The values that a text lists between commas."""
    return tuple(dict.fromkeys(part.strip() for value in values for part in _COMMA.split(value) if part.strip()))


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


def _long_headings(source: str, title: str, sections: tuple[Section, ...]) -> Iterable[Problem]:
    """The first heading that is too long for a breadcrumb with the title."""
    sizes = ((section, len(shorter_breadcrumbs(title[:MOST_NAME_CHARACTERS], section.headings)[-1])) for section in sections if section.headings)
    first = next(((section, size) for section, size in sizes if size > MOST_NAME_CHARACTERS), None)
    if first is not None:
        message = f"the title and this heading have {first[1]} characters, of which a breadcrumb keeps {MOST_NAME_CHARACTERS}; shorten one"
        yield Problem(source=source, line=first[0].line + 1, code="long_heading", message=message)


def _no_text(source: str, sections: tuple[Section, ...]) -> Iterable[Problem]:
    if not any(section.blocks for section in sections):
        has = "headings but no text under them" if len(sections) > 1 else "no text"
        message = f"it has {has}, so it is never evidence; write some or remove it"
        yield Problem(source=source, line=1, code="no_text", message=message)
