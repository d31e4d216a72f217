"""A snapshot of any size: a real one many times over, each copy with its own paths, and with vectors that are noise around the real ones."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import duckdb
import numpy as np

from engine.index.catalog import CATALOG
from engine.index.catalog_writer import SCHEMA, TOTALS
from engine.index.home import point_to, snapshot_folder
from engine.index.manifest import write_manifest
from engine.index.search_terms_writer import TermCounts, write_search_terms
from engine.index.snapshot import Snapshot
from engine.index.vectors import VECTORS, write_vectors

_ID = "0" * 16
_NOISE = 0.02  # of a component; cosines between copies are about 0.9
_COPIED = {  # how a table is copied: with another path for each copy, and other row numbers for the chunks
    "documents": "replace (copy || '/' || source as source)",
    "fields": "replace (copy || '/' || source as source)",
    "chunks": "replace (copy || '/' || source as source, copy || '/' || id as id, row + copy * $chunks as row)",
    "keywords": "replace (copy || '/' || source as source)",
}


def multiply(snapshot: Snapshot, times: int, home: Path) -> int:
    """Write a snapshot of so many copies to another home and make it the newest there; the number of its chunks."""
    folder = snapshot_folder(home, _ID)
    folder.mkdir(parents=True)
    chunks = snapshot.catalog.chunk_count
    _catalog(snapshot.folder / CATALOG, folder / CATALOG, times, chunks)
    _terms(snapshot, folder, times, chunks)
    _vectors(snapshot, folder, times, chunks)
    counts = {"documents": snapshot.catalog.document_count * times, "chunks": chunks * times, "skipped": 0}
    made_by = {name: version(name) for name in ("duckdb", "usearch", "numpy")}
    write_manifest(folder, {**snapshot.manifest, "snapshotId": _ID, "counts": counts, "versions": made_by})
    point_to(home, _ID)
    return chunks * times


def _catalog(source: Path, target: Path, times: int, chunks: int) -> None:
    with duckdb.connect(str(target)) as connection:
        connection.execute(SCHEMA)
        connection.execute(f"attach '{source}' as former (read_only)")
        for table, how in _COPIED.items():
            for copy in range(times):
                sql = f"insert into {table} select * exclude copy {how} from (select *, $copy::integer as copy from former.{table})"
                connection.execute(sql, {"copy": copy, **({"chunks": chunks} if "$chunks" in how else {})})
        connection.execute(TOTALS)


def _terms(snapshot: Snapshot, folder: Path, times: int, chunks: int) -> None:
    terms = snapshot.terms
    lengths = np.diff(terms.key_starts)
    of_key = np.repeat(np.arange(len(terms.keys)), lengths)
    within = np.arange(len(terms.rows)) - terms.key_starts[of_key]
    rows, counts = np.empty(len(terms.rows) * times, dtype=np.int32), np.empty(len(terms.rows) * times, dtype=np.uint16)
    for copy in range(times):
        places = terms.key_starts[of_key] * times + lengths[of_key] * copy + within
        rows[places], counts[places] = terms.rows + copy * chunks, terms.counts
    write_search_terms(folder, TermCounts(terms.words(), terms.keys, terms.key_starts * times, rows, counts))


def _vectors(snapshot: Snapshot, folder: Path, times: int, chunks: int) -> None:
    assert snapshot.vectors is not None
    real = snapshot.vectors.vectors(np.arange(chunks))
    noise = np.random.default_rng(7)
    vectors = np.tile(real, (times, 1))
    for copy in range(1, times):
        part = vectors[copy * chunks : (copy + 1) * chunks]
        part += _NOISE * noise.standard_normal(part.shape, dtype=np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    write_vectors(folder / VECTORS, vectors)
