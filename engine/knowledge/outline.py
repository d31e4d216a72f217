"""The block structure of a Markdown text: sections under headings, and the blocks in them, all by line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable("table")
_MARKUP = re.compile(r"[\\`*_\[<&]")  # every piece of markup inside of a line has one of these; most headings have none
_CONTAINERS = {"bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open", "table_open", "thead_open", "tbody_open", "tr_open"}


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Markdown; lines are 0-based, `end` is not included."""

    kind: str  # paragraph, list, item, quote, table, head, rows, row, fence, code, html, rule, text
    start: int
    end: int
    children: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next heading of any level."""

    headings: tuple[str, ...]  # from the outermost heading to this one; empty before the first
    level: int  # of the heading, 1 to 6; 0 before the first
    line: int  # of the heading, 0-based
    text_line: int  # after the heading
    blocks: tuple[Block, ...]


def outline(lines: list[str]) -> tuple[Section, ...]:
    """The sections of a text in order; headings inside lists, quotes and fences are text."""
    tokens: list[Token] = []
    _PARSER.block.parse("\n".join(lines) + "\n", _PARSER, {}, tokens)
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    line, content_start = 0, 0
    pending: list[Block] = []

    def finished(end: int) -> Section:
        headings, level = tuple(text for _, text in path), path[-1][0] if path else 0
        return Section(headings, level, line, content_start, _covering(pending, content_start, end, lines))

    for block, heading in _top_blocks(tokens):
        if heading is None:
            pending.append(block)
            continue
        sections.append(finished(block.start))
        path = [*((above, name) for above, name in path if above < heading[0]), heading]
        line, content_start, pending = block.start, block.end, []
    return (*sections, finished(len(lines)))


def _top_blocks(tokens: list[Token]) -> list[tuple[Block, tuple[int, str] | None]]:
    """Each block of the outermost level, with level and plain text where it is a heading."""
    found = []
    at = 0
    while at < len(tokens):
        block, after = _block(tokens, at)
        token = tokens[at]
        heading = (int(token.tag[1]), _plain(tokens[at + 1])) if token.type == "heading_open" else None
        found.append((block, heading))
        at = after
    return found


def _block(tokens: list[Token], at: int) -> tuple[Block, int]:
    """The block that opens at a token, and the position after it."""
    token = tokens[at]
    start, end = token.map or (0, 0)
    if token.nesting == 0:
        return Block({"code_block": "code", "html_block": "html", "hr": "rule"}.get(token.type, token.type), start, end), at + 1
    children = []
    inner = at + 1
    while tokens[inner].nesting != -1:
        if token.type in _CONTAINERS and tokens[inner].map:
            child, inner = _block(tokens, inner)
            children.append(child)
        else:
            inner = _after(tokens, inner)
    kind = token.type.removesuffix("_open").replace("bullet_list", "list").replace("ordered_list", "list")
    kind = {"list_item": "item", "blockquote": "quote", "thead": "head", "tbody": "rows", "tr": "row"}.get(kind, kind)
    return Block(kind, start, end, tuple(children)), inner + 1


def _after(tokens: list[Token], at: int) -> int:
    depth: int = tokens[at].nesting
    at += 1
    while depth > 0:
        depth += tokens[at].nesting
        at += 1
    return at


def _covering(blocks: list[Block], start: int, end: int, lines: list[str]) -> tuple[Block, ...]:
    """The blocks, with lines that no block claims (link definitions) as blocks of text between them."""
    covered: list[Block] = []
    for block in [*blocks, Block("end", end, end)]:
        if any(line.strip() for line in lines[start : block.start]):
            covered.append(Block("text", start, block.start))
        if block.kind != "end":
            covered.append(block)
        start = max(start, block.end)
    return tuple(covered)


def _plain(inline: Token) -> str:
    """The words of a heading without its markup, on one line."""
    if not _MARKUP.search(inline.content):
        return " ".join(inline.content.split())
    words = []
    for token in _PARSER.parseInline(inline.content)[0].children or []:
        words.append(token.content if token.type in ("text", "code_inline", "image") else " " if token.type in ("softbreak", "hardbreak") else "")
    return " ".join("".join(words).split()) or " ".join(inline.content.split())
