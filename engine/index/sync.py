"""From the files of a knowledge base to its newest snapshot; one writer at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from filelock import FileLock, Timeout

from engine.contracts.reports import Problem
from engine.digest import bytes_hash, digest, file_hash
from engine.errors import EnvironmentProblem, IndexDamaged, IndexLocked, IndexMissing
from engine.index.catalog import write_catalog
from engine.index.embed import embed_texts
from engine.index.embedder_problems import beyond_limit_problems
from engine.index.embedding import Embedder
from engine.index.embedding_cache import EmbeddingCache
from engine.index.snapshot import CATALOG, FORMAT_VERSION, VECTORS, Snapshot, flush, index_home, index_root, open_snapshot, publish
from engine.index.vectors import write_vectors
from engine.knowledge.chunking import Chunk, chunk_corpus
from engine.knowledge.corpus import Corpus, read_corpus
from engine.paths import require_knowledge_base
from engine.progress import Progress, no_progress
from engine.settings import Settings

_LOCK_SECONDS = 600  # how long to wait for another writer before saying so


def sync(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """Build a snapshot of the files as they are now, and open it.

    Raises:
        KnowledgeBaseMissing, IndexLocked, ModelUnavailable, EnvironmentProblem.
    """
    require_knowledge_base(kb)
    home = index_home(kb, settings)
    with _writer(home, progress):
        _build(kb, home, settings, embedder, progress)
        return open_snapshot(home, embedder.fingerprint)


def open_or_build(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> Snapshot:
    """The newest snapshot; built first where it is missing or damaged. Raises as `sync` does."""
    require_knowledge_base(kb)
    home = index_home(kb, settings)
    try:
        return open_snapshot(home, embedder.fingerprint)
    except (IndexMissing, IndexDamaged):
        with _writer(home, progress):
            try:
                return open_snapshot(home, embedder.fingerprint)  # another process built it while we waited
            except (IndexMissing, IndexDamaged):
                _build(kb, home, settings, embedder, progress)
                return open_snapshot(home, embedder.fingerprint)


@contextmanager
def _writer(home: Path, progress: Progress) -> Iterator[None]:
    """The right to build, held by one process at a time; whoever waits for it can be stopped."""
    with _explained(home):
        home.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home / "lock")
    for waited in range(_LOCK_SECONDS):
        with _explained(home), suppress(Timeout):
            lock.acquire(timeout=1)
            break
        progress("wait", waited + 1, _LOCK_SECONDS)
    else:
        raise IndexLocked(f"another process has been building this index for {_LOCK_SECONDS} seconds; wait for it or stop it")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _explained(home: Path) -> Iterator[None]:
    """Around writing to the index, and around nothing else: an OSError of a progress callback is not the index's."""
    try:
        yield
    except duckdb.Error as failure:
        raise EnvironmentProblem(f"the index cannot be written to {home}: {failure}; give another folder (index_dir)") from failure
    except OSError as failure:
        what = failure.strerror or str(failure)
        raise EnvironmentProblem(f"the index cannot be written to {home}: {what}; make room or give another folder (index_dir)") from failure


def _build(kb: Path, home: Path, settings: Settings, embedder: Embedder, progress: Progress) -> None:
    """Build and publish a snapshot; whatever `progress` raises ends it with the former one in place."""
    corpus = read_corpus(kb, settings, progress)
    chunks = chunk_corpus(corpus, embedder.tokenizer, settings.chunk_tokens or embedder.max_tokens, progress)
    with EmbeddingCache(index_root(settings), embedder.fingerprint) as cache:
        vectors = embed_texts([chunk.embedded_text for chunk in chunks], embedder, cache, progress)
    problems = (*corpus.problems, *beyond_limit_problems(chunks, embedder, settings))
    progress("write", 0, 2)
    building = home / "snapshots" / ".building"
    try:
        with _explained(home):
            shutil.rmtree(building, ignore_errors=True)  # left by a crash; we hold the lock
            building.mkdir(parents=True)
            _write_files(building, corpus, chunks, problems, vectors)
            manifest = _manifest(building, corpus, chunks, vectors, settings, embedder)
        progress("write", 1, 2)  # the last moment to stop: what follows is the switch
        with _explained(home):
            publish(home, building, manifest, settings.keep_snapshots)
        progress("write", 2, 2)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _write_files(building: Path, corpus: Corpus, chunks: Sequence[Chunk], problems: Sequence[Problem], vectors: np.ndarray) -> None:
    write_catalog(building / CATALOG, corpus, chunks, problems)
    if chunks:
        write_vectors(building / VECTORS, vectors)
    for path in building.iterdir():
        flush(path)


def _manifest(building: Path, corpus: Corpus, chunks: Sequence[Chunk], vectors: np.ndarray, settings: Settings, embedder: Embedder) -> dict[str, Any]:
    """How the build was made; the id covers all that can change an answer, and no clock."""
    content = {
        "format": FORMAT_VERSION,
        "build": settings.build_key,
        "model": embedder.fingerprint,
        "documents": [(d.source, d.title, d.categories, d.keywords, d.aliases, d.fields, d.content_hash) for d in corpus.documents],
        "skipped": [file.model_dump(mode="json") for file in corpus.skipped],
        "chunks": [(c.id, c.breadcrumb, c.start_line, c.end_line, c.carried, c.content, c.tokens, c.readable) for c in chunks],
        "vectors": bytes_hash(np.ascontiguousarray(vectors).tobytes()),
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
