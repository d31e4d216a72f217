"""What the command line prints for people; the same objects as everywhere, as text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pydantic.fields import FieldInfo
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.contracts.lookup import LookupResult
from engine.contracts.reports import SYNC_STAGES, Freshness, SyncReport
from engine.settings import Settings, unit_and_range

_MOST_LISTED = 20


@contextmanager
def progress_display() -> Iterator[ProgressCallback]:
    """A progress callback that draws one bar a stage on stderr; nothing is drawn before the first call."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=Console(file=sys.stderr))
    tasks = {}

    def show(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            bars.start()
            tasks[stage] = bars.add_task(SYNC_STAGES.get(stage, stage), total=total)
        bars.update(tasks[stage], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            bars.stop()


def lookup_text(result: LookupResult) -> str:
    """A result for reading: verdict, evidence, attempts, pack."""
    trace, pack, hint = result.retrieval_trace, result.context_pack, result.completeness_hint
    missing = f" Missing: {', '.join(hint.missing_terms)}." if hint.missing_terms else ""
    lines = [result.message, f"Completeness: {hint.level.value}. {hint.note}{missing}"]
    for i, block in enumerate(result.evidence_blocks, start=1):
        lines += ["", f"{i}. {block.source}:{block.lines.start}-{block.lines.end}  {block.breadcrumb or ''}"]
        reasons = "; ".join(reason.text for reason in block.hit_reasons[1:])
        lines += [f"   similarity {block.similarity:.3f}, score {block.score:.3f}" + (f": {reasons}" if reasons else "")]
        lines += [f"   | {line}" for line in block.content.split("\n")]
    if not result.found and trace.attempts:
        lines += ["", "The closest candidates, which are not evidence:"]
        lines += [f"   {one.similarity:.3f}  {one.chunk_id}" for one in trace.attempts[-1].candidates[:5]]
    lines += ["", f"L0 filter: {trace.filter_decision.code.value}. {trace.filter_decision.note}"]
    for attempt in trace.attempts:
        top = "none" if attempt.top_similarity is None else f"{attempt.top_similarity:.3f}"
        within = f" in {attempt.filter}" if attempt.filter else ""
        lines += [
            f"Attempt {attempt.name.value}{within}: {attempt.candidate_count} candidates, top similarity {top} "
            f"(reference {attempt.reference_threshold}): {attempt.verdict.value}"
        ]
    lines += [trace.selection_reason]
    cut = sum(item.truncated for item in pack.included)
    lines += [f"Pack: {pack.used_tokens} of {pack.budget_tokens} tokens; {len(pack.included)} blocks in it, {cut} cut, {len(pack.omitted)} left out."]
    return _printable(lines)


def sync_text(report: SyncReport) -> str:
    """A sync report for reading."""
    lines = [f"{report.documents} documents, {report.chunks} chunks, snapshot {report.snapshot_id}."]
    for title, entries in (
        ("Skipped", [f"{file.source}: {file.reason}" for file in report.skipped]),
        ("Problems", [f"{problem.source}:{problem.line}: {problem.message}" for problem in report.problems]),
    ):
        if entries:
            more = [f"  and {len(entries) - _MOST_LISTED} more (see --json)"] if len(entries) > _MOST_LISTED else []
            lines += [f"{title}: {len(entries)}", *(f"  {entry}" for entry in entries[:_MOST_LISTED]), *more]
    return _printable(lines)


def freshness_text(freshness: Freshness) -> str:
    """What changed since the snapshot; empty when nothing did."""
    if freshness.fresh:
        return ""
    counts = f"{len(freshness.added)} added, {len(freshness.changed)} changed, {len(freshness.deleted)} deleted"
    return f"The answer is from an older index ({counts} since); run: evidence sync, or add --sync"


def settings_text(settings: Settings) -> str:
    """Every setting with value, unit, range and sentence."""
    lines = []
    for prefix, owner in (("", settings), ("rule_weights.", settings.rule_weights)):
        for name, field in type(owner).model_fields.items():
            if name != "rule_weights":
                lines += [f"{prefix}{name} = {getattr(owner, name)!r}{_unit(field)}", f"    {field.description}"]
    return _printable(lines)


def _printable(lines: Iterable[str]) -> str:
    """Lines for a terminal; whatever would steer it is written as an escape."""
    return "\n".join("".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in line) for line in lines)


def _unit(field: FieldInfo) -> str:
    """Unit and range of a number; nothing for other settings."""
    known = unit_and_range(field)
    return f" {known[0]} ({known[1]} to {known[2]})" if known else ""
