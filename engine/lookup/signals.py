"""What the rules look at: the stored words of the candidates, of their documents, and what L0 knows, for one query text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.index.catalog import ChunkRecord
from engine.index.lengths import document_counts
from engine.index.search_terms import HEADING, PAIR, TEXT
from engine.index.snapshot import Snapshot
from engine.lookup.lexical import QueryWord, query_words, rarity, written_words
from engine.lookup.retrieve import Candidate
from engine.lookup.transform import Question
from engine.text import pairs

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Document:
    """The document of some candidates as a whole."""

    words: Counts
    length: int  # search terms


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of the candidates of one query text; rarities are shares of the greatest idf."""

    question: Question
    words: Sequence[QueryWord]  # the distinct ones
    surfaces: Mapping[str, str]  # search term -> how the query writes it
    rarities: Mapping[str, float]  # of the words that some passage has, in the order of the query
    pair_rarities: Mapping[str, float]
    document_rarities: Mapping[str, float]
    text: Mapping[int, Counts]  # by row
    headings: Mapping[int, Counts]
    pairs: Mapping[int, Counts]
    documents: Mapping[str, Document]  # by source
    average_length: Mapping[int, float]  # of a passage, by kind of term
    average_document: float  # search terms

    def has_all(self, row: int, terms: Sequence[str]) -> bool:
        """Whether a chunk contains every one of some terms."""
        return all(term in self.text[row] for term in terms)

    def document(self, chunk: ChunkRecord) -> Document:
        """The document of a candidate."""
        return self.documents[chunk.source]


def gather(text: str, question: Question, candidates: Sequence[Candidate], snapshot: Snapshot) -> Signals:
    """Everything that the rules need, for all candidates at once."""
    surfaces = query_words(text)
    ordered = list(dict.fromkeys(pairs(text)))
    rows = [candidate.record.row for candidate in candidates]
    names = [entity.term for entity in question.entities]
    lengths = snapshot.lengths
    in_documents, document_words = document_counts(snapshot.terms, surfaces, rows, lengths)
    numbers = {candidate.record.source: int(lengths.document[candidate.record.row]) for candidate in candidates}
    return Signals(
        question=question,
        words=list({(word.whole, word.parts): word for word in written_words(text)}.values()),
        surfaces=surfaces,
        rarities=_rarities(surfaces, snapshot.terms.frequencies(TEXT, surfaces), snapshot.catalog.chunk_count),
        pair_rarities=_rarities(ordered, snapshot.terms.frequencies(PAIR, ordered), snapshot.catalog.chunk_count),
        document_rarities=_rarities(surfaces, in_documents, len(lengths.document_terms)),
        text=snapshot.terms.counts_in(TEXT, [*surfaces, *names], rows),
        headings=snapshot.terms.counts_in(HEADING, surfaces, rows),
        pairs=snapshot.terms.counts_in(PAIR, ordered, rows),
        documents={
            source: Document(document_words[number], int(lengths.document_terms[number])) for source, number in numbers.items()
        },
        average_length=snapshot.catalog.average_length,
        average_document=lengths.document_average,
    )


def _rarities(searched: Sequence[str] | Mapping[str, str], frequencies: Counts, texts: int) -> dict[str, float]:
    return {term: rarity(frequencies[term], texts) for term in searched if term in frequencies}
