"""The DuckDB catalog of a snapshot, opened for reading: documents, chunks and the L0 keyword tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from engine.contracts.lookup import ScopeTerm
from engine.contracts.reports import Problem, SkippedFile
from engine.errors import EnvironmentProblem, IndexDamaged
from engine.index.damage import failure_to_read
from engine.index.lengths import Lengths
from engine.index.search_terms import PAIR, TEXT

CATALOG = "catalog.duckdb"
NO_EXTENSIONS: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_CONFIG = {**NO_EXTENSIONS, "temp_directory": ""}  # a reader writes nothing, least of all beside the file


def quoted(path: Path) -> str:
    """A path as SQL text; the name of a database to attach cannot be a parameter."""
    return "'" + str(path).replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What is known of a document without its chunks."""

    source: str
    title: str
    categories: tuple[str, ...]
    category_origin: str  # frontmatter, folder or none
    content_hash: str
    digest: str  # over all that the catalog holds of it, whatever other documents there are
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """What a lookup knows of a chunk without its text."""

    row: int
    id: str
    source: str
    title: str
    section: str
    piece: int
    breadcrumb: str
    categories: tuple[str, ...]
    start_line: int
    end_line: int
    content_hash: str
    tokens: int
    readable: float
    terms: int
    pairs: int


@dataclass(frozen=True, slots=True)
class KeywordMatch:
    """An L0 entry, with every document that carries it."""

    key: str
    kind: str
    text: str
    canonicals: tuple[str, ...]
    sources: tuple[str, ...]
    categories: tuple[str, ...]


