"""The files of a knowledge base: found in order, read and decoded, or skipped with a reason."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.contracts.reports import SkipCode, SkippedFile
from engine.paths import is_folder, require_knowledge_base

MARKDOWN_SUFFIXES = {".md", ".markdown", ".mdx"}
OWN_FILES = {"cases.yaml", "evidence.toml"}  # about the knowledge base, not in it
REPOSITORIES = {".git", ".hg", ".svn"}  # named as one folder, never walked
MOST_PATH_BYTES = 4_000  # systems end at 4,096
MOST_BYTES = 20_000_000  # a larger file is a dump, not a document


def list_files(kb: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a knowledge base as (source, path), in the order of the sources, with folders that are not entered.

    Of what lies in hidden folders only the Markdown files are named: the rest is the work of other tools.

    Raises:
        KnowledgeBaseMissing: there is no folder at `kb`.
    """
    require_knowledge_base(kb)
    found: list[tuple[str, Path]] = []
    waiting = [""]  # folders by their path within the knowledge base; a stack, since folders may be nested a thousand deep
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(kb / folder) as entries:
                inside = [(f"{folder}/{entry.name}".lstrip("/"), entry.is_dir(follow_symlinks=False), entry.is_symlink()) for entry in entries]
        except OSError:
            found.append((folder or ".", kb / folder))
            continue
        for source, is_real_folder, is_link in inside:
            name = source.rpartition("/")[2]
            if is_real_folder and name not in REPOSITORIES:
                waiting.append(source)
            if _is_named(source, name, is_real_folder, is_link, hidden_above=is_hidden(folder)):
                found.append((source, kb / source))
    return iter(sorted(found))


def _is_named(source: str, name: str, is_real_folder: bool, is_link: bool, *, hidden_above: bool) -> bool:
    """Whether an entry of a folder is listed: files, links, and the uppermost hidden folders; of hidden folders only documents and links."""
    if is_real_folder:
        return name.startswith(".") and not hidden_above
    if hidden_above:
        return is_link or Path(name).suffix.lower() in MARKDOWN_SUFFIXES
    return source not in OWN_FILES


def is_hidden(source: str) -> bool:
    """Whether a path within the knowledge base has a part that begins with a dot."""
    return any(part.startswith(".") and part != "." for part in source.split("/"))


def read_file(source: str, path: Path, root: Path) -> bytes | SkippedFile:
    """The bytes of a document that `list_files` found below `root`, or why the file is none."""
    name = source.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def skipped(code: SkipCode, reason: str) -> SkippedFile:
        return SkippedFile(source=name, code=code, reason=reason)

    if len(os.fsencode(path)) > MOST_PATH_BYTES:
        return skipped("unreadable", "its path is too long; move it up")
    if is_hidden(source):
        return skipped("hidden", "names that begin with a dot are not read; rename it if it is a document")
    if is_folder(path):
        if path.is_symlink():
            return skipped("linked_folder", "links to folders are not followed; copy the folder")
        return skipped("unreadable", "the folder cannot be read; make it readable")
    if path.suffix.lower() not in MARKDOWN_SUFFIXES:
        return skipped("not_markdown", "only .md, .markdown and .mdx files are read")
    if name != source:
        return skipped("unreadable", "the file name is not Unicode; rename it")
    try:
        if not path.is_file():
            return skipped("unreadable", "it is no regular file, or a link that leads nowhere; remove it")
        if path.is_symlink() and not path.resolve().is_relative_to(root):  # its folders are none: links to folders are not entered
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
        line = _one_line_end(data[: failure.start].decode(encoding, "ignore")).count("\n") + 1
        named = encoding.removesuffix("-sig").upper()
        return SkippedFile(source=source, code="undecodable", reason=f"line {line} is not {named}; save the file as UTF-8", line=line)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        reason = f"line {line} has a NUL character, so this is no text or text without a byte order mark; save the file as UTF-8 or remove it"
        return SkippedFile(source=source, code="binary", reason=reason, line=line)
    return _one_line_end(text).lstrip("\ufeff\u200b")


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
