"""The DuckDB catalog of a build, written: rows of new documents joined with those that stay from the former snapshot.

One thread and one order for every table, so that equal content gives an equal file, but for the identifier that DuckDB draws for each file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from engine.contracts.reports import Problem, SkippedFile
from engine.digest import bytes_hash, digest
from engine.index.catalog import NO_EXTENSIONS, DocumentRecord, quoted
from engine.knowledge.chunking import Chunk
from engine.knowledge.document import Document
from engine.knowledge.keywords import keyword_entries

Row = tuple[Any, ...]
SCHEMA = """
create table documents (source varchar, title varchar, category_origin varchar, content_hash varchar, digest varchar, chunks integer);
create table fields (source varchar, field varchar, value varchar);
create table chunks (row integer, id varchar, source varchar, section varchar, piece integer, breadcrumb varchar, start_line integer,
    end_line integer, carried integer, content varchar, content_hash varchar, tokens integer, readable double, terms integer, pairs integer);
create table keywords (key varchar, kind varchar, text varchar, canonical varchar, source varchar);
create table skipped (source varchar, code varchar, reason varchar, line integer);
create table problems (source varchar, line integer, code varchar, message varchar);
create temp table kept (source varchar, shift integer);
"""
_STAYING = {  # what is taken from the former snapshot; the rest depends on other files as well and is written anew
    "fields": "select f.* from former.fields f semi join kept using (source) where field != 'category'",
    "chunks": "select c.* replace (row + shift as row) from former.chunks c join kept using (source)",
    "keywords": "select k.* from former.keywords k semi join kept using (source)",
    "problems": "select p.* from former.problems p semi join kept using (source) where code != 'twin_name'",
}
TOTALS = """
create table totals as select (select count(*) from documents) as documents, (select count(*) from chunks) as chunks,
    (select count(distinct value) from fields where field = 'category') as categories,
    (select coalesce(max(len(string_split(key, ' '))), 0) from keywords) as longest_keyword,
    (select coalesce(sum(terms), 0) from chunks) as terms, (select coalesce(sum(pairs), 0) from chunks) as pairs
"""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """What the catalog holds of one document, whatever other documents there are; chunks without their row number."""

    record: DocumentRecord
    fields: tuple[Row, ...]
    chunks: tuple[Row, ...]
    keywords: tuple[Row, ...]
    problems: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Former:
    """A catalog that some documents are taken from; `shifts` says by how much their row numbers change."""

    path: Path
    shifts: Mapping[str, int]


def document_rows(document: Document, chunks: Sequence[Chunk], lengths: Sequence[tuple[int, int]], problems: Sequence[Problem]) -> DocumentRows:
    """The rows of a document; `lengths` are the numbers of terms and of pairs of each chunk, `problems` those of its chunks."""
    own = {**document.fields, "source": (document.source,)}
    own.pop("category", None)
    rows = {
        "fields": tuple((document.source, field, value) for field, values in own.items() for value in dict.fromkeys(values)),
        "chunks": tuple(_chunk_row(chunk, counts) for chunk, counts in zip(chunks, lengths, strict=True)),
        "keywords": tuple(tuple(entry) for entry in keyword_entries([document])),
        "problems": tuple(_problem_row(problem) for problem in (*document.problems, *problems)),
    }
    named = (document.source, document.title, tuple(sorted(set(document.categories))), document.category_origin, document.content_hash)
    return DocumentRows(DocumentRecord(*named, digest=digest([named, rows]), chunks=len(chunks)), **rows)


def _chunk_row(chunk: Chunk, lengths: tuple[int, int]) -> Row:
    content_hash = bytes_hash(chunk.content.encode())[:32]
    place = (chunk.id, chunk.source, chunk.section, chunk.piece, chunk.breadcrumb, chunk.start_line, chunk.end_line, len(chunk.carried))
    return (*place, chunk.content, content_hash, chunk.tokens, chunk.readable, *lengths)


def _problem_row(problem: Problem) -> Row:
    return (problem.source, problem.line, problem.code, problem.message)


def first_rows(records: Iterable[DocumentRecord]) -> dict[str, int]:
    """The row number of the first chunk of each document, in the order given."""
    first, at = {}, 0
    for record in records:
        first[record.source] = at
        at += record.chunks
    return first


def write_catalog(
    path: Path,
    records: Sequence[DocumentRecord],
    new: Sequence[DocumentRows],
    skipped: Sequence[SkippedFile],
    problems: Iterable[Problem],
    former: Former | None = None,
) -> None:
    """Write the catalog of all `records`, ordered by source, of which `new` brings its rows and `former` has the others; row n is chunk n.

    The `problems` are those that a document has only among the others.
    """
    first = first_rows(records)
    rows: dict[str, list[Row]] = {
        "documents": [(r.source, r.title, r.category_origin, r.content_hash, r.digest, r.chunks) for r in records],
        "fields": [*((r.source, "category", value) for r in records for value in r.categories), *(row for one in new for row in one.fields)],
        "chunks": [(first[one.record.source] + i, *row) for one in new for i, row in enumerate(one.chunks)],
        "keywords": [row for one in new for row in one.keywords],
        "skipped": [(file.source, file.code, file.reason, file.line) for file in skipped],
        "problems": [*map(_problem_row, problems), *(row for one in new for row in one.problems)],
    }
    with duckdb.connect(str(path), config={**NO_EXTENSIONS, "threads": 1}) as connection:
        connection.execute(SCHEMA)
        if former is not None:
            connection.execute(f"attach {quoted(former.path)} as former (read_only)")
            _append(connection, "kept", list(former.shifts.items()))
        for table, incoming in rows.items():
            connection.execute(f"create temp table incoming as from {table} limit 0")
            _append(connection, "incoming", incoming)
            staying = f" union all {_STAYING[table]}" if former is not None and table in _STAYING else ""
            connection.execute(f"insert into {table} select * from (from incoming{staying}) order by all")
            connection.execute("drop table incoming")
        connection.execute(TOTALS)


def _append(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    """Append rows to a table as columns, which is a hundred times faster than row by row."""
    import pandas as pd  # half of the start-up time of every command, and only a build needs it

    if rows:
        connection.register("rows", pd.DataFrame(rows))
        connection.execute(f"insert into {table} from rows")
        connection.unregister("rows")
