"""What the command line prints for people; the same objects as everywhere, as text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pydantic.fields import FieldInfo
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from engine.contracts.lint import Finding, LintReport, Severity
from engine.contracts.lookup import LookupResult
from engine.contracts.reports import Freshness, SyncReport
from engine.contracts.tokens import EmbedderTokens, TextToken, TokenReport
from engine.insight.lint_codes import meaning
from engine.progress import Meter, Progress
from engine.settings import Settings, unit_and_range
from engine.signals import stoppable

LINE_SECONDS = 10  # between two lines of a log
_MOST_LISTED = 20


@contextmanager
def progress_display() -> Iterator[Progress]:
    """A progress callback that writes to stderr: a bar for each stage, or plain lines where that is no terminal; nothing before the first call.

    Ctrl-C and SIGTERM end the block with Stopped, which says what is kept.
    """
    meter = Meter()
    with stoppable(lambda: meter.stopped("the same command goes on from there")):
        if sys.stderr.isatty():
            with _bars(meter) as show:
                yield show
        else:
            yield lines_display(meter, lambda line: print(line, file=sys.stderr, flush=True))


@contextmanager
def _bars(meter: Meter) -> Iterator[Progress]:
    bars = Bars(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counts]}"), console=Console(file=sys.stderr))
    tasks: dict[str, TaskID] = {}

    def show(stage: str, done: int, total: int) -> None:
        step = meter.note(stage, done, total)
        if stage not in tasks:
            bars.start()
            if stage == "embed":
                bars.console.print(meter.found)
            tasks[stage] = bars.add_task(step.title, total=total, counts="")
        bars.update(tasks[stage], completed=done, total=total, counts=step.counts)

    try:
        yield show
    finally:
        bars.stop()


def lines_display(meter: Meter, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> Progress:
    """A progress callback for logs: a line at the begin of a stage, the first estimate of a long one, and a line every LINE_SECONDS."""
    due: dict[str, float] = {}
    estimated = set()

    def show(stage: str, done: int, total: int) -> None:
        step = meter.note(stage, done, total)
        long = stage not in estimated and (step.seconds_left or 0) >= LINE_SECONDS
        if stage not in due:
            write(f"{step.title}: {meter.found}" if stage == "embed" else step.title)
        elif step.counts and done < total and (long or clock() >= due[stage]):
            write(f"{step.title}: {step.share:.0%}, {step.counts}")
            estimated.add(stage)
        else:
            return
        due[stage] = clock() + LINE_SECONDS

    return show


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


def lint_text(report: LintReport) -> str:
    """The findings for reading, by severity and code; the meaning of a code is said once."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for one in report.findings:
        groups.setdefault((one.severity, one.code), []).append(one)
    lines = []
    for (severity, code), found in groups.items():
        known = meaning(code)
        more = [f"  and {len(found) - _MOST_LISTED} more (see --json)"] if len(found) > _MOST_LISTED else []
        lines += [f"{severity.value} {code}: {len(found)}. {known.sentence} {known.next_step}"]
        lines += [*(f"  {one.source}:{one.line}  {one.message}" for one in found[:_MOST_LISTED]), *more, ""]
    counts = ", ".join(f"{count} {severity.value}{'' if count == 1 else 's'}" for severity, count in report.counts.items())
    return _printable([*lines, f"{report.documents} documents, {report.chunks} chunks: {counts}."])


def freshness_text(freshness: Freshness) -> str:
    """What changed since the snapshot; empty when nothing did."""
    if freshness.fresh:
        return ""
    counts = f"{len(freshness.added)} added, {len(freshness.changed)} changed, {len(freshness.deleted)} deleted"
    return f"The answer is from an older index ({counts} since); run: evidence sync, or add --sync"


def tokens_text(report: TokenReport) -> str:
    """How a text is cut, for reading."""
    rows = [("  " * (token.kind == "part") + token.written, token.kind, *_term_and_note(token)) for token in report.tokens]
    names = [(name.text, name.kind.replace("_", " "), "in a question only where a document has it" * name.only_if_known) for name in report.names]
    lines = ["The same function cuts documents and questions.", ""]
    lines += _aligned([("written", "cut as", "search term", ""), *rows]) if rows else ["There is no word in it."]
    count = str(len(report.terms)) if report.terms else "none; a question of this alone is not searched for in texts"
    lines += ["", f"Search terms: {count}", f"L0 compares: {report.phrase or 'nothing'}"]
    lines += ["Names: none recognised"] if not names else ["Names:", *(f"  {line}" for line in _aligned(names))]
    return _printable([*lines, "", *_embedder_lines(report.embedder)])


def _term_and_note(token: TextToken) -> tuple[str, str]:
    if token.stop_lists:
        return "-", f"stop word ({', '.join(token.stop_lists)})"
    return token.term, f"stem of {token.folded}" if token.stemmed else ""


def _embedder_lines(counted: EmbedderTokens) -> list[str]:
    room = "" if counted.fits else "; the rest is not read"
    unreadable = counted.readable < counted.minimum_readable
    too_little = f", less than the least share of {counted.minimum_readable:.0%}, so it is no evidence" if unreadable else ""
    tokens = f"{counted.tokens} tokens and {counted.reserved} special ones of at most {counted.limit}{room}"
    return [
        f"Embedding model: tokenizer {counted.tokenizer}, {tokens}",
        f"  it reads {counted.readable:.0%}{too_little}",
        f"  unknown to it: {'  '.join(counted.unknown) or 'nothing'}",
        f"  its tokens: {' | '.join(counted.pieces) or 'none'}",
    ]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width on a terminal, where a Chinese character takes two places."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


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
