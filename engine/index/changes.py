"""The files of a knowledge base held against the former snapshot: what a build has to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.index.catalog import DocumentRecord
from engine.index.embedding import Embedder
from engine.index.recipe import reading_recipe
from engine.index.snapshot import Snapshot
from engine.knowledge.reading import Files, read_files
from engine.progress import Progress


@dataclass(frozen=True, slots=True)
class Changes:
    """The files as they are now, beside what stands in the former snapshot."""

    files: Files
    former: Snapshot | None  # None: everything is new
    records: Sequence[DocumentRecord]  # of the former snapshot, in order of source

    @property
    def unchanged(self) -> Snapshot | None:
        """The former snapshot, where a build would give it again."""
        files, former = self.files, self.former
        if former is None or files.new or len(files.kept) < len(self.records) or files.skipped != former.catalog.skipped():
            return None
        return former


def find_changes(kb: Path, former: Snapshot | None, embedder: Embedder, progress: Progress) -> Changes:
    """Hold the files against a former snapshot, unless an unchanged file would become something else by now. Raises KnowledgeBaseMissing."""
    usable = former if former is not None and _is_usable(former, embedder) else None
    records = usable.catalog.documents() if usable is not None else []
    return Changes(read_files(kb, {record.source: record.content_hash for record in records}, progress), usable, records)


def _is_usable(former: Snapshot, embedder: Embedder) -> bool:
    return bool(former.manifest["recipe"] == reading_recipe() and former.manifest["model"]["documentDtype"] == embedder.document_dtype)
