"""Reports about files, index and settings for reading."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic.fields import FieldInfo

from engine.console.terminal import listed, printable
from engine.contracts.lint import Finding, LintReport, Severity
from engine.contracts.reports import Freshness, SyncReport
from engine.insight.lint.codes import meaning
from engine.settings import Settings, unit_and_range

_NO_DOCUMENTS = "There is no .md, .markdown or .mdx file in this folder; give the folder that has them."
_MOST_CATEGORIES = 12
_MOST_NAMED = 3  # files in a sentence


def sync_text(report: SyncReport, kb: Path) -> str:
    """What a sync found, and what to do next."""
    lines = [f"{report.documents} documents, {report.chunks} passages, snapshot {report.snapshot_id}.", _categories(report)]
    lines += _by_code("Skipped", ((file.code, file.source, file.reason) for file in report.skipped))
    lines += _by_code("Problems", ((one.code, f"{one.source}:{one.line}", one.message) for one in report.problems))
    folder = shlex.quote(str(kb))
    if not report.documents:
        return printable([*lines, _NO_DOCUMENTS])
    lines += [f"Ask it: evidence lookup QUESTION --kb {folder}"]
    return printable([*lines, *([f"What to do about these: evidence lint {folder}"] if report.problems or report.skipped else [])])


def _categories(report: SyncReport) -> str:
    """The categories with their documents, the largest first."""
    named = [f"{name} {count}" for name, count in report.categories.items()]
    more = f" and {len(named) - _MOST_CATEGORIES} more" if len(named) > _MOST_CATEGORIES else ""
    return f"Categories: {', '.join(named[:_MOST_CATEGORIES]) or 'none'}{more}."


def _by_code(title: str, entries: Iterable[tuple[str, str, str]]) -> list[str]:
    """Rows under their code; what all rows of a code say alike is said once."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for code, place, said in entries:
        groups.setdefault(code, []).append((place, said))
    lines = []
    for code, found in sorted(groups.items()):
        alike = {said for _, said in found}
        common = f": {alike.pop()}" if len(found) > 1 and len(alike) == 1 else ""
        lines += [f"{title}, {code}: {len(found)}{common}", *listed(found)]
    return lines


def lint_text(report: LintReport) -> str:
    """The findings by severity and code; the meaning of a code is said once."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for one in report.findings:
        groups.setdefault((one.severity, one.code), []).append(one)
    lines = []
    for (severity, code), found in groups.items():
        known = meaning(code)
        lines += [f"{severity.value} {code}: {len(found)}. {known.sentence} {known.next_step}"]
        lines += [*listed([(f"{one.source}:{one.line}", one.message) for one in found]), ""]
    counts = ", ".join(f"{count} {severity.value}{'' if count == 1 else 's'}" for severity, count in report.counts.items())
    lines += [] if report.documents else [_NO_DOCUMENTS]
    return printable([*lines, f"{report.documents} documents, {report.chunks} passages: {counts}."])


def freshness_text(freshness: Freshness) -> str:
    """What changed since the snapshot; empty when nothing did."""
    if freshness.fresh:
        return ""
    return f"The answer is from an older index ({freshness.counted} since); run: evidence sync, or add --sync"


def change_text(change: Freshness, former: SyncReport, report: SyncReport) -> str:
    """One line on a sync: which files, what the index holds now, and what is newly wrong with which file."""
    named = [f"{len(files)} {word} ({_few(files)})" for word, files in change.by_kind.items()]
    counts = f"{report.documents} documents, {report.chunks} passages, snapshot {report.snapshot_id}"
    wrong = [f"{file.source}: {file.reason}" for file in report.skipped if file not in former.skipped]
    wrong += [f"{one.source}:{one.line}: {one.message}" for one in report.problems if one not in former.problems]
    return printable([f"{', '.join(named) or 'no document changed'}: {counts}" + (f". Look at {_few(wrong, '; ')}" if wrong else "")])


def _few(names: Sequence[str], separator: str = ", ") -> str:
    """The first of some names, and how many others there are."""
    more = len(names) - _MOST_NAMED
    return separator.join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def settings_text(settings: Settings) -> str:
    """Every setting with value, as `evidence.toml` takes it, unit, range and sentence."""
    lines = []
    for prefix, owner in (("", settings), ("rule_weights.", settings.rule_weights)):
        for name, field in type(owner).model_fields.items():
            if name != "rule_weights":
                value = json.dumps(getattr(owner, name), ensure_ascii=False)
                lines += [f"{prefix}{name} = {value}{_unit(field)}", f"    {field.description}"]
    return printable(lines)


def _unit(field: FieldInfo) -> str:
    """Unit and range of a number; nothing for other settings."""
    known = unit_and_range(field)
    return f"  # {known[0]}, {known[1]} to {known[2]}" if known else ""
