"""Golden questions on the command line: an engine to ask, the questions, and what is said where it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from engine.errors import BadInput, Stopped

if TYPE_CHECKING:
    from engine.contracts.evaluation import Split
    from engine.contracts.reports import Case
    from engine.knowledge_engine import KnowledgeEngine
    from engine.progress import Progress
    from engine.settings import Settings

Answer = TypeVar("Answer")


def split_of(written: str | None) -> Split | None:
    """The part of the questions that `--split` names. Raises BadInput."""
    if written not in (None, "dev", "test"):
        raise BadInput(f"there is no split {written}; write dev or test, or leave --split out to ask all")
    return cast("Split | None", written)


def ask(
    kb: Path,
    settings: Settings,
    file: Path | None,
    sync_first: bool,
    what: Literal["an evaluation", "a calibration"],
    work: Callable[[KnowledgeEngine, tuple[Case, ...], Progress], Answer],
) -> Answer:
    """Open the knowledge base, which builds a missing index, and do what the questions are for; an old index is told on stderr."""
    from engine.console.progress_display import progress_display
    from engine.console.reports_text import freshness_text
    from engine.insight.cases import read_cases
    from engine.knowledge_engine import KnowledgeEngine

    cases = read_cases(kb, file)  # a file that cannot be read builds no index
    with progress_display() as progress:
        engine = KnowledgeEngine.open(kb, settings=settings, progress=progress, sync_first=sync_first)
    with engine:
        with progress_display(lambda _: Stopped(f"stopped; {what} that is not done leaves nothing, run it again")) as progress:
            answer = work(engine, cases, progress)
        stale = freshness_text(engine.freshness())
    if stale:
        print(stale, file=sys.stderr)
    return answer
