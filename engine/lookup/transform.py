"""Stage 1: the raw query is cleaned, its names are recognised, L0 is asked, aliases are replaced, a category is voted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.contracts.lookup_trace import FilterDecision, TransformStep
from engine.errors import BadInput, BlankQuery
from engine.index.search_terms import TEXT
from engine.index.snapshot import Snapshot
from engine.knowledge.entities import Entity, query_entities
from engine.lookup.hints import Hint, decide_filter, find_hints
from engine.plain_text import clean
from engine.settings import Settings
from engine.text import phrase_key, terms
from engine.trace import Recorder

MOST_QUERY_CHARACTERS = 10_000  # a pasted log; the query stands in a result several times


@dataclass(frozen=True, slots=True)
class Question:
    """The query, and all that is known of it before anything is searched."""

    raw: str
    text: str  # transformed
    searchable: bool
    entities: tuple[Entity, ...]
    unknown_entities: frozenset[str]  # terms of names that no document has
    hints: tuple[Hint, ...]
    decision: FilterDecision
    steps: tuple[TransformStep, ...]


def transform(raw: str, settings: Settings, snapshot: Snapshot, recorder: Recorder) -> Question:
    """Understand the query.

    Raises:
        BlankQuery: it has no character but white space.
        BadInput: it is not valid Unicode.
    """
    with recorder.span("transform") as attributes:
        cleaned = cleaned_query(raw)
        hints = find_hints(cleaned, snapshot)
        known = [hint.match.text for hint in hints if hint.match.kind == "entity"]
        named = query_entities(cleaned, known)
        frequencies = snapshot.terms.frequencies(TEXT, [entity.term for entity in named])
        text = _without_aliases(cleaned, hints)
        decision = decide_filter(hints, settings, snapshot.catalog)
        attributes |= {"hints": len(hints), "filter": decision.code.value}
        return Question(
            raw=raw,
            text=text,
            searchable=bool(terms(text) or hints),  # "who we are" has stop words only, and may be a title
            entities=tuple(named),
            unknown_entities=frozenset(entity.term for entity in named if entity.term not in frequencies),
            hints=tuple(hints),
            decision=decision,
            steps=_steps(raw, cleaned, text, named, hints, decision),
        )


def cleaned_query(raw: str) -> str:
    """The query in one Unicode form with single spaces. Raises BlankQuery, BadInput."""
    if not isinstance(raw, str):
        raise BadInput(f"the question is {type(raw).__name__}, not text")
    if not raw.strip():
        raise BlankQuery("the question is blank; write what you want to know")
    if len(raw) > MOST_QUERY_CHARACTERS:
        raise BadInput(f"the question has {len(raw):,} characters, and {MOST_QUERY_CHARACTERS:,} are the most; ask for one thing at a time")
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError as failure:
        raise BadInput("the question is not valid Unicode; type it again instead of pasting it") from failure
    return clean(raw)


def _without_aliases(text: str, hints: Sequence[Hint]) -> str:
    """The text with each alias replaced by what it stands for, where that is one thing and not in the text already."""
    said = f" {phrase_key(text)} "
    aliases = [hint for hint in hints if hint.match.kind == "alias" and len(hint.match.canonicals) == 1]
    places = [(start, end, hint.match.canonicals[0]) for hint in aliases for start, end in hint.places]
    left = len(text) + 1
    for start, end, canonical in sorted(places, key=lambda place: (-place[1], place[0])):
        if end <= left and f" {phrase_key(canonical)} " not in said:
            text = text[:start] + canonical + text[end:]
            left = start
    return text


def _steps(
    raw: str, cleaned: str, text: str, named: Sequence[Entity], hints: Sequence[Hint], decision: FilterDecision
) -> tuple[TransformStep, ...]:
    names = ", ".join(f"{entity.text} ({entity.kind.replace('_', ' ')})" for entity in named)
    entries = ", ".join(f"{hint.match.text} ({hint.match.kind})" for hint in hints)
    replaced = "Replaced by what they stand for." if text != cleaned else "Nothing to replace."
    return (
        TransformStep(code="clean", before=raw, after=cleaned, note="Unicode form and white space."),
        TransformStep(code="entities", before=cleaned, after=cleaned, note=names or "No name or code recognised."),
        TransformStep(code="l0", before=cleaned, after=cleaned, note=entries or "No L0 entry stands in the query."),
        TransformStep(code="aliases", before=cleaned, after=text, note=replaced),
        TransformStep(code="filter", before=text, after=text, note=decision.note),
    )
