"""The DuckDB catalog of a snapshot: documents, chunks, search terms and the L0 keyword tables. The one home of its SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from engine.contracts.lookup import ScopeTerm
from engine.contracts.reports import Problem, SkippedFile
from engine.digest import bytes_hash
from engine.errors import EnvironmentProblem, IndexDamaged
from engine.knowledge.chunking import Chunk
from engine.knowledge.corpus import Corpus
from engine.knowledge.document import Document
from engine.knowledge.keywords import keyword_entries
from engine.text import pairs, terms

TEXT, PAIR, HEADING = 0, 1, 2  # what a search term was taken from
_CONFIG: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "enable_external_access": "false"}
_SCHEMA = """
create table documents (source varchar primary key, title varchar, category_origin varchar, content_hash varchar);
create table fields (source varchar, field varchar, value varchar);
create table chunks (row integer primary key, id varchar, source varchar, section varchar, piece integer, breadcrumb varchar, start_line integer,
    end_line integer, carried integer, content varchar, content_hash varchar, tokens integer, readable double, terms integer, pairs integer);
create table postings (field tinyint, term varchar, row integer, count integer);
create table keywords (key varchar, kind varchar, text varchar, canonical varchar, source varchar);
create table skipped (source varchar, code varchar, reason varchar, line integer);
create table problems (source varchar, line integer, code varchar, message varchar);
"""


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


def write_catalog(path: Path, corpus: Corpus, chunks: Sequence[Chunk], problems: Sequence[Problem]) -> None:
    """Write the catalog of a corpus; row n is chunk n. The problems are those of the files and of the chunks."""
    import pandas as pd  # half of the start-up time of every command, and only a build needs it

    with duckdb.connect(str(path)) as connection:
        connection.execute(_SCHEMA)
        for table, rows in _tables(corpus, chunks, problems).items():
            if rows:
                listed = connection.execute("select column_name from duckdb_columns() where table_name = $table", {"table": table}).fetchall()
                columns = [name for (name,) in listed]
                connection.register("incoming", pd.DataFrame(rows, columns=columns))
                connection.execute(f"insert into {table} select * from incoming")
                connection.unregister("incoming")
        connection.execute("create table statistics as select field, term, count(*)::integer as chunks from postings group by all order by all")


def _tables(corpus: Corpus, chunks: Sequence[Chunk], problems: Sequence[Problem]) -> dict[str, list[tuple[Any, ...]]]:
    counted = [(_counts(chunk), chunk) for chunk in chunks]
    postings = [
        (field, term, row, count) for row, (counts, _) in enumerate(counted) for field, terms_ in counts.items() for term, count in terms_.items()
    ]
    return {
        "documents": [(d.source, d.title, d.category_origin, d.content_hash) for d in corpus.documents],
        "fields": [row for document in corpus.documents for row in _field_rows(document)],
        "chunks": [_chunk_row(row, chunk, counts) for row, (counts, chunk) in enumerate(counted)],
        "postings": sorted(postings),
        "keywords": [tuple(entry) for entry in keyword_entries(corpus.documents)],
        "skipped": [(file.source, file.code, file.reason, file.line) for file in corpus.skipped],
        "problems": [(problem.source, problem.line, problem.code, problem.message) for problem in problems],
    }


def _counts(chunk: Chunk) -> dict[int, Counter[str]]:
    text = chunk.embedded_text
    return {TEXT: Counter(terms(text)), PAIR: Counter(pairs(text)), HEADING: Counter(terms(chunk.breadcrumb))}


def _chunk_row(row: int, chunk: Chunk, counts: Mapping[int, Counter[str]]) -> tuple[Any, ...]:
    content_hash = bytes_hash(chunk.content.encode())[:32]
    place = (row, chunk.id, chunk.source, chunk.section, chunk.piece, chunk.breadcrumb, chunk.start_line, chunk.end_line, len(chunk.carried))
    return (*place, chunk.content, content_hash, chunk.tokens, chunk.readable, counts[TEXT].total(), counts[PAIR].total())


def _field_rows(document: Document) -> Iterable[tuple[str, str, str]]:
    """Every field that a scope may name; `category` is the effective one, `source` the path."""
    own = {**document.fields, "category": document.categories, "source": (document.source,)}
    return ((document.source, field, value) for field, values in own.items() for value in dict.fromkeys(values))


class Catalog:
    """A catalog opened for reading; every call has a cursor of its own, so threads may share it."""

    def __init__(self, path: Path) -> None:
        try:
            self._connection = duckdb.connect(str(path), read_only=True, config=_CONFIG)
        except duckdb.Error as failure:
            raise IndexDamaged(f"the catalog cannot be opened: {failure}; run: evidence sync") from failure
        try:
            counts = self._all("select count(*), coalesce(avg(terms), 0), coalesce(avg(pairs), 0) from chunks")[0]
            self.average_length = {TEXT: float(counts[1]), PAIR: float(counts[2])}
            self.chunk_count = int(counts[0])
            self.document_count = int(self._all("select count(*) from documents")[0][0])
            self.longest_keyword = int(self._all("select coalesce(max(len(string_split(key, ' '))), 0) from keywords")[0][0])
            self.category_count = int(self._all("select count(distinct value) from fields where field = 'category'")[0][0])
        except duckdb.Error as failure:
            self._connection.close()
            raise IndexDamaged(f"the catalog cannot be read: {failure}; run: evidence sync") from failure

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def records(self, rows: np.ndarray) -> list[ChunkRecord]:
        """The records of some rows, in the order given."""
        found = self._all(
            """select c.row, c.id, c.source, d.title, c.section, c.piece, c.breadcrumb,
                   coalesce((select list(value order by value) from fields f where f.source = c.source and f.field = 'category'), []),
                   c.start_line, c.end_line, c.content_hash, c.tokens, c.readable, c.terms, c.pairs
               from chunks c join documents d using (source) where c.row in (select unnest($rows))""",
            {"rows": rows.tolist()},
        )
        columns: list[list[Any]] = [[tuple(value) if isinstance(value, list) else value for value in record] for record in found]
        by_row = {record[0]: ChunkRecord(*record) for record in columns}
        return [by_row[row] for row in rows.tolist()]

    def contents(self, rows: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Text of some rows, and how many of its characters were carried from a table or fence head."""
        found = self._all("select row, content, carried from chunks where row in (select unnest($rows))", {"rows": list(rows)})
        return {row: (content, carried) for row, content, carried in found}

    def postings(self, field: int, searched: Sequence[str], rows: Sequence[int]) -> dict[int, dict[str, int]]:
        """For each of some rows, how often it has each of the terms."""
        found = self._all(
            "select row, term, count from postings where field = $field and term in (select unnest($terms)) and row in (select unnest($rows))",
            {"field": field, "terms": list(searched), "rows": list(rows)},
        )
        counts: dict[int, dict[str, int]] = {row: {} for row in rows}
        for row, term, count in found:
            counts[row][term] = count
        return counts

    def document_frequencies(self, field: int, searched: Sequence[str]) -> dict[str, int]:
        """In how many chunks each of the terms stands; unknown terms are left out."""
        wanted = {"field": field, "terms": list(searched)}
        return dict(self._all("select term, chunks from statistics where field = $field and term in (select unnest($terms))", wanted))

    def keyword_matches(self, keys: Sequence[str]) -> list[KeywordMatch]:
        """The L0 entries with one of the keys, in the order of key and kind."""
        found = self._all(
            """select key, kind, min(text), list(distinct canonical order by canonical) filter (canonical is not null),
                   list(distinct k.source order by k.source), list(distinct f.value order by f.value) filter (f.value is not null)
               from keywords k left join fields f on f.source = k.source and f.field = 'category'
               where key in (select unnest($keys)) group by key, kind order by key, kind""",
            {"keys": list(keys)},
        )
        return [KeywordMatch(*row[:3], *(tuple(values or ()) for values in row[3:])) for row in found]

    def scope_fields(self) -> dict[str, tuple[str, ...]]:
        """Every field that a scope may name, with its values."""
        found = self._all("select field, list(distinct value order by value) from fields group by field order by field")
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
            has_value = f"source in (select source from fields where field = $field{i} and value in (select unnest($values{i})))"
            is_empty = f"(source not in (select source from fields where field = $field{i}) and list_contains($values{i}, ''))"
            conditions.append(f"{'not ' if term.operator == '!=' else ''}({has_value} or {is_empty})")
        found = self._all(f"select row from chunks where {' and '.join(conditions)} order by row", values)
        return np.asarray([row for (row,) in found], dtype=np.int64)

    def sections(self) -> frozenset[str]:
        """Every section that has a chunk, as `path#slug`."""
        return frozenset(name for (name,) in self._all("select distinct regexp_replace(id, '~[0-9]+$', '') from chunks"))

    def file_hashes(self) -> dict[str, str]:
        """The content hash of every indexed document."""
        return dict(self._all("select source, content_hash from documents"))

    def category_sizes(self) -> dict[str, int]:
        """How many documents each category has, the largest first."""
        return dict(self._all("select value, count(*) from fields where field = 'category' group by value order by count(*) desc, value"))

    def skipped(self) -> tuple[SkippedFile, ...]:
        """The files that are not indexed."""
        found = self._all("select source, code, reason, line from skipped order by source")
        return tuple(SkippedFile(source=source, code=code, reason=reason, line=line) for source, code, reason, line in found)

    def problems(self) -> tuple[Problem, ...]:
        """The faults of files that are indexed."""
        found = self._all("select source, line, code, message from problems order by all")
        return tuple(Problem(source=source, line=line, code=code, message=message) for source, line, code, message in found)

    def unreadable(self, minimum: float) -> list[tuple[str, int, int]]:
        """Documents with chunks of which the embedder reads less than a share: source, first such line, how many."""
        found = self._all(
            "select source, min(start_line), count(*) from chunks where readable < $minimum group by source order by source", {"minimum": minimum}
        )
        return [(source, line, count) for source, line, count in found]

    def _all(self, sql: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        try:
            with self._connection.cursor() as cursor:
                return cursor.execute(sql, dict(values or {})).fetchall()
        except duckdb.ConnectionException as failure:
            raise EnvironmentProblem("the engine is closed; open it again") from failure
