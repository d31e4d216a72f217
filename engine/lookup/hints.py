"""L0: which titles, keywords, aliases and names stand in the query, and which category they vote for. Hints, never evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from engine.contracts.codes import FilterCode
from engine.contracts.lookup_trace import CategoryVotes, FilterDecision
from engine.index.catalog import Catalog, KeywordMatch
from engine.index.snapshot import Snapshot
from engine.settings import Settings
from engine.text import sequence, terms

_GIVEN = ("keyword", "alias")  # by an author who knows what the document is about; a title or name may be what many speak of
_AT_HOME = 0.9  # share of the passages; on six sets a filter hid all that was relevant for 22 of 140 filtered questions without it
_SILENT = "they are one-word titles, belong to documents without a category, or are titles and names that other categories speak of as well"
_MOST_ASKED = 1000  # passages, evenly over all that have the words; more say the same
_LEAST_NAMED = 2  # passages; one that happens to name a thing is no home for it
_LONGEST_ENTRY = 64  # words or Chinese characters; nobody types a longer keyword, and each word more costs every question


@dataclass(frozen=True, slots=True)
class Hint:
    """An L0 entry in the query, every place where it stands, and whether it votes."""

    match: KeywordMatch
    places: tuple[tuple[int, int], ...]  # first and end character
    votes: bool


def find_hints(text: str, snapshot: Snapshot) -> list[Hint]:
    """Every L0 entry whose words stand in the text one after the other."""
    catalog = snapshot.catalog
    tokens = sequence(text)
    longest = min(catalog.longest_keyword, _LONGEST_ENTRY)
    places: dict[str, list[tuple[int, int]]] = {}
    for first in range(len(tokens)):
        for last in range(first, min(len(tokens), first + longest)):
            key = " ".join(token.term for token in tokens[first : last + 1])
            places.setdefault(key, []).append((tokens[first].start, tokens[last].end))
    matches = catalog.keyword_matches(list(places)) if places else []
    spread = _categories_by_key(matches)
    voters = [match for match in matches if _may_vote(match, len(spread[match.key]), catalog.category_count)]
    silent = _not_at_home([match for match in voters if match.kind not in _GIVEN], snapshot)
    return [Hint(match, tuple(places[match.key]), match in voters and match not in silent) for match in matches]


def _categories_by_key(matches: list[KeywordMatch]) -> dict[str, set[str]]:
    """The categories of an entry, whichever kinds it is of."""
    spread: dict[str, set[str]] = {match.key: set() for match in matches}
    for match in matches:
        spread[match.key].update(match.categories)
    return spread


def decide_filter(hints: list[Hint], settings: Settings, catalog: Catalog) -> FilterDecision:
    """Whether the first attempt is narrowed to one category: only when enough of the votes agree."""
    votes = count_votes(hints)
    total = sum(votes.values())
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    shares = tuple(CategoryVotes(category=name, votes=count, share=round(count / total, 6)) for name, count in ranked)
    code, category, note = _decision(hints, shares, settings, catalog)
    return FilterDecision(code=code, category=category, votes=shares, note=note)


def count_votes(hints: list[Hint]) -> Counter[str]:
    """One vote of each distinct entry for each category of its documents."""
    voters = {hint.match.key: set[str]() for hint in hints if hint.votes}
    for hint in hints:
        if hint.votes:
            voters[hint.match.key].update(hint.match.categories)
    return Counter(category for categories in voters.values() for category in categories)


def _may_vote(match: KeywordMatch, spread: int, category_count: int) -> bool:
    one_word_title = match.kind == "title" and " " not in match.key
    return bool(match.categories) and not one_word_title and not covers(spread, category_count)


def _not_at_home(matches: list[KeywordMatch], snapshot: Snapshot) -> list[KeywordMatch]:
    """The titles and names whose words stand in too many passages of other categories, or in none; a name has to stand in two."""
    found = [_evenly(snapshot.terms.rows_with_all(terms(match.text))) for match in matches]
    asked = [at for at, rows in enumerate(found) if len(rows) >= (_LEAST_NAMED if matches[at].kind == "entity" else 1)]
    shares = snapshot.catalog.shares_in([found[at] for at in asked], [matches[at].categories for at in asked])
    at_home = {at for at, share in zip(asked, shares, strict=True) if share >= _AT_HOME}
    return [match for at, match in enumerate(matches) if at not in at_home]


def _evenly(rows: np.ndarray) -> np.ndarray:
    """So many of some rows as are worth looking at."""
    return rows if len(rows) <= _MOST_ASKED else rows[np.linspace(0, len(rows) - 1, _MOST_ASKED).astype(np.int64)]


def covers(spread: int, category_count: int) -> bool:
    """Whether an entry stands in too many categories to say anything: more than half."""
    return spread * 2 > category_count


def _decision(
    hints: list[Hint], shares: tuple[CategoryVotes, ...], settings: Settings, catalog: Catalog
) -> tuple[FilterCode, str | None, str]:
    if not settings.use_l0_filter:
        return FilterCode.DISABLED, None, "The L0 filter is switched off in the settings."
    if not shares:
        spread = _categories_by_key([hint.match for hint in hints])
        if any(covers(len(categories), catalog.category_count) for categories in spread.values()):
            return FilterCode.COVERS_EVERYTHING, None, "The matched entries stand in more than half of the categories, so they do not vote."
        note = f"The matched entries do not vote: {_SILENT}." if hints else "No L0 entry stands in the query."
        return FilterCode.NO_MATCH, None, note
    first = shares[0]
    tied = len(shares) > 1 and shares[1].votes == first.votes
    if first.share < settings.filter_share or tied:
        named = ", ".join(f"{one.category} {one.votes}" for one in shares)
        return FilterCode.AMBIGUOUS, None, f"The votes are divided ({named}), and the filter needs {settings.filter_share:.0%} for one category."
    return FilterCode.APPLIED, first.category, f"{first.votes} of {sum(one.votes for one in shares)} votes are for {first.category}."
