"""What a snapshot contains, what was wrong with the files, and what changed on disk since."""

from __future__ import annotations

from pathlib import Path

from engine.contracts.reports import Freshness, SkippedFile, SyncReport
from engine.digest import bytes_hash
from engine.index.embedder_problems import unreadable_problem
from engine.index.snapshot import Snapshot
from engine.knowledge.files import decode, list_files, read_file
from engine.settings import Settings


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
    return None if isinstance(data, SkippedFile) or isinstance(decode(source, data), SkippedFile) else bytes_hash(data)


def report(snapshot: Snapshot, settings: Settings) -> SyncReport:
    """What a snapshot contains, and what was wrong with the files."""
    unreadable = [unreadable_problem(*row) for row in snapshot.catalog.unreadable(settings.minimum_readable)]
    problems = (*snapshot.catalog.problems(), *unreadable)
    return SyncReport(
        snapshot_id=snapshot.id,
        documents=snapshot.catalog.document_count,
        chunks=snapshot.catalog.chunk_count,
        categories=snapshot.catalog.category_sizes(),
        indexed=tuple(sorted(snapshot.catalog.file_hashes())),
        skipped=snapshot.catalog.skipped(),
        problems=tuple(sorted(problems, key=lambda one: (one.source, one.line, one.code))),
    )
