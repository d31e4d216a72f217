"""`evidence sync --watch`: an index that follows its folder, until somebody ends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from engine.console.progress_display import calm_display, progress_display
from engine.console.reports_text import change_text, sync_text
from engine.console.terminal import complain
from engine.contracts.reports import Freshness, SyncReport
from engine.errors import EvidenceError, IndexDamaged, Stopped
from engine.interrupts import stoppable
from engine.knowledge_engine import KnowledgeEngine
from engine.observers import POLL_SECONDS
from engine.settings import Settings
from engine.watch import ANYWAY_SECONDS, FolderWatch

RETRY_SECONDS = 10.0  # after an error, which may pass without another change of the files
Say = Callable[[SyncReport, str], None]


def sync_and_follow(kb: Path, settings: Settings, say: Say) -> NoReturn:
    """Sync, and again after each change of the documents; every sync that made a difference is said.

    Raises Stopped in the end, or what a sync raises that cannot begin.
    """
    with stoppable(lambda: Stopped(f"stopped; {kb} is not followed any more, its index stays as it is")), FolderWatch(kb) as watch:
        with progress_display() as progress:
            engine = KnowledgeEngine.open(kb, settings=settings, progress=progress, sync_first=True)
        with engine:
            report = engine.report()
            say(report, sync_text(report, kb))
            if watch.polls:
                complain(f"evidence: the system has no room to follow {kb}; its files are looked through every {POLL_SECONDS} seconds instead")
            _follow(engine, report, watch, say)


def _follow(engine: KnowledgeEngine, former: SyncReport, watch: FolderWatch, say: Say) -> NoReturn:
    """Sync after each change; an error is said once, and the next attempt waits for another change or for RETRY_SECONDS."""
    touched, trouble = frozenset[str](), ""
    while True:
        touched |= watch.wait(RETRY_SECONDS if trouble else ANYWAY_SECONDS)
        try:
            change = _change(engine)
            if change and change.fresh and touched <= set(former.indexed):  # saved as it was
                report = former  # of a file that is not indexed the reason may be another one now
            else:
                with calm_display() as progress:
                    report = engine.sync(progress)
        except Stopped:
            raise
        except EvidenceError as failure:
            if str(failure) != trouble:
                complain(f"evidence: {failure}")
            trouble = str(failure)
            continue
        if report.snapshot_id != former.snapshot_id:
            say(report, change_text(change, former, report) if change else sync_text(report, engine.kb))
        former, touched, trouble = report, frozenset(), ""


def _change(engine: KnowledgeEngine) -> Freshness | None:
    """What has changed; None where the index is damaged, which a sync heals."""
    try:
        return engine.freshness()
    except IndexDamaged:
        return None
