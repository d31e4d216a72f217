"""A build, opened for reading: immutable, held as long as it is open, and checked against its manifest."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import IndexDamaged, IndexMissing
from engine.index.catalog import CATALOG, Catalog
from engine.index.hold import Hold
from engine.index.home import current_id, snapshot_folder
from engine.index.lengths import Lengths
from engine.index.manifest import Manifest, verified
from engine.index.search_terms import SearchTerms
from engine.index.vectors import VECTORS, UsearchIndex, VectorIndex

_MOST_TRIES = 100  # a writer would have to publish so many snapshots while this one is being opened


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One build, opened for reading."""

    id: str
    folder: Path
    manifest: Manifest
    catalog: Catalog
    terms: SearchTerms
    lengths: Lengths
    vectors: VectorIndex | None  # None where there is no chunk
    hold: Hold = field(repr=False)

    def close(self) -> None:
        """Release catalog and folder; the mapped files go with the last reference to them."""
        try:
            self.catalog.close()
        finally:
            self.hold.release()


def open_snapshot(home: Path, model_fingerprint: str) -> Snapshot:
    """Open the newest snapshot and hold every file against the manifest.

    Raises:
        IndexMissing: nothing has been built yet.
        IndexDamaged: a file is missing, altered, foreign or of another format, or another model made the vectors.
        EnvironmentProblem: this process may not or cannot read it.
    """
    failed = None
    for _ in range(_MOST_TRIES):
        snapshot_id = current_id(home)
        if snapshot_id is None:
            raise IndexMissing("there is no index of this knowledge base yet; run: evidence sync")
        try:
            snapshot = open_folder(snapshot_folder(home, snapshot_id), model_fingerprint)
        except IndexDamaged:
            if snapshot_id == failed:
                raise
            failed = snapshot_id  # once more, since a writer may have put another in its place meanwhile
            continue
        if snapshot.hold.is_in_place:
            return snapshot
        snapshot.close()
    raise IndexDamaged("the index is replaced faster than it can be opened")


def open_folder(folder: Path, model_fingerprint: str) -> Snapshot:
    """Open one snapshot, whatever CURRENT says. Raises IndexDamaged, EnvironmentProblem."""
    with ExitStack() as on_failure:
        hold = Hold(folder)
        on_failure.callback(hold.release)
        manifest = verified(folder)
        made_by = manifest["model"]["fingerprint"]
        if made_by != model_fingerprint:
            raise IndexDamaged(f"snapshot {folder.name} was made by another model ({made_by}, now {model_fingerprint})")
        catalog = Catalog(folder / CATALOG)
        on_failure.callback(catalog.close)
        vectors = UsearchIndex(folder / VECTORS) if manifest["counts"]["chunks"] else None
        snapshot = Snapshot(folder.name, folder, manifest, catalog, SearchTerms(folder), catalog.lengths(), vectors, hold)
        on_failure.pop_all()
        return snapshot
