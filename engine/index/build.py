"""From the files of a knowledge base to a finished build; what did not change is taken from the former snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from engine.contracts.reports import SkippedFile
from engine.digest import bytes_hash, digest
from engine.index.catalog import CATALOG, DocumentRecord
from engine.index.catalog_writer import DocumentRows, Former, document_rows, first_rows, write_catalog
from engine.index.changes import Changes
from engine.index.disk import writing_to
from engine.index.embed import embed_texts
from engine.index.embedder_problems import beyond_limit_problems
from engine.index.embedding import Embedder, document_fingerprint
from engine.index.embedding_cache import EmbeddingCache
from engine.index.home import BUILDING, index_root, snapshot_folder
from engine.index.manifest import FORMAT_VERSION, Manifest
from engine.index.recipe import reading_recipe
from engine.index.search_terms_join import joined
from engine.index.search_terms_writer import TermCounter, write_search_terms
from engine.index.snapshot import Snapshot
from engine.index.vectors import VECTORS, require_length, write_vectors
from engine.knowledge.chunking import chunk_document
from engine.knowledge.corpus import folder_categories, twin_problems
from engine.knowledge.document import read_document
from engine.knowledge.reading import NewFile
from engine.progress import Progress
from engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Reading:
    """New files cut into chunks: what they come to whatever other files there are."""

    documents: tuple[DocumentRows, ...]
    texts: tuple[str, ...]  # to embed, chunk after chunk
    terms: TermCounter


@dataclass(frozen=True, slots=True)
class Plan:
    """All documents of the next snapshot in order of source, and where each chunk goes."""

    records: tuple[DocumentRecord, ...]
    new_rows: np.ndarray  # int64 [new chunks]
    kept_rows: np.ndarray  # int64 [chunks of the former snapshot], -1 where one is gone
    shifts: dict[str, int]  # by how much the rows of each kept document move


def build(changes: Changes, home: Path, settings: Settings, embedder: Embedder, progress: Progress) -> Manifest:
    """Write the files of the next snapshot to BUILDING, and give its manifest.

    With the same cache of embeddings the files are the same with a former snapshot and without one.
    """
    reading = _read(changes.files.new, settings, embedder, progress)
    with EmbeddingCache(index_root(settings), document_fingerprint(embedder)) as cache:
        new_vectors = embed_texts(reading.texts, embedder, cache, progress)
    progress("write", 0, 2)
    plan = _plan(changes.files.kept, changes.records, reading.documents)
    vectors = _vectors(plan, changes.former, new_vectors)
    folder = snapshot_folder(home, BUILDING)
    with writing_to(home):
        folder.mkdir(parents=True)
        _write(folder, changes.files.skipped, reading, plan, changes.former, vectors)
    return _manifest(plan.records, changes.files.skipped, vectors, settings, embedder)


def _read(files: Sequence[NewFile], settings: Settings, embedder: Embedder, progress: Progress) -> Reading:
    """Read and cut files one by one; of each only rows, texts and terms are kept."""
    limit = settings.chunk_tokens or embedder.max_tokens
    documents: list[DocumentRows] = []
    texts: list[str] = []
    terms = TermCounter()
    for done, file in enumerate(files):
        progress("chunk", done, len(files))
        document = read_document(file.source, file.text, file.content_hash, settings)
        chunks = chunk_document(document, embedder.tokenizer, limit)
        lengths = [terms.add(chunk) for chunk in chunks]
        documents.append(document_rows(document, chunks, lengths, beyond_limit_problems(chunks, embedder, settings)))
        texts += (chunk.embedded_text for chunk in chunks)
    progress("chunk", len(files), len(files))
    return Reading(tuple(documents), tuple(texts), terms)


def _plan(kept: Iterable[str], former: Sequence[DocumentRecord], new: Sequence[DocumentRows]) -> Plan:
    stays = set(kept)
    records = sorted([*(r for r in former if r.source in stays), *(one.record for one in new)], key=lambda record: record.source)
    folders = folder_categories([record.source for record in records])
    records = [record if record.category_origin == "frontmatter" else _filed(record, folders.get(record.source)) for record in records]
    first, first_before = first_rows(records), first_rows(former)
    kept_rows = np.full(sum(record.chunks for record in former), -1, dtype=np.int64)
    for record in former:
        if record.source in stays:
            before, now = first_before[record.source], first[record.source]
            kept_rows[before : before + record.chunks] = np.arange(now, now + record.chunks)
    new_rows = [np.arange(first[one.record.source], first[one.record.source] + one.record.chunks) for one in new]
    shifts = {source: first[source] - first_before[source] for source in stays}
    return Plan(tuple(records), np.concatenate([np.zeros(0, dtype=np.int64), *new_rows]), kept_rows, shifts)


def _filed(record: DocumentRecord, folder: str | None) -> DocumentRecord:
    """A document that names no category, with that of its folder."""
    return replace(record, categories=(folder,) if folder else (), category_origin="folder" if folder else "none")


def _vectors(plan: Plan, former: Snapshot | None, new: np.ndarray) -> np.ndarray:
    """The vectors of all chunks by row, float32 [chunks, dimension]. Raises ModelUnavailable where the new ones are of another length."""
    stay = np.flatnonzero(plan.kept_rows >= 0)
    if former is None or former.vectors is None or not len(stay):
        return new  # in order already
    kept = former.vectors.vectors(stay)
    vectors = np.empty((len(kept) + len(new), kept.shape[1]), dtype=np.float32)
    vectors[plan.kept_rows[stay]] = kept
    if len(new):
        require_length(new, kept.shape[1])
        vectors[plan.new_rows] = new
    return vectors


def _write(folder: Path, skipped: Sequence[SkippedFile], reading: Reading, plan: Plan, former: Snapshot | None, vectors: np.ndarray) -> None:
    twins = twin_problems(record.source for record in plan.records)
    other = Former(former.folder / CATALOG, plan.shifts) if former is not None else None
    write_catalog(folder / CATALOG, plan.records, reading.documents, skipped, twins.values(), other)
    terms = reading.terms.counted(plan.new_rows)
    write_search_terms(folder, joined(former.terms, plan.kept_rows, terms) if former is not None else terms)
    if len(vectors):
        write_vectors(folder / VECTORS, vectors)


def _manifest(
    records: Sequence[DocumentRecord], skipped: Sequence[SkippedFile], vectors: np.ndarray, settings: Settings, embedder: Embedder
) -> Manifest:
    """How the build was made; the id covers all that can change an answer, and no clock."""
    content = {
        "format": FORMAT_VERSION,
        "build": settings.build_key,
        "recipe": reading_recipe(),
        "model": document_fingerprint(embedder),
        "documents": [(record.source, record.digest, record.categories, record.category_origin) for record in records],
        "skipped": [file.model_dump(mode="json") for file in skipped],
        "vectors": bytes_hash(np.ascontiguousarray(vectors).data),
    }
    return {
        "snapshotId": digest(content),
        "model": {
            "name": embedder.name,
            "fingerprint": embedder.fingerprint,
            "maxTokens": embedder.max_tokens,
            "documentDtype": embedder.document_dtype,
        },
        "settings": settings.build_key,
        "recipe": reading_recipe(),
        "counts": {"documents": len(records), "chunks": len(vectors), "skipped": len(skipped)},
        "versions": {name: version(name) for name in ("duckdb", "usearch", "numpy")},
    }
