"""What is wrong with the files of a knowledge base, before anybody asks it a question."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from engine.contracts.lint import Finding, LintReport, Severity
from engine.index.embedding import Embedder
from engine.insight.lint_categories import missing_category, one_category, rare_categories
from engine.insight.lint_chunks import duplicate_chunks
from engine.insight.lint_files import beyond_embedder_limit, reader_problems, skipped_files, unreadable_by_embedder
from engine.insight.lint_keywords import ambiguous_keywords, near_miss_fields, no_keywords
from engine.insight.lint_links import broken_links
from engine.insight.lint_material import Rule, read_material
from engine.insight.lint_misfiled import misfiled
from engine.insight.lint_sections import headings_without_text, same_section_titles
from engine.insight.lint_text import status_messages
from engine.progress import Progress, no_progress
from engine.settings import Settings

RULES: tuple[Rule, ...] = (
    skipped_files,
    reader_problems,
    unreadable_by_embedder,
    beyond_embedder_limit,
    near_miss_fields,
    missing_category,
    one_category,
    rare_categories,
    misfiled,
    ambiguous_keywords,
    no_keywords,
    duplicate_chunks,
    same_section_titles,
    headings_without_text,
    status_messages,
    broken_links,
)


def lint(kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress) -> LintReport:
    """Check the files as they are now; no index is needed and no model is loaded. Raises KnowledgeBaseMissing."""
    material = read_material(kb, settings, embedder, progress)
    findings: list[Finding] = []
    for done, rule in enumerate(RULES):
        progress("check", done, len(RULES))
        findings += rule(material)
    progress("check", len(RULES), len(RULES))
    counts = Counter(one.severity for one in findings)
    return LintReport(
        documents=len(material.corpus.documents),
        chunks=len(material.chunks),
        counts={severity: counts[severity] for severity in Severity},
        findings=tuple(sorted(findings, key=_place)),
    )


def _place(one: Finding) -> tuple[int, str, int, str, str]:
    return list(Severity).index(one.severity), one.source, one.line, one.code, one.message
