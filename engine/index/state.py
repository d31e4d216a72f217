"""What a snapshot contains, what was wrong with the files, and what changed on disk since."""

from __future__ import annotations

from pathlib import Path

from engine.contracts.reports import Freshness, SyncReport
from engine.index.embedder_problems import unreadable_problem
from engine.index.snapshot import Snapshot
from engine.knowledge.seen_files import SeenFiles
from engine.settings import Settings


def freshness(kb: Path, snapshot: Snapshot, seen: SeenFiles | None = None) -> Freshness:
    """Which Markdown files differ from what the snapshot was built of; reads only what `seen` does not know. Raises KnowledgeBaseMissing."""
    indexed = snapshot.catalog.file_hashes()
    now = (seen or SeenFiles()).hashes(kb, indexed)
    return Freshness(
        snapshot_id=snapshot.id,
        added=tuple(sorted(source for source, found in now.items() if found and source not in indexed)),
        changed=tuple(sorted(source for source, known in indexed.items() if source in now and now[source] != known)),
        deleted=tuple(sorted(indexed.keys() - now.keys())),
    )


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
