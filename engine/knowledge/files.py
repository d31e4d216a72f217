"""The files of a knowledge base: found in order, read and decoded, or skipped with a reason."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.contracts.reports import SkippedFile
from engine.paths import is_folder, require_knowledge_base

MARKDOWN_SUFFIXES = {".md", ".markdown", ".mdx"}
OWN_FILES = {"cases.yaml", "evidence.toml"}  # about the knowledge base, not in it
REPOSITORIES = {".git", ".hg", ".svn"}  # named as one folder, never walked
MOST_BYTES = 20_000_000  # a larger file is a dump, not a document


def list_files(kb: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a knowledge base as (source, path), in the order of the sources, with folders that are not entered.

    Of what lies in hidden folders only the Markdown files are named: the rest is the work of other tools.

    Raises:
        KnowledgeBaseMissing: there is no folder at `kb`.
    """
    require_knowledge_base(kb)
    closed: list[Path] = []
    found: list[Path] = []
    for folder, folders, files in os.walk(kb, onerror=lambda failure: closed.append(Path(str(failure.filename)))):
        folders.sort()
        hidden = is_hidden(Path(folder).relative_to(kb))
        found += [Path(folder, name) for name in files if not hidden or Path(name).suffix.lower() in MARKDOWN_SUFFIXES]
        found += [path for path in (Path(folder, name) for name in folders) if path.is_symlink() or (path.name.startswith(".") and not hidden)]
        folders[:] = [name for name in folders if name not in REPOSITORIES]
    named = ((path.relative_to(kb).as_posix(), path) for path in (*found, *closed))
    return iter(sorted((source, path) for source, path in named if source not in OWN_FILES))


def is_hidden(path: Path) -> bool:
    """Whether a path within the knowledge base has a part that begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def read_file(source: str, path: Path, root: Path) -> bytes | SkippedFile:
    """The bytes of a document, or why the file is none."""
    name = source.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def skipped(code: str, reason: str) -> SkippedFile:
        return SkippedFile(source=name, code=code, reason=reason)

    if is_hidden(Path(source)):
        return skipped("hidden", "names that begin with a dot are not read; rename it if it is a document")
    if is_folder(path):
        linked = path.is_symlink()
        return skipped("folder", "links to folders are not followed; copy the folder" if linked else "the folder cannot be read; make it readable")
    if path.suffix.lower() not in MARKDOWN_SUFFIXES:
        return skipped("not_markdown", "only .md, .markdown and .mdx files are read")
    if name != source:
        return skipped("unreadable", "the file name is not Unicode; rename it")
    try:
        if not path.is_file():
            return skipped("unreadable", "it is no regular file, or a link that leads nowhere; remove it")
        if not path.resolve().is_relative_to(root):
            return skipped("outside", "the link leads outside of the knowledge base; copy the file into it")
        if path.stat().st_size > MOST_BYTES:
            return skipped("too_large", f"it is larger than {MOST_BYTES // 1_000_000} MB; split it")
        return path.read_bytes()
    except OSError as failure:
        return skipped("unreadable", f"{failure.strerror or failure}; make the file readable")


def decode(source: str, data: bytes) -> str | SkippedFile:
    """The text of a file, with `\n` line ends, or why it is no text."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as failure:
        line = data[: failure.start].count(b"\n") + 1
        named = encoding.removesuffix("-sig").upper()
        return SkippedFile(source=source, code="undecodable", reason=f"line {line} is not {named}; save the file as UTF-8")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        reason = f"line {line} has a NUL character, so this is no text or text without a byte order mark; save the file as UTF-8 or remove it"
        return SkippedFile(source=source, code="binary", reason=reason)
    return text.replace("\r\n", "\n").replace("\r", "\n")
