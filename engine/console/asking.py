"""Golden questions on the command line: an engine to ask, the questions, and what is said where it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast, get_args

from engine.errors import BadInput, Stopped

if TYPE_CHECKING:
    from engine.contracts.evaluation import Split
    from engine.contracts.reports import Case
    from engine.knowledge_engine import KnowledgeEngine
    from engine.progress import Progress
    from engine.settings import Settings

Answer = TypeVar("Answer")


def split_of(written: str | None) -> Split | None:
    """The part of the questions that `--split` names; None for all of them. Raises BadInput."""
    from engine.contracts.evaluation import Split

    if written in (None, "all"):
        return None
    if written not in get_args(Split):
        raise BadInput(f"there is no split {written}; write dev, test or all")
    return cast("Split", written)


def questions_of(kb: Path, file: Path | None, split: Split | None) -> list[Case]:
    """The golden questions of a split, before an index is opened or built. Raises BadInput."""
    from engine.insight.cases import cases_of, read_cases

    return cases_of(read_cases(kb, file), split, file)


def ask(
    kb: Path,
    settings: Settings,
    sync_first: bool,
    what: Literal["an evaluation", "a calibration"],
    work: Callable[[KnowledgeEngine, Progress], Answer],
) -> Answer:
    """Open the knowledge base, which builds a missing index, and do what the questions are for; an old index is told on stderr."""
    from engine.console.progress_display import progress_display
    from engine.console.reports_text import freshness_text
    from engine.knowledge_engine import KnowledgeEngine

    with progress_display() as progress:
        engine = KnowledgeEngine.open(kb, settings=settings, progress=progress, sync_first=sync_first)
    with engine:
        with progress_display(lambda _: Stopped(f"stopped; {what} that is not done leaves nothing, run it again")) as progress:
            answer = work(engine, progress)
        stale = freshness_text(engine.freshness())
    if stale:
        print(stale, file=sys.stderr)
    return answer
