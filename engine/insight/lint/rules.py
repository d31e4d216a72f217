"""What is wrong with the files of a knowledge base, before anybody asks it a question."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from engine.contracts.lint import Finding, LintReport, Severity
from engine.index.embedding import Embedder
from engine.insight.lint.categories import missing_category, one_category, rare_categories
from engine.insight.lint.chunks import duplicate_chunks
from engine.insight.lint.files import beyond_embedder_limit, reader_problems, skipped_files, unreadable_by_embedder
from engine.insight.lint.keywords import ambiguous_keywords, near_miss_fields, no_keywords
from engine.insight.lint.links import broken_links
from engine.insight.lint.material import Rule, read_material
from engine.insight.lint.misfiled import misfiled
from engine.insight.lint.sections import headings_without_text, same_section_titles
from engine.insight.lint.text import placeholders, status_messages
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
    placeholders,
    broken_links,
)


def lint(
    kb: Path, settings: Settings, embedder: Embedder, progress: Progress = no_progress, ignored: frozenset[str] = frozenset()
) -> LintReport:
    """Check the files as they are now, `ignored` codes left out; no index is needed and no model is loaded. Raises KnowledgeBaseMissing."""
    material = read_material(kb, settings, embedder, progress)
    findings: list[Finding] = []
    for done, rule in enumerate(RULES):
        progress("check", done, len(RULES))
        findings += (one for one in rule(material) if one.code not in ignored)
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
