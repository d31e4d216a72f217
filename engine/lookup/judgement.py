"""What the evidence amounts to: how relevant, how complete, and the whole in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from engine.contracts.codes import CompletenessLevel, ReasonCode, RelevanceLevel
from engine.contracts.lookup import CompletenessHint
from engine.lookup.attempt import Attempt
from engine.lookup.blocks import Block
from engine.lookup.lexical import written_words
from engine.lookup.pack import Pack
from engine.lookup.transform import Question
from engine.settings import Settings
from engine.text import terms

_NEAR_MISS = 0.05  # how far below the floor a candidate is still worth a look


def relevance(blocks: Sequence[Block], settings: Settings) -> RelevanceLevel:
    """By the highest similarity among the blocks; exact error codes alone make no more than low."""
    if not blocks:
        return RelevanceLevel.NONE
    top = max((block.similarity for block in blocks if not block.waived), default=0.0)
    if top >= settings.high_threshold:
        return RelevanceLevel.HIGH
    return RelevanceLevel.MEDIUM if top >= settings.medium_threshold else RelevanceLevel.LOW


def completeness(question: Question, blocks: Sequence[Block], pack: Pack) -> CompletenessHint:
    """Words and names of the question that the packed evidence does not have, and what the budget took."""
    if not blocks:
        return CompletenessHint(level=CompletenessLevel.NONE, missing_terms=(), note="There is no evidence.")
    packed = {term for item in pack.included for text in (item.packed.content, item.packed.breadcrumb or "") for term in terms(text)}
    missing = _missing(question, packed)
    cut, left_out = sum(item.packed.truncated for item in pack.included), len(pack.omitted)
    if cut or left_out:
        level, note = CompletenessLevel.TRUNCATED, f"The budget cut {cut} and left out {left_out} of {_count(len(blocks), 'block')}."
        if not pack.included:
            note = "The budget has no room for any block; raise budget_tokens."
    elif missing:
        level, note = CompletenessLevel.PARTIAL, "Everything found is packed, and some words of the query are not in it."
    else:
        level, note = CompletenessLevel.COMPLETE, "The packed evidence has every word of the query, and nothing was cut."
    return CompletenessHint(level=level, missing_terms=tuple(missing), note=note)


def _missing(question: Question, packed: set[str]) -> list[str]:
    """Words that are not in the pack, each as the question writes it; a name counts as a whole, and Chinese by what no packed pair covers."""
    names = {entity.term for entity in question.entities}
    words = written_words(question.text)
    missing = [word for word in words if not (word.whole in packed if word.whole in names else word.stands_in(packed))]
    covered = {at for word in words if word.is_cjk and word not in missing for at in range(word.start, word.end)}
    places: list[tuple[int, int]] = []
    for word in missing:
        for start, end in [(at, at + 1) for at in range(word.start, word.end) if at not in covered] if word.is_cjk else [(word.start, word.end)]:
            if word.is_cjk and places and start <= places[-1][1]:
                places[-1] = (places[-1][0], max(end, places[-1][1]))
            else:
                places.append((start, end))
    otherwise_written = [entity.text for entity in question.entities if entity.term not in packed | {word.whole for word in words}]
    return list(dict.fromkeys([*(question.text[start:end] for start, end in places), *otherwise_written]))


def near_misses(shown: Attempt | None, settings: Settings) -> int:
    """How many candidates of an attempt lie just below the floor."""
    floor = settings.evidence_floor
    readable = [one.similarity for one in shown.candidates if one.is_readable(settings)] if shown else []
    return sum(floor - _NEAR_MISS <= similarity < floor for similarity in readable)


def message(
    reason: ReasonCode, question: Question, level: RelevanceLevel, blocks: Sequence[Block], shown: Attempt | None, settings: Settings
) -> str:
    """The outcome in one sentence, with the next step where nothing was found."""
    if reason is ReasonCode.FOUND:
        documents = len({block.best.candidate.record.source for block in blocks})
        found = f"Found {_count(len(blocks), 'passage')} in {_count(documents, 'document')}; relevance is {level.value}."
        return found + _unknown_codes(question)
    top = f"{shown.top_similarity:.6g}" if shown and shown.top_similarity is not None else "0"
    near = near_misses(shown, settings)
    just_below = f"; {_count(near, 'candidate')} just below" if near else ""
    detail = {
        ReasonCode.EMPTY_KNOWLEDGE_BASE: "the knowledge base has no text; add Markdown files and sync",
        ReasonCode.NO_SEARCHABLE_TEXT: "the question has no word to search for; name what you look for",
        ReasonCode.L1_DISABLED: "the vector search is switched off (use_l1), and L0 hints are never evidence",
        ReasonCode.NO_CANDIDATES: "the scope leaves nothing to search; widen it",
        ReasonCode.BELOW_FLOOR: f"the nearest passage has similarity {top}, and the floor is {settings.evidence_floor}{just_below}",
        ReasonCode.UNREADABLE_BY_EMBEDDER: (
            "the embedding model cannot read enough of the question or of what it found, so its similarities mean nothing; "
            "choose a model for this language"
        ),
    }[reason]
    return f"No knowledge evidence was found: {detail}.{_unknown_codes(question)}"


def _unknown_codes(question: Question) -> str:
    """Error codes of the question that no document has: whatever was found is not about them."""
    codes = [entity.text for entity in question.entities if entity.kind == "error_code" and entity.term in question.unknown_entities]
    return f" No document has the code {', '.join(codes)}." if codes else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
