"""The rerank rules as data: each an absolute signal in 0..1 for every candidate, and a sentence that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.index.catalog import ChunkRecord
from engine.index.search_terms import HEADING, PAIR, TEXT
from engine.index.snapshot import Snapshot
from engine.lookup.retrieve import Candidate
from engine.lookup.transform import Question
from engine.plain_text import fold
from engine.text import Token, pairs, tokenize

_K1, _B = 1.2, 0.75  # BM25 as Robertson and Zaragoza recommend
_MOST_NAMED = 5  # words in a reason; every reason takes its tokens from the packed context
ALWAYS_NAMED = "hint"  # an L0 hint is a hit reason whatever its weight, as the specification wants
_HINT_KINDS = ("title", "keyword", "alias")


@dataclass(frozen=True, slots=True)
class Signals:
    """What the stored terms of the candidates say about one query text."""

    question: Question
    surfaces: Mapping[str, str]  # search term -> how the query writes it
    idf: Mapping[str, float]
    pair_idf: Mapping[str, float]
    text: Mapping[int, Mapping[str, int]]  # row -> term -> count
    headings: Mapping[int, Mapping[str, int]]
    pairs: Mapping[int, Mapping[str, int]]
    average_length: Mapping[int, float]

    def has_all(self, row: int, terms: Sequence[str]) -> bool:
        """Whether a chunk contains every one of some terms."""
        return all(term in self.text[row] for term in terms)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code is the name of its weight in the settings."""

    code: str
    title: str
    signal: Callable[[Signals, ChunkRecord], float]
    reason: Callable[[Signals, ChunkRecord], str]


def gather(text: str, question: Question, candidates: Sequence[Candidate], snapshot: Snapshot) -> Signals:
    """Everything that the rules need of the stored terms."""
    surfaces = _surfaces(tokenize(text), text)
    ordered = list(dict.fromkeys(pairs(text)))
    rows = [candidate.record.row for candidate in candidates]
    names = [entity.term for entity in question.entities]
    return Signals(
        question=question,
        surfaces=surfaces,
        idf=_idf(snapshot, TEXT, list(surfaces)),
        pair_idf=_idf(snapshot, PAIR, ordered),
        text=snapshot.terms.counts_in(TEXT, [*surfaces, *names], rows),
        headings=snapshot.terms.counts_in(HEADING, list(surfaces), rows),
        pairs=snapshot.terms.counts_in(PAIR, ordered, rows),
        average_length=snapshot.catalog.average_length,
    )


def _surfaces(tokens: Sequence[Token], text: str) -> dict[str, str]:
    surfaces: dict[str, str] = {}
    for token in tokens:
        if not token.stop:
            surfaces.setdefault(token.term, text[token.start : token.end])
    return surfaces


def _idf(snapshot: Snapshot, kind: int, searched: Sequence[str]) -> dict[str, float]:
    """Inverse document frequency of the terms that some chunk has, in the order of the query."""
    frequencies = snapshot.terms.frequencies(kind, searched)
    count = snapshot.catalog.chunk_count
    return {t: math.log(1 + (count - frequencies[t] + 0.5) / (frequencies[t] + 0.5)) for t in searched if t in frequencies}


def _bounded_bm25(idf: Mapping[str, float], counts: Mapping[str, int], length: int, average: float) -> float:
    """BM25 divided by its upper bound for the query, sum(idf x (k1 + 1)): absolute, whatever else was found."""
    bound = sum(idf.values()) * (_K1 + 1)
    norm = _K1 * (1 - _B + _B * length / average) if average else _K1
    score = sum(weight * counts[term] * (_K1 + 1) / (counts[term] + norm) for term, weight in idf.items() if term in counts)
    return score / bound if bound else 0.0


def _lexical(signals: Signals, chunk: ChunkRecord) -> float:
    return _bounded_bm25(signals.idf, signals.text[chunk.row], chunk.terms, signals.average_length[TEXT])


def _lexical_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return f"has the words {_named(signals, signals.text[chunk.row])}"


def _phrase(signals: Signals, chunk: ChunkRecord) -> float:
    return _bounded_bm25(signals.pair_idf, signals.pairs[chunk.row], chunk.pairs, signals.average_length[PAIR])


def _phrase_reason(signals: Signals, chunk: ChunkRecord) -> str:
    found = [pair for pair in signals.pair_idf if pair in signals.pairs[chunk.row]]
    return f"has in this order: {_listed([' '.join(signals.surfaces.get(term, term) for term in pair.split(' ')) for pair in found])}"


def _title(signals: Signals, chunk: ChunkRecord) -> float:
    total = sum(signals.idf.values())
    return sum(weight for term, weight in signals.idf.items() if term in signals.headings[chunk.row]) / total if total else 0.0


def _title_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return f"title or headings have {_named(signals, signals.headings[chunk.row])}"


def _hint(signals: Signals, chunk: ChunkRecord) -> float:
    matched = [hint for hint in signals.question.hints if hint.match.kind in _HINT_KINDS]
    return sum(chunk.source in hint.match.sources for hint in matched) / len(matched) if matched else 0.0


def _hint_reason(signals: Signals, chunk: ChunkRecord) -> str:
    matched = [hint.match for hint in signals.question.hints if hint.match.kind in _HINT_KINDS and chunk.source in hint.match.sources]
    return "L0 hint: " + _listed([f"{match.kind} {match.text}" for match in matched])


def _entity(signals: Signals, chunk: ChunkRecord) -> float:
    names = signals.question.entities
    return sum(entity.term in signals.text[chunk.row] for entity in names) / len(names) if names else 0.0


def _entity_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return "names " + _listed([entity.text for entity in signals.question.entities if entity.term in signals.text[chunk.row]])


def _category(signals: Signals, chunk: ChunkRecord) -> float:
    return max((votes.share for votes in signals.question.decision.votes if votes.category in chunk.categories), default=0.0)


def _category_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return "filed under " + ", ".join(v.category for v in signals.question.decision.votes if v.category in chunk.categories)


def _named(signals: Signals, counts: Mapping[str, int]) -> str:
    """The words of the query that some counts have, parts left out where the whole is named."""
    written = list({fold(surface): surface for term, surface in signals.surfaces.items() if term in counts}.values())
    return _listed([word for i, word in enumerate(written) if not any(word in longer for longer in written[:i])])


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_NAMED} more" if len(words) > _MOST_NAMED else ""
    return ", ".join(words[:_MOST_NAMED]) + more


RULES = (
    Rule("lexical", "Words of the question in the text", _lexical, _lexical_reason),
    Rule("phrase", "Words in the same order", _phrase, _phrase_reason),
    Rule("title", "Words in title and headings", _title, _title_reason),
    Rule("hint", "L0 hint of the document", _hint, _hint_reason),
    Rule("entity", "Names and codes in the text", _entity, _entity_reason),
    Rule("category", "Category that L0 votes for", _category, _category_reason),
)
