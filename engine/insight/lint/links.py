"""Relative links that lead to no file of the knowledge base."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image, link

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material
from engine.knowledge.files import MARKDOWN_SUFFIXES, OWN_FILES

_TEMPLATES = ("{{", "{%", "<%", "$")


def broken_links(material: Material) -> Iterator[Finding]:
    """Links and pictures whose relative target is missing; what leaves the knowledge base is not looked at."""
    names = [*(document.source for document in material.corpus.documents), *(file.source for file in material.corpus.skipped), *OWN_FILES]
    known = {normalize("NFC", name) for name in names}
    known |= {str(folder) for name in known for folder in PurePosixPath(name).parents}
    for document in material.corpus.documents:
        for line, kind, target in dict.fromkeys(_links(document.lines)):
            path = _path(document.source, target)
            if path is not None and not _exists(path, known):
                yield finding("broken_link", document.source, line, f"the {kind} {unquote(target)} leads to no file")


def _path(source: str, target: str) -> str | None:
    """The target as a path in the knowledge base; None for one that is no relative path, or leads out of it or to a hidden file."""
    plain = unquote(target)
    if any(mark in plain for mark in _TEMPLATES) or plain.startswith(("/", "~")) or _has_scheme(target):
        return None
    relative = unquote(target.partition("#")[0].partition("?")[0])
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), relative))
    unlisted = any(part.startswith(".") for part in path.split("/")) and path != "."
    return None if not relative or unlisted else normalize("NFC", path)


def _has_scheme(target: str) -> bool:
    try:
        return bool(urlsplit(target).scheme)
    except ValueError:  # brackets that are no address
        return True


def _exists(path: str, known: set[str]) -> bool:
    stem = path.removesuffix(".html")
    return path in known or any(f"{one}{suffix}" in known for one in (path, stem) for suffix in MARKDOWN_SUFFIXES)


def _links(lines: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """Line, from 1, kind and target of every link and picture."""
    if not any("](" in line or "][" in line or "]:" in line for line in lines):
        return []
    found = []
    for block in _PARSER.parse("\n".join(lines) + "\n"):
        first = block.map[0] + 1 if block.map else 1
        breaks = [at for at, mark in enumerate(block.content) if mark == "\n"] if block.children else []
        for token in block.children or ():
            target = token.attrs.get("href", token.attrs.get("src"))
            if "at" in token.meta and isinstance(target, str) and not block.content.startswith("[^", token.meta["at"]):  # a footnote
                kind = "picture" if token.type == "image" else "link to"
                found.append((first + bisect_left(breaks, token.meta["at"]), kind, target))
    return found


def _with_place(rule: Callable[[StateInline, bool], bool], kind: str) -> Callable[[StateInline, bool], bool]:
    """A parser rule that also notes where in its block a link begins: soft breaks and code hide it afterwards."""

    def noted(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            token = next(token for token in state.tokens[before:] if token.type == kind)
            token.meta["at"] = start
        return True

    return noted


def _parser() -> Any:
    parser = MarkdownIt("commonmark").enable("table")
    parser.inline.ruler.at("link", _with_place(link, "link_open"))
    parser.inline.ruler.at("image", _with_place(image, "image"))
    return parser


_PARSER = _parser()
