"""Stage 4: the candidates that are evidence become blocks; every other one is dropped with a code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.contracts.codes import AttemptName, DropCode
from engine.index.catalog import ChunkRecord
from engine.index.snapshot import Snapshot
from engine.lookup.reasons import Reason, hit_reasons
from engine.lookup.rerank import Ranked
from engine.settings import Settings
from engine.trace import Recorder


@dataclass(frozen=True, slots=True)
class Block:
    """Evidence: a chunk, or neighbouring chunks of one section in the order of the file."""

    best: Ranked
    members: tuple[Ranked, ...]
    content: str
    best_span: tuple[int, int]  # characters of the content that the best chunk gave
    similarity: float  # the highest among its chunks; of those that are evidence by it, where there are any
    waived: bool  # evidence only because it has every error code of the question
    reasons: tuple[Reason, ...]

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line in the file."""
        return self.members[0].candidate.record.start_line, self.members[-1].candidate.record.end_line


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that became no block, and why."""

    ranked: Ranked
    code: DropCode
    kept_instead: str | None = None


@dataclass(slots=True)
class _Group:
    best: Ranked
    members: list[Ranked] = field(default_factory=list)


def build_blocks(
    ranked: Sequence[Ranked],
    query_readable: bool,
    found_by: AttemptName,
    category: str | None,
    settings: Settings,
    snapshot: Snapshot,
    recorder: Recorder,
) -> tuple[tuple[Block, ...], tuple[Dropped, ...]]:
    """The blocks, best first, and what was dropped on the way; `category` is what L0 chose, in either attempt.

    Candidates are taken by rank until `max_blocks` places are used. A neighbour of an earlier one joins its block and uses no
    place; two blocks that join give none back, so that nothing enters after something better was refused.
    """
    with recorder.span("blocks") as attributes:
        groups: list[_Group] = []
        dropped: list[Dropped] = []
        seen: dict[str, str] = {}
        places: Counter[str] = Counter()  # used, by document
        for one in ranked:
            record = one.candidate.record
            if code := unusable(one, query_readable, settings):
                dropped.append(Dropped(one, code))
            elif record.content_hash in seen:
                dropped.append(Dropped(one, DropCode.DUPLICATE_OF, seen[record.content_hash]))
            elif places.total() >= settings.max_blocks:
                dropped.append(Dropped(one, DropCode.MAX_BLOCKS))
            elif neighbours := [group for group in groups if _adjacent(group, record)]:
                _merge(groups, neighbours, one)
                seen[record.content_hash] = record.id
            elif places[record.source] >= settings.max_blocks_per_document:
                dropped.append(Dropped(one, DropCode.MAX_BLOCKS_PER_DOCUMENT))
            else:
                groups.append(_Group(one, [one]))
                places[record.source] += 1
                seen[record.content_hash] = record.id
        contents = _contents(groups, snapshot)
        blocks = tuple(_block(group, contents, query_readable, found_by, category, settings) for group in groups)
        attributes |= {"blocks": len(blocks), "dropped": len(dropped)}
        return blocks, tuple(dropped)


def unusable(one: Ranked, query_readable: bool, settings: Settings) -> DropCode | None:
    """Why a candidate is no evidence, whatever its rank; None when it is."""
    code = _by_similarity(one, query_readable, settings)
    return None if code is None or (settings.exact_terms_waive_floor and one.has_error_codes) else code


def _by_similarity(one: Ranked, query_readable: bool, settings: Settings) -> DropCode | None:
    if not query_readable or not one.candidate.is_readable(settings):
        return DropCode.UNREADABLE_BY_EMBEDDER
    return DropCode.BELOW_FLOOR if one.candidate.similarity < settings.evidence_floor else None


def _adjacent(group: _Group, record: ChunkRecord) -> bool:
    first = group.best.candidate.record
    pieces = [member.candidate.record.piece for member in group.members]
    return (first.source, first.section) == (record.source, record.section) and record.piece in (min(pieces) - 1, max(pieces) + 1)


def _merge(groups: list[_Group], neighbours: list[_Group], one: Ranked) -> None:
    """Put a chunk into the first group that it touches; a second one that it touches joins them."""
    kept, *others = neighbours
    kept.members.append(one)
    for other in others:
        kept.members += other.members
        groups.remove(other)
    kept.members.sort(key=lambda member: member.candidate.record.piece)


def _contents(groups: Iterable[_Group], snapshot: Snapshot) -> dict[int, tuple[str, int]]:
    rows = [member.candidate.record.row for group in groups for member in group.members]
    return snapshot.catalog.contents(rows) if rows else {}


def _block(
    group: _Group, contents: dict[int, tuple[str, int]], query_readable: bool, found_by: AttemptName, category: str | None, settings: Settings
) -> Block:
    records = [member.candidate.record for member in group.members]
    content, spans = _joined([(record, *contents[record.row]) for record in records])
    by_similarity = [member for member in group.members if _by_similarity(member, query_readable, settings) is None]
    by_code = len(by_similarity) < len(group.members)
    return Block(
        best=group.best,
        members=tuple(group.members),
        content=content,
        best_span=spans[records.index(group.best.candidate.record)],
        similarity=max(member.candidate.similarity for member in by_similarity or group.members),
        waived=not by_similarity,
        reasons=hit_reasons(group.best, by_code, found_by, category, settings),
    )


def _joined(pieces: list[tuple[ChunkRecord, str, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text of neighbouring chunks as it stands in the file, repeated heads out, blank lines between them in; where each chunk stands in it."""
    joined = ""
    spans: list[tuple[int, int]] = []
    end_line = pieces[0][0].start_line
    for record, content, carried in pieces:
        joined += "\n" * (record.start_line - end_line)
        start = len(joined)
        joined += content[carried if spans else 0 :]
        spans.append((start, len(joined)))
        end_line = record.end_line
    return joined, spans
