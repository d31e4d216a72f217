"""Every code of the lint is found where its fault is, and not where it was repaired."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.contracts.lint import LintReport, Severity
from engine.contracts.reports import DocumentCode, EmbedderCode, FrontmatterCode, Problem, SkipCode, SkippedFile
from engine.errors import BadInput
from engine.index.embedders import make_embedder
from engine.index.embedding import HashEmbedder
from engine.insight.lint.codes import CODES, known_codes, known_severity
from engine.insight.lint.files import reader_problems, skipped_files
from engine.insight.lint.material import Material
from engine.insight.lint.rules import RULES, lint
from engine.knowledge.corpus import Corpus
from engine.knowledge.document import read_document
from engine.settings_sources import load_settings
from tests.insight.lint.faults import FAULTS, FILE_FAULTS
from tests.knowledge_base import WordVectorsModelTokens, document, hash_settings, open_engine, write_files
from tests.shared_material import SHARED, needs

ROOT = Path(__file__).resolve().parents[3]


UNDECODABLE = {"source": "y.md", "code": "undecodable", "reason": "bad", "line": 7}


def linted(kb: Path, embedder: HashEmbedder | None = None, **changes: Any) -> LintReport:
    return lint(kb, hash_settings(kb / "index", **changes), embedder or HashEmbedder())


def places(report: LintReport, code: str) -> list[tuple[str, int]]:
    return [(one.source, one.line) for one in report.findings if one.code == code]


def test_every_code_has_a_test() -> None:
    assert sorted(CODES) == sorted([*FAULTS, *FILE_FAULTS])


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_a_fault_in_a_text_is_found_at_its_line_and_is_gone_when_repaired(tmp_path: Path, code: str) -> None:
    fault = FAULTS[code]
    kb = write_files(tmp_path / "kb", fault.files)
    embedder = WordVectorsModelTokens() if code == "unreadable_by_embedder" else None
    found = linted(kb, embedder, **fault.settings)
    assert places(found, code) == [fault.place]
    repaired = {name: text for name, text in {**fault.files, **fault.repair}.items() if text is not None}
    assert places(linted(write_files(tmp_path / "repaired", repaired), embedder, **fault.settings), code) == []


@pytest.mark.parametrize("code", sorted(FILE_FAULTS))
def test_a_file_that_is_not_indexed_is_found(tmp_path: Path, code: str) -> None:
    fault = FILE_FAULTS[code]
    kb = write_files(tmp_path / "kb", {"a.md": "Text."})
    assert places(linted(kb), code) == []
    fault.make(kb / fault.source)
    found = linted(kb)
    assert places(found, code) == [(fault.source, 1)]
    assert found.documents == 1


def test_every_code_of_the_reader_is_in_the_table() -> None:
    reader = {code for literal in (SkipCode, FrontmatterCode, DocumentCode, EmbedderCode) for code in get_args(literal)}
    assert reader <= set(CODES)


def test_what_the_reader_reports_is_a_finding_with_its_own_words_and_line() -> None:
    told = (Problem(source="a.md", line=3, code="twin_name", message="says so"),)
    hidden = SkippedFile(source=".x.md", code="hidden", reason="it is hidden")
    corpus = Corpus((replace(read_document("a.md", "Text.", ""), problems=told),), (hidden, hidden.model_copy(update=UNDECODABLE)))
    material = Material(corpus, (), (), hash_settings(Path()), HashEmbedder())
    found = [*reader_problems(material), *skipped_files(material)]
    assert [(one.code, one.severity.value, one.line, one.message) for one in found] == [
        ("twin_name", "warning", 3, "says so"),
        ("hidden", "info", 1, "it is hidden"),
        ("undecodable", "error", 7, "bad"),
    ]


def test_findings_come_errors_first_and_the_counts_are_theirs(tmp_path: Path) -> None:
    files = {"b.md": "---\ntitle: x\n\nWords.\n", "a.md": "# A\n\n[x](y.md)\n\n## B\n\n## C\n\nText.\n"}
    found = linted(write_files(tmp_path / "kb", files))
    assert [(one.severity.value, one.code, one.source, one.line) for one in found.findings] == [
        ("error", "unclosed_frontmatter", "b.md", 1),
        ("warning", "broken_link", "a.md", 3),
        ("warning", "heading_without_text", "a.md", 5),
        ("info", "no_categories", "a.md", 1),
        ("info", "no_keywords", "a.md", 1),
    ]
    assert found.counts == {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 2}
    assert found.model_dump(mode="json")["findings"][1] == {
        "code": "broken_link",
        "severity": "warning",
        "source": "a.md",
        "line": 3,
        "message": "the link to y.md leads to no file",
        "nextStep": "Correct the target.",
    }


def test_a_second_lint_says_the_same(tmp_path: Path) -> None:
    kb = write_files(tmp_path / "kb", {name: text for fault in FAULTS.values() for name, text in fault.files.items()})
    assert linted(kb).model_dump_json() == linted(kb).model_dump_json()


def test_an_empty_folder_has_no_finding(tmp_path: Path) -> None:
    found = linted(write_files(tmp_path / "kb", {}))
    assert (found.documents, found.chunks, found.findings) == (0, 0, ())


def test_an_engine_lints_the_files_as_they_are_now(tmp_path: Path) -> None:
    with open_engine(tmp_path, {"a.md": "Text."}) as engine:
        write_files(tmp_path / "kb", {"a.md": "[x](y.md)"})
        assert places(engine.lint(), "broken_link") == [("a.md", 1)]


def test_the_sample_knowledge_base_has_the_planted_faults_and_one_error() -> None:
    settings = load_settings(ROOT / "kb", {"embedding_model": "all-MiniLM-L6-v2"})
    found = lint(ROOT / "kb", settings, make_embedder(settings))
    assert [(one.code, one.source, one.line) for one in found.findings if one.severity is Severity.ERROR] == [
        ("unreadable_by_embedder", "depots/handheld-scanner-zh.md", 11)
    ]
    assert [(one.code, one.source, one.line) for one in found.findings if one.severity is Severity.WARNING] == [
        ("ambiguous_keyword", "access/offboarding.md", 4),
        ("ambiguous_keyword", "databases/postgres-failover.md", 4),
        ("misfiled", "policies/kafka-consumer-offsets.md", 3),
    ]
    handbook, failover, misfiled = (one.message for one in found.findings if one.severity is Severity.WARNING)
    assert "“fernway handbook” stands in 8 of 8 categories" in handbook and "does not vote at all" in handbook
    assert "“failover” stands in 3 of 8 categories (databases: databases/postgres-failover.md; deployments: deployments/" in failover
    assert "to those of databases" in misfiled
    titles = [one.message for one in found.findings if one.code == "same_section_title"]
    assert "the section title “Symptoms” stands in 12 documents" in titles


def test_a_rule_stands_once_in_the_list() -> None:
    assert len(RULES) == len(set(RULES)) == 17


@needs("kb-real")
@pytest.mark.parametrize(
    ("folder", "misfiled"),
    [
        ("prometheus-runbooks", []),
        ("pagerduty-ir", []),
        ("incident-playbook", []),
        ("govuk-developer-docs", []),
        ("scoutflo-sre-playbooks", ["docs/dual-format-demo.md"]),
    ],
)
def test_real_sets_have_few_misfiled_documents_and_no_status_message(folder: str, misfiled: list[str]) -> None:
    kb = SHARED / "kb-real" / folder
    found = lint(kb, load_settings(kb, {"embedding_model": "hash"}), HashEmbedder())
    assert [source for source, _ in places(found, "misfiled")] == misfiled
    assert places(found, "status_message") == []


@pytest.mark.parametrize("names", [("release-1", "release-2"), ("team-a", "team-b"), ("api-v1", "api-v2")])
def test_categories_that_count_things_of_one_kind_are_no_slips(tmp_path: Path, names: tuple[str, str]) -> None:
    files = {f"{at}.md": document(f"Text {at}.", category=name) for at, name in enumerate((names[0], names[0], names[1]))}
    assert places(linted(write_files(tmp_path, files)), "category_typo") == []


def test_a_field_on_the_first_line_is_there(tmp_path: Path) -> None:
    assert places(linted(write_files(tmp_path, {"a.md": '{"title": "X", "titel": "y"}\nText.\n'})), "near_miss_field") == []


def test_a_document_that_lost_its_fields_is_not_blamed_for_what_it_lacks(tmp_path: Path) -> None:
    files = {"a.md": "---\ncategory: x: y\n---\nText.\n", "b.md": "", "c.md": document("Words.", category="x", keywords=["k"])}
    found = linted(write_files(tmp_path, files))
    assert [one.code for one in found.findings] == ["broken_frontmatter", "no_text"]


def test_codes_may_be_left_out_and_the_least_severity_chosen(tmp_path: Path) -> None:
    kb = write_files(tmp_path, {"a.md": "[x](y.md)\n"})
    found = lint(kb, hash_settings(tmp_path / "index"), HashEmbedder(), ignored=known_codes(["broken_link"]))
    assert (found.counts[Severity.WARNING], found.has(Severity.WARNING), found.has(Severity.INFO)) == (0, False, True)
    with pytest.raises(BadInput, match=r"there is no lint code broken_links; did you mean broken_link\?"):
        known_codes(["broken_links"])
    with pytest.raises(BadInput, match="there is no severity fatal; write error, warning or info"):
        known_severity("fatal")
