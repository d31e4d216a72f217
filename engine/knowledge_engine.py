"""The one owner of the resources: model, snapshot and settings; everything else gets them by argument."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType

from engine.contracts.evaluation import Calibration, EvaluationRun, SavedRun, Split
from engine.contracts.lint import LintReport
from engine.contracts.lookup import LookupResult
from engine.contracts.reports import Case, Freshness, SyncReport
from engine.contracts.tokens import TokenReport
from engine.errors import BadSettings, EnvironmentProblem
from engine.index.embedders import make_embedder
from engine.index.embedding import Embedder
from engine.index.home import current_id, index_home, runs_home
from engine.index.snapshot import Snapshot, open_snapshot
from engine.index.state import freshness, report
from engine.index.sync import open_or_build, sync
from engine.insight.calibration.calibrate import calibrate
from engine.insight.cases import read_cases
from engine.insight.evaluation.evaluate import evaluate
from engine.insight.evaluation.runs import save_run, saved_runs
from engine.insight.lint.rules import lint
from engine.insight.tokens import token_report
from engine.knowledge.seen_files import SeenFiles
from engine.lookup.pipeline import Sink, look_up
from engine.lookup.scope import ScopeInput
from engine.progress import Progress, no_progress
from engine.settings import BUILD_SETTINGS, Settings
from engine.settings_sources import load_settings
from engine.trace import Recorder


class KnowledgeEngine:
    """A knowledge base opened for lookups; may be shared by threads."""

    def __init__(
        self, kb: Path, settings: Settings, embedder: Embedder, snapshot: Snapshot, sinks: tuple[Sink, ...] = (), *, is_view: bool = False
    ) -> None:
        self.kb = kb
        self.settings = settings
        self._embedder = embedder
        self._snapshot = snapshot
        self._sinks = sinks
        self._owns_snapshot = not is_view
        self._is_closed = False
        self._moving = Lock()  # held while another snapshot takes the place of this one, and while the engine is closed
        self._seen = SeenFiles()

    @classmethod
    def open(
        cls,
        kb: str | Path = "kb",
        *,
        settings: Settings | None = None,
        progress: Progress = no_progress,
        sinks: tuple[Sink, ...] = (),
        sync_first: bool = False,
    ) -> KnowledgeEngine:
        """Open the newest snapshot of a knowledge base; a missing or damaged one, or any with `sync_first`, is built first.

        Raises:
            KnowledgeBaseMissing, BadSettings, ModelUnavailable, IndexLocked, IndexDamaged, EnvironmentProblem.
        """
        path = Path(kb)
        chosen = settings if settings is not None else load_settings(path)
        embedder = make_embedder(chosen)
        build = sync if sync_first else open_or_build
        return cls(path, chosen, embedder, build(path, chosen, embedder, progress), sinks)

    def lookup_knowledge(self, query: str, *, scope: ScopeInput = None) -> LookupResult:
        """Evidence for a query, or a stated reason for its absence; `scope` as in `["category=runbooks"]` or `{"category": "runbooks"}`.

        Raises:
            BlankQuery, BadInput, UnknownScope, ModelUnavailable, IndexDamaged, EnvironmentProblem.
        """
        return look_up(query, scope, self.settings, self._snapshot, self._embedder, Recorder(), self._sinks)

    def tokens(self, text: str) -> TokenReport:
        """How a text is cut, as part of a document or as a question. Raises BlankQuery."""
        return token_report(text, self._embedder, self.settings)

    def warm_up(self) -> None:
        """Load the model now instead of with the first lookup. Raises ModelUnavailable."""
        self._embedder.embed_query("")

    def with_settings(self, settings: Settings) -> KnowledgeEngine:
        """A view on the same model and snapshot with other settings; it stays with this snapshot when the engine moves on.

        Raises:
            BadSettings: a setting differs that decides what is in the index.
        """
        changed = [name for name in (*sorted(BUILD_SETTINGS), "index_dir") if getattr(settings, name) != getattr(self.settings, name)]
        if changed:
            raise BadSettings(f"{', '.join(changed)} decides what is in the index, so a view cannot change it; open an engine with these settings")
        self._require_open()
        view = KnowledgeEngine(self.kb, settings, self._embedder, self._snapshot, self._sinks, is_view=True)
        view._seen = self._seen
        return view

    def refresh(self) -> bool:
        """Move to the newest snapshot, if this is not it any more; whether it did. Raises IndexDamaged, EnvironmentProblem."""
        home = index_home(self.kb, self.settings)
        with self._moving:
            self._require_open()
            newest = current_id(home)
            if newest is None or (newest == self._snapshot.id and self._snapshot.hold.is_in_place):
                return False
            self._take(open_snapshot(home, self._embedder.fingerprint))
            return True

    def sync(self, progress: Progress = no_progress) -> SyncReport:
        """Build a snapshot of the files as they are now, and answer from it. Raises as `open` does."""
        self._require_open()
        snapshot = sync(self.kb, self.settings, self._embedder, progress)
        with self._moving:
            home = index_home(self.kb, self.settings)
            if self._is_closed:
                snapshot.close()
            elif current_id(home) == snapshot.id:
                self._take(snapshot)
            else:  # another writer has gone on meanwhile
                snapshot.close()
                self._take(open_snapshot(home, self._embedder.fingerprint))
        return self.report()

    def freshness(self) -> Freshness:
        """Which files changed since the snapshot was built; a file that was read before and is untouched since is not read again.

        Raises:
            KnowledgeBaseMissing.
        """
        return freshness(self.kb, self._snapshot, self._seen)

    def report(self) -> SyncReport:
        """What the open snapshot contains, and what was wrong with the files."""
        return report(self._snapshot, self.settings)

    def lint(self, progress: Progress = no_progress) -> LintReport:
        """What is wrong with the files as they are now, whatever the snapshot holds."""
        return lint(self.kb, self.settings, self._embedder, progress)

    def evaluate(
        self, split: Split | None = None, cases: Sequence[Case] | None = None, progress: Progress = no_progress
    ) -> EvaluationRun:
        """Ask the golden questions, or other cases, and measure what comes. Raises BadInput."""
        return evaluate(self.cases() if cases is None else cases, self.settings, self._snapshot, self._embedder, split, progress)

    def calibrate(self, cases: Sequence[Case] | None = None, progress: Progress = no_progress, *, split: Split | None = None) -> Calibration:
        """Find thresholds with the golden questions, or other cases. Raises BadInput."""
        return calibrate(self.cases() if cases is None else cases, self.settings, self._snapshot, self._embedder, progress, split=split)

    def save_run(self, run: EvaluationRun) -> SavedRun:
        """Put an evaluation at the front of the history. Raises EnvironmentProblem."""
        return save_run(runs_home(self.kb, self.settings), run)

    def runs(self) -> tuple[SavedRun, ...]:
        """The saved evaluations of the knowledge base, newest first. Raises EnvironmentProblem."""
        return saved_runs(runs_home(self.kb, self.settings))

    def scope_fields(self) -> dict[str, tuple[str, ...]]:
        """The fields that a scope may name, with their values."""
        return self._snapshot.catalog.scope_fields()

    def sections(self) -> frozenset[str]:
        """Every section of the open snapshot that has text, as `path#slug`."""
        return self._snapshot.catalog.sections()

    def cases(self, file: str | Path | None = None) -> tuple[Case, ...]:
        """The golden questions of the knowledge base, or of another file. Raises BadInput."""
        return read_cases(self.kb, file)

    def examples(self) -> tuple[Case, ...]:
        """The cases that demonstrate one path through the pipeline each, with pinned settings."""
        return tuple(case for case in self.cases() if case.path)

    def close(self) -> None:
        """Release the catalog and the hold on the snapshot; the mapped files go with the last reference to them."""
        with self._moving:
            self._is_closed = True
            if self._owns_snapshot:
                self._snapshot.close()

    def _take(self, snapshot: Snapshot) -> None:
        """Answer from another snapshot; the former one goes with its last user."""
        self._snapshot, self._owns_snapshot = snapshot, True

    def _require_open(self) -> None:
        if self._is_closed:
            raise EnvironmentProblem("the engine is closed; open it again")

    def __enter__(self) -> KnowledgeEngine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
