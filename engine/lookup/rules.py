"""The rerank rules as data: each an absolute signal in 0..1 for every candidate, and a sentence that explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.index.catalog import ChunkRecord
from engine.index.search_terms import PAIR, TEXT
from engine.lookup.lexical import as_signal, words_matched
from engine.lookup.signals import Signals
from engine.plain_text import fold

_MOST_NAMED = 5  # words in a reason; every reason takes its tokens from the packed context
ALWAYS_NAMED = "hint"  # an L0 hint is a hit reason whatever its weight, as the specification wants
_HINT_KINDS = ("title", "keyword", "alias")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code is the name of its weight in the settings."""

    code: str
    title: str
    signal: Callable[[Signals, ChunkRecord], float]
    reason: Callable[[Signals, ChunkRecord], str]


def _lexical(signals: Signals, chunk: ChunkRecord) -> float:
    return as_signal(words_matched(signals.rarities, signals.text[chunk.row], chunk.terms, signals.average_length[TEXT]))


def _lexical_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return f"has the words {_named(signals, signals.text[chunk.row])}"


def _phrase(signals: Signals, chunk: ChunkRecord) -> float:
    return as_signal(words_matched(signals.pair_rarities, signals.pairs[chunk.row], chunk.pairs, signals.average_length[PAIR]))


def _phrase_reason(signals: Signals, chunk: ChunkRecord) -> str:
    found = [pair for pair in signals.pair_rarities if pair in signals.pairs[chunk.row]]
    return f"has in this order: {_listed([' '.join(signals.surfaces.get(term, term) for term in pair.split(' ')) for pair in found])}"


def _title(signals: Signals, chunk: ChunkRecord) -> float:
    total = sum(signals.rarities.values())
    return sum(share for term, share in signals.rarities.items() if term in signals.headings[chunk.row]) / total if total else 0.0


def _title_reason(signals: Signals, chunk: ChunkRecord) -> str:
    return f"title or headings have {_named(signals, signals.headings[chunk.row])}"


def _document_words(signals: Signals, chunk: ChunkRecord) -> float:
    document = signals.document(chunk)
    return as_signal(words_matched(signals.document_rarities, document.words, document.length, signals.average_document))


def _document_words_reason(signals: Signals, chunk: ChunkRecord) -> str:
    found = sum(word.stands_in(signals.document(chunk).words) for word in signals.words)
    return f"{found} of {len(signals.words)} words in its document"


def _hint(signals: Signals, chunk: ChunkRecord) -> float:
    matched = [hint for hint in signals.question.hints if hint.match.kind in _HINT_KINDS]
    return sum(chunk.source in hint.match.sources for hint in matched) / len(matched) if matched else 0.0


def _hint_reason(signals: Signals, chunk: ChunkRecord) -> str:
    matched = [hint.match for hint in signals.question.hints if hint.match.kind in _HINT_KINDS and chunk.source in hint.match.sources]
    return "L0 hint: " + _listed([f"{match.kind} {match.text}" for match in matched])


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
    Rule("document_words", "Words of the question in the whole document", _document_words, _document_words_reason),
    Rule("hint", "L0 hint of the document", _hint, _hint_reason),
    Rule("category", "Category that L0 votes for", _category, _category_reason),
)
