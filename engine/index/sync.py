"""From the files of a knowledge base to its newest snapshot; one writer at a time."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from engine.contracts.reports import Freshness, SkippedFile, SyncReport
from engine.errors import IndexDamaged, IndexLocked, IndexMissing
from engine.index.catalog import write_catalog
from engine.index.embedding import Embedder, Progress, no_progress
from engine.index.snapshot import CATALOG, FORMAT_VERSION, VECTORS, Snapshot, current_id, file_hash, index_home, open_snapshot, publish
from engine.index.vectors import write_vectors
from engine.knowledge.chunking import Chunk, chunk_document
from engine.knowledge.corpus import Corpus, read_corpus
from engine.knowledge.files import content_hash, decode, list_files, read_file
from engine.settings import Settings, digest

_LOCK_SECONDS = 600  # how long to wait for another writer before saying so


def sync(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """Build a snapshot of the files as they are now, and open it.

    Raises:
        KnowledgeBaseMissing, IndexLocked, ModelUnavailable.
    """
    home = index_home(kb, settings)
    with _writer(home):
        _build(kb, home, settings, embedder, progress)
        return open_snapshot(home)


def open_or_build(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """The newest snapshot; built first where it is missing or damaged. Raises as `sync` does."""
    list_files(kb)
    home = index_home(kb, settings)
    before = current_id(home)
    try:
        return open_snapshot(home)
    except (IndexMissing, IndexDamaged):
        with _writer(home):
            if current_id(home) == before:  # nobody else built it while we waited
                _build(kb, home, settings, embedder, progress)
            return open_snapshot(home)


def freshness(kb: Path, snapshot: Snapshot) -> Freshness:
    """Which Markdown files differ from what the snapshot was built of. Raises KnowledgeBaseMissing."""
    root = kb.resolve()
    indexed = snapshot.catalog.file_hashes()
    now = {source: _readable_hash(source, path, root) for source, path in list_files(kb)}
    return Freshness(
        snapshot_id=snapshot.id,
        added=tuple(sorted(source for source, found in now.items() if found and source not in indexed)),
        changed=tuple(sorted(source for source, known in indexed.items() if source in now and now[source] != known)),
        deleted=tuple(sorted(indexed.keys() - now.keys())),
    )


def _readable_hash(source: str, path: Path, root: Path) -> str | None:
    """The hash of a file that a sync would index; None for one that it would skip."""
    data = read_file(source, path, root)
    return None if isinstance(data, SkippedFile) or isinstance(decode(source, data), SkippedFile) else content_hash(data)


def report(snapshot: Snapshot) -> SyncReport:
    """What a snapshot contains, and what was wrong with the files."""
    return SyncReport(
        snapshot_id=snapshot.id,
        documents=snapshot.catalog.document_count,
        chunks=snapshot.catalog.chunk_count,
        indexed=tuple(sorted(snapshot.catalog.file_hashes())),
        skipped=snapshot.catalog.skipped(),
        problems=snapshot.catalog.problems(),
    )


def _writer(home: Path) -> Any:
    home.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home / "lock")
    try:
        return lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout as failure:
        raise IndexLocked(f"another process has been building this index for {_LOCK_SECONDS} seconds; wait for it or stop it") from failure


def _build(kb: Path, home: Path, settings: Settings, embedder: Embedder, progress: Progress) -> None:
    progress("read", 0, 1)
    corpus = read_corpus(kb)
    progress("read", 1, 1)
    chunks = _chunks(corpus, settings, embedder, progress)
    vectors = embedder.embed_documents([chunk.embedded_text for chunk in chunks], progress)
    building = home / "snapshots" / ".building"
    shutil.rmtree(building, ignore_errors=True)  # left by a crash; we hold the lock
    building.mkdir(parents=True)
    progress("write", 0, 1)
    write_catalog(building / CATALOG, corpus, chunks)
    if chunks:
        write_vectors(building / VECTORS, vectors)
    publish(home, building, _manifest(building, corpus, chunks, vectors, settings, embedder), settings.keep_snapshots)
    progress("write", 1, 1)


def _chunks(corpus: Corpus, settings: Settings, embedder: Embedder, progress: Progress) -> list[Chunk]:
    limit = settings.chunk_tokens or embedder.max_tokens
    chunks: list[Chunk] = []
    for done, document in enumerate(corpus.documents):
        progress("chunk", done, len(corpus.documents))
        chunks += chunk_document(document, embedder.tokenizer, limit)
    progress("chunk", len(corpus.documents), len(corpus.documents))
    return chunks


def _manifest(
    building: Path, corpus: Corpus, chunks: Sequence[Chunk], vectors: np.ndarray, settings: Settings, embedder: Embedder
) -> dict[str, Any]:
    """How the build was made; the id covers all that can change an answer, and no clock."""
    content = {
        "format": FORMAT_VERSION,
        "build": settings.build_key,
        "model": embedder.fingerprint,
        "documents": [(d.source, d.title, d.categories, d.keywords, d.aliases, d.fields, d.content_hash) for d in corpus.documents],
        "skipped": [file.model_dump(mode="json") for file in corpus.skipped],
        "chunks": [(c.id, c.breadcrumb, c.start_line, c.end_line, c.carried, c.content, c.tokens, c.readable) for c in chunks],
        "vectors": hashlib.sha256(np.ascontiguousarray(vectors).tobytes()).hexdigest(),
    }
    return {
        "formatVersion": FORMAT_VERSION,
        "snapshotId": digest(content),
        "model": {"name": embedder.name, "fingerprint": embedder.fingerprint, "maxTokens": embedder.max_tokens},
        "settings": settings.build_key,
        "counts": {"documents": len(corpus.documents), "chunks": len(chunks), "skipped": len(corpus.skipped)},
        "versions": {name: version(name) for name in ("duckdb", "usearch", "numpy")},
        "files": {path.name: file_hash(path) for path in sorted(building.iterdir())},
    }
