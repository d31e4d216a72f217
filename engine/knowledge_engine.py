"""The one owner of the resources: model, snapshot and settings; everything else gets them by argument."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from engine.contracts.lookup import LookupResult
from engine.contracts.reports import Case, Freshness, SyncReport
from engine.index.embedding import Embedder, Progress, make_embedder, no_progress
from engine.index.snapshot import Snapshot, index_home
from engine.index.sync import freshness, open_or_build, report, sync
from engine.insight.cases import read_cases
from engine.lookup.pipeline import Sink, look_up
from engine.lookup.scope import ScopeInput, read_scope
from engine.settings import Settings, load_settings
from engine.trace import Recorder


class KnowledgeEngine:
    """A knowledge base opened for lookups; may be shared by threads."""

    def __init__(self, kb: Path, settings: Settings, embedder: Embedder, snapshot: Snapshot, sinks: tuple[Sink, ...] = ()) -> None:
        self.kb = kb
        self.settings = settings
        self._embedder = embedder
        self._snapshot = snapshot
        self._sinks = sinks

    @classmethod
    def open(
        cls, kb: str | Path = "kb", *, settings: Settings | None = None, progress: Progress = no_progress, sinks: tuple[Sink, ...] = ()
    ) -> KnowledgeEngine:
        """Open the newest snapshot of a knowledge base; a missing or damaged one is built first.

        Raises:
            KnowledgeBaseMissing, BadSettings, ModelUnavailable, IndexLocked.
        """
        path = Path(kb)
        chosen = settings if settings is not None else load_settings(path)
        embedder = make_embedder(chosen)
        return cls(path, chosen, embedder, open_or_build(path, chosen, embedder, progress), sinks)

    def lookup_knowledge(self, query: str, *, scope: ScopeInput = None) -> LookupResult:
        """Evidence for a query, or a stated reason for its absence; `scope` as in `["category=runbooks"]` or `{"category": "runbooks"}`.

        Raises:
            BlankQuery, BadInput, UnknownScope, ModelUnavailable.
        """
        snapshot = self._snapshot
        terms = read_scope(scope, snapshot.catalog)
        return look_up(query, terms, self.settings, snapshot, self._embedder, Recorder(), self._sinks)

    def warm_up(self) -> None:
        """Load the model now instead of with the first lookup. Raises ModelUnavailable."""
        self._embedder.embed_query("")

    def with_settings(self, settings: Settings) -> KnowledgeEngine:
        """A cheap view with other settings; another model or chunk size opens its own snapshot."""
        if settings.build_key != self.settings.build_key or index_home(self.kb, settings) != index_home(self.kb, self.settings):
            return KnowledgeEngine.open(self.kb, settings=settings, sinks=self._sinks)
        return KnowledgeEngine(self.kb, settings, self._embedder, self._snapshot, self._sinks)

    def sync(self, progress: Progress = no_progress) -> SyncReport:
        """Build a snapshot of the files as they are now, and answer from it. Raises as `open` does."""
        self._snapshot = sync(self.kb, self.settings, self._embedder, progress)
        return self.report()

    def freshness(self) -> Freshness:
        """Which files changed since the snapshot was built."""
        return freshness(self.kb, self._snapshot)

    def report(self) -> SyncReport:
        """What the open snapshot contains, and what was wrong with the files."""
        return report(self._snapshot)

    def scope_fields(self) -> dict[str, tuple[str, ...]]:
        """The fields that a scope may name, with their values."""
        return self._snapshot.catalog.scope_fields()

    def sections(self) -> frozenset[str]:
        """Every section of the open snapshot that has text, as `path#slug`."""
        return self._snapshot.catalog.sections()

    def cases(self) -> tuple[Case, ...]:
        """The golden questions of the knowledge base."""
        return read_cases(self.kb)

    def examples(self) -> tuple[Case, ...]:
        """The cases that demonstrate one path through the pipeline each, with pinned settings."""
        return tuple(case for case in self.cases() if case.path)

    def close(self) -> None:
        """Release the files of the snapshot."""
        self._snapshot.catalog.close()

    def __enter__(self) -> KnowledgeEngine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
