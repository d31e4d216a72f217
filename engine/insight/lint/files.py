"""What the reader skipped, what it complained about, and what the embedding model cannot read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.contracts.lint import Finding
from engine.contracts.reports import Problem
from engine.index.embedder_problems import beyond_limit_problems, unreadable_problems
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material


def skipped_files(material: Material) -> Iterator[Finding]:
    """Every file that is not indexed, whatever the reader's reason."""
    return (finding(file.code, file.source, file.line or 1, file.reason) for file in material.corpus.skipped)


def reader_problems(material: Material) -> Iterator[Finding]:
    """Every fault that the reader found in a file that is indexed all the same."""
    return _as_findings(material.corpus.problems)


def unreadable_by_embedder(material: Material) -> Iterator[Finding]:
    """One finding for each document with passages of which the model reads too small a share."""
    return _as_findings(unreadable_problems(material.chunks, material.settings.minimum_readable))


def beyond_embedder_limit(material: Material) -> Iterator[Finding]:
    """One finding for each document with passages that are longer than what the model reads."""
    return _as_findings(beyond_limit_problems(material.chunks, material.embedder, material.settings))


def _as_findings(problems: Iterable[Problem]) -> Iterator[Finding]:
    return (finding(problem.code, problem.source, problem.line, problem.message) for problem in problems)
