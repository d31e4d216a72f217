"""A document cut into chunks that the embedder reads whole, each with an id that survives edits elsewhere in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.knowledge.chunk_names import encode_source, make_breadcrumb, section_slug, unique_slug
from engine.knowledge.collector import collector_paused
from engine.knowledge.corpus import Corpus
from engine.knowledge.cutting import cut
from engine.knowledge.document import Document
from engine.knowledge.measured_text import MeasuredText, Stretch
from engine.knowledge.outline import Block, Section
from engine.progress import Progress
from engine.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document; `content` begins with `carried` when a table or fence was cut."""

    id: str
    source: str
    section: str
    piece: int
    breadcrumb: str
    start_line: int  # 1-based
    end_line: int  # included
    carried: str
    content: str
    tokens: int
    readable: float

    @property
    def embedded_text(self) -> str:
        """What L1 and the lexical rules see."""
        return f"{self.breadcrumb}\n{self.content}"


def chunk_corpus(corpus: Corpus, tokenizer: Tokenizer, limit: int, progress: Progress) -> list[Chunk]:
    """The chunks of all documents in order."""
    chunks: list[Chunk] = []
    with collector_paused():
        for done, document in enumerate(corpus.documents):
            progress("chunk", done, len(corpus.documents))
            chunks += chunk_document(document, tokenizer, limit)
    progress("chunk", len(corpus.documents), len(corpus.documents))
    return chunks


def chunk_document(document: Document, tokenizer: Tokenizer, limit: int) -> list[Chunk]:
    """The chunks of a document in order; breadcrumb, special tokens and content together stay within `limit` tokens."""
    text = MeasuredText(document.lines, tokenizer)
    seen: dict[str, int] = {}
    chunks: list[Chunk] = []
    for section in document.sections:
        slug = unique_slug(section_slug(section.headings), seen)
        breadcrumb = make_breadcrumb(document.title, section.headings, text.count, limit)
        room = limit - tokenizer.reserved - text.count(breadcrumb)
        for piece, stretch in enumerate(_joined(text, _blocks(section, breadcrumb), room), start=1):
            chunks.append(_chunk(text, document.source, slug, piece, breadcrumb, stretch))
    return chunks


def _blocks(section: Section, breadcrumb: str) -> tuple[Block, ...]:
    """What stands in a section; its heading, too, where it is too long to be in the breadcrumb."""
    if not section.headings or section.headings[-1] in breadcrumb:
        return section.blocks
    return (Block("text", section.line, section.text_line), *section.blocks)


def _joined(text: MeasuredText, blocks: tuple[Block, ...], room: int) -> Iterator[Stretch]:
    """Neighbouring parts of a section joined as long as they fit."""
    current: Stretch | None = None
    for part in (part for block in blocks for part in cut(text, block, room) if not text.is_blank(part)):
        joined = Stretch(current.start, part.end, current.carried) if current is not None else part
        if current is not None and not text.fits(joined, room):
            yield current
            joined = part
        current = joined
    if current is not None:
        yield current


def _chunk(text: MeasuredText, source: str, slug: str, piece: int, breadcrumb: str, stretch: Stretch) -> Chunk:
    start, end = text.without_line_ends(stretch)
    return Chunk(
        id=f"{encode_source(source)}#{slug}~{piece}",
        source=source,
        section=slug,
        piece=piece,
        breadcrumb=breadcrumb,
        start_line=text.line_at(start),
        end_line=text.line_at(end - 1),
        carried=stretch.carried,
        content=stretch.carried + text.text[start:end],
        tokens=text.size(stretch),
        readable=round(text.tokens.readable(stretch.start, stretch.end), 6),
    )