class Catalog:
    """A catalog opened for reading; every call has a cursor of its own, so threads may share it."""

    def __init__(self, path: Path) -> None:
        # A database in memory with the file attached: connecting to the file itself gives what the process has at that path already, and a
        # damaged catalog that was built anew has the path of the old one.
        with _explained():
            self._connection = duckdb.connect(config=_CONFIG)
        try:
            with _explained():
                self._connection.execute(f"attach {quoted(path)} as snapshot (read_only)")
                self._connection.execute("set enable_external_access = false")
            [totals] = self._all("select documents, chunks, categories, longest_keyword, terms, pairs from snapshot.totals") or [(None,)]
            if None in totals:
                raise IndexDamaged("the catalog has no totals")
        except BaseException:
            self._connection.close()
            raise
        self.document_count, self.chunk_count, self.category_count, self.longest_keyword, *lengths = map(int, totals)
        self.average_length = {kind: length / max(self.chunk_count, 1) for kind, length in zip((TEXT, PAIR), lengths, strict=True)}

    def close(self) -> None:
        """Release the file; with the last answer, where another thread is still reading."""
        with suppress(duckdb.Error):  # it is closed all the same
            self._connection.close()

    def records(self, rows: np.ndarray) -> list[ChunkRecord]:
        """The records of some rows, in the order given."""
        found = self._all(
            """select c.row, c.id, c.source, d.title, c.section, c.piece, c.breadcrumb,
                   coalesce((select list(value order by value) from snapshot.fields f where f.source = c.source and f.field = 'category'), []),
                   c.start_line, c.end_line, c.content_hash, c.tokens, c.readable, c.terms, c.pairs
               from snapshot.chunks c join snapshot.documents d using (source) where c.row in (select unnest($rows))""",
            {"rows": rows.tolist()},
        )
        columns: list[list[Any]] = [[tuple(value) if isinstance(value, list) else value for value in record] for record in found]
        by_row = {record[0]: ChunkRecord(*record) for record in columns}
        return [by_row[row] for row in rows.tolist()]

    def lengths(self) -> Lengths:
        """The lengths of all passages and documents."""
        with _explained(), self._connection.cursor() as cursor:
            terms = cursor.execute("select terms from snapshot.chunks order by row").fetchnumpy()["terms"]
            starts = cursor.execute("select min(row) as start from snapshot.chunks group by source order by start").fetchnumpy()["start"]
        return Lengths.of(np.asarray(terms), np.asarray(starts))

    def contents(self, rows: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Text of some rows, and how many of its characters were carried from a table or fence head."""
        found = self._all("select row, content, carried from snapshot.chunks where row in (select unnest($rows))", {"rows": list(rows)})
        return {row: (content, carried) for row, content, carried in found}

    def keyword_matches(self, keys: Sequence[str]) -> list[KeywordMatch]:
        """The L0 entries with one of the keys, in the order of key and kind."""
        found = self._all(
            """select key, kind, min(text), list(distinct canonical order by canonical) filter (canonical is not null),
                   list(distinct k.source order by k.source), list(distinct f.value order by f.value) filter (f.value is not null)
               from snapshot.keywords k left join snapshot.fields f on f.source = k.source and f.field = 'category'
               where key in (select unnest($keys)) group by key, kind order by key, kind""",
            {"keys": list(keys)},
        )
        return [KeywordMatch(*row[:3], *(tuple(values or ()) for values in row[3:])) for row in found]

    def scope_fields(self) -> dict[str, tuple[str, ...]]:
        """Every field that a scope may name, with its values."""
        found = self._all("select field, list(distinct value order by value) from snapshot.fields group by field order by field")
        return {field: tuple(values) for field, values in found}

    def rows_in(self, scope: Sequence[ScopeTerm], category: str | None) -> np.ndarray | None:
        """The rows that satisfy a scope and have a category, rising; None when neither limits anything."""
        wanted = [*scope, *([ScopeTerm(field="category", operator="=", values=(category,))] if category is not None else [])]
        if not wanted:
            return None
        conditions: list[str] = []
        values: dict[str, Any] = {}
        for i, term in enumerate(wanted):
            values |= {f"field{i}": term.field, f"values{i}": list(term.values)}
            has_value = f"source in (select source from snapshot.fields where field = $field{i} and value in (select unnest($values{i})))"
            is_empty = f"(source not in (select source from snapshot.fields where field = $field{i}) and list_contains($values{i}, ''))"
            conditions.append(f"{'not ' if term.operator == '!=' else ''}({has_value} or {is_empty})")
        found = self._all(f"select row from snapshot.chunks where {' and '.join(conditions)} order by row", values)
        return np.asarray([row for (row,) in found], dtype=np.int64)

    def shares_in(self, rows: Sequence[np.ndarray], categories: Sequence[Sequence[str]]) -> list[float]:
        """For each set of rows, none empty, the share whose document has one of the categories that belong to the set."""
        if not rows:
            return []
        numbers = np.arange(len(rows))
        found = self._all(
            """select number, count(distinct row) from (select unnest($numbers) as number, unnest($rows) as row) join snapshot.chunks using (row)
               join snapshot.fields f using (source) join (select unnest($of) as number, unnest($values) as value) v using (number, value)
               where f.field = 'category' group by number""",
            {
                "numbers": np.repeat(numbers, [len(some) for some in rows]).tolist(),
                "rows": np.concatenate(rows).tolist(),
                "of": np.repeat(numbers, [len(some) for some in categories]).tolist(),
                "values": [value for some in categories for value in some],
            },
        )
        counts = dict(found)
        return [counts.get(number, 0) / len(some) for number, some in enumerate(rows)]

    def sections(self) -> frozenset[str]:
        """Every section that has a chunk, as `path#slug`."""
        return frozenset(name for (name,) in self._all("select distinct regexp_replace(id, '~[0-9]+$', '') from snapshot.chunks"))

    def pieces(self, sources: Sequence[str]) -> dict[str, dict[str, frozenset[int]]]:
        """The numbers of the chunks by source and section, of those documents that there are; one without text has no section."""
        found = self._all(
            """select d.source, c.section, list(c.piece) from snapshot.documents d left join snapshot.chunks c using (source)
               where d.source in (select unnest($sources)) group by d.source, c.section order by d.source, c.section""",
            {"sources": list(sources)},
        )
        by_source: dict[str, dict[str, frozenset[int]]] = {}
        for source, section, numbers in found:
            by_source.setdefault(source, {}).update({} if section is None else {section: frozenset(numbers)})
        return by_source

    def sources_like(self, name: str, count: int) -> list[str]:
        """The sources whose letters are nearest to a name, the nearest first."""
        sql = "select source from snapshot.documents order by jaro_winkler_similarity(source, $name) desc, source limit $count"
        return [source for (source,) in self._all(sql, {"name": name, "count": count})]

    def documents(self) -> list[DocumentRecord]:
        """Every document, in the order of the sources."""
        found = self._all(
            """select source, title, coalesce(categories, []), category_origin, content_hash, digest, chunks
               from snapshot.documents left join (
                   select source, list(value order by value) as categories from snapshot.fields where field = 'category' group by source
               ) using (source) order by source"""
        )
        return [DocumentRecord(source, title, tuple(categories), *rest) for source, title, categories, *rest in found]

    def file_hashes(self) -> dict[str, str]:
        """The content hash of every indexed document."""
        return dict(self._all("select source, content_hash from snapshot.documents"))

    def category_sizes(self) -> dict[str, int]:
        """How many documents each category has, the largest first."""
        return dict(self._all("select value, count(*) from snapshot.fields where field = 'category' group by value order by count(*) desc, value"))

    def skipped(self) -> tuple[SkippedFile, ...]:
        """The files that are not indexed."""
        found = self._all("select source, code, reason, line from snapshot.skipped order by source, code, reason")
        return tuple(SkippedFile(source=source, code=code, reason=reason, line=line) for source, code, reason, line in found)

    def problems(self) -> tuple[Problem, ...]:
        """The faults of files that are indexed."""
        found = self._all("select source, line, code, message from snapshot.problems order by all")
        return tuple(Problem(source=source, line=line, code=code, message=message) for source, line, code, message in found)

    def unreadable(self, minimum: float) -> list[tuple[str, int, int]]:
        """Documents with chunks of which the embedder reads less than a share: source, first such line, how many."""
        sql = "select source, min(start_line), count(*) from snapshot.chunks where readable < $minimum group by source order by source"
        found = self._all(sql, {"minimum": minimum})
        return [(source, line, count) for source, line, count in found]

    def _all(self, sql: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        with _explained(), self._connection.cursor() as cursor:
            return cursor.execute(sql, dict(values or {})).fetchall()


@contextmanager
def _explained() -> Iterator[None]:
    """Around everything that is asked of the database. Raises IndexDamaged, EnvironmentProblem."""
    try:
        yield
    except duckdb.ConnectionException as failure:
        raise EnvironmentProblem("the engine is closed; open it again") from failure
    except (duckdb.OutOfMemoryException, duckdb.InterruptException) as failure:
        raise EnvironmentProblem(f"the catalog cannot be read: {failure}; give this process what it lacks and try again") from failure
    except duckdb.Error as failure:
        raise failure_to_read("the catalog", failure) from failure
