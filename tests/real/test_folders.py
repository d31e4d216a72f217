"""Real and hostile folders, synchronised by the command as it is: every file is in exactly one list, and none ends it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadInput
from engine.knowledge.corpus import read_corpus
from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.knowledge_base import document, open_engine
from tests.shared_material import SHARED, needs

KB_REAL = ("apisix-en", "apisix-zh", "azure-aks-docs", "govuk-developer-docs", "incident-playbook", "nacos-site", "pagerduty-ir")
FOLDERS = [f"kb-real/{name}" for name in (*KB_REAL, "prometheus-runbooks", "scoutflo-sre-playbooks")]
FOLDERS += ["ugly", "ugly/commonmark", "ugly/yaml-suite-frontmatter"]
LEAST_CATEGORIES = {name: 5 for name in FOLDERS if name.startswith("kb-real/")} | {"kb-real/nacos-site": 3, "kb-real/prometheus-runbooks": 2}


def sync(folder: Path, index: Path) -> dict[str, Any]:
    """The report of `evidence sync FOLDER --json` in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVIDENCE_")}
    command = [sys.executable, "-c", "from engine.cli import main; main()", "sync", str(folder), "--json"]
    command += ["--set", "embedding_model=hash", "--set", f"index_dir={index}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, encoding="utf-8")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@needs("kb-real")
@needs("ugly")
@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_synchronised_and_every_file_is_accounted_for(name: str, tmp_path: Path) -> None:
    folder = SHARED / name
    report = sync(folder, tmp_path)
    on_disk = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    indexed, skipped = report["indexed"], [one["source"] for one in report["skipped"]]
    assert on_disk <= set(indexed) | set(skipped)
    assert not set(indexed) & set(skipped)
    assert len(indexed) == len(set(indexed)) == report["documents"]
    assert all((folder / source).is_file() and not Path(source).is_absolute() for source in indexed)
    assert all(one["code"] and one["reason"] for one in report["skipped"])
    assert all(one["source"] in indexed and one["line"] >= 1 and one["code"] and one["message"] for one in report["problems"])
    settings = Settings(embedding_model="hash", index_dir=str(tmp_path))
    with KnowledgeEngine.open(folder, settings=settings) as engine:
        assert len(engine.scope_fields().get("category", ())) >= LEAST_CATEGORIES.get(name, 0)
        assert engine.report().chunks == report["chunks"] > 0


@needs("ugly", "yaml-suite-frontmatter")
def test_of_every_frontmatter_in_the_yaml_suite_nothing_is_lost_in_silence() -> None:
    """Where no field was read, what stands between the rules is in the text, or its loss is reported."""
    folder = SHARED / "ugly" / "yaml-suite-frontmatter"
    refused = {Path(one["file"]).name for one in json.loads((folder / "INDEX.json").read_text(encoding="utf-8")) if one["fail"]}
    reported = set()
    for found in read_corpus(folder).documents:
        if any(problem.code in ("broken_frontmatter", "unclosed_frontmatter", "duplicate_field") for problem in found.problems):
            reported.add(found.source)
            continue
        block = (folder / found.source).read_text(encoding="utf-8").partition("# Body")[0]
        kept = " ".join([*found.fields, *(value for values in found.fields.values() for value in values), *found.lines])
        if not found.fields:
            assert set(re.findall(r"\w+", block)) <= set(re.findall(r"\w+", kept)), found.source
    assert len(refused & reported) >= 0.7 * len(refused)  # the rest is read leniently, or is a sentence and stays text


@needs("ugly", "blns.json")
def test_naughty_strings_as_titles_texts_and_questions(tmp_path: Path) -> None:
    strings: list[str] = json.loads((SHARED / "ugly" / "blns.json").read_text(encoding="utf-8"))
    files = {f"n{i:03}.md": document(f"# {string}\n\n{string}\n", title=string, keywords=[string]) for i, string in enumerate(strings)}
    with open_engine(tmp_path, files) as engine:
        report = engine.report()
        assert (report.documents, report.skipped) == (len(strings), ())
        assert {problem.code for problem in report.problems} <= {"no_text", "long_title", "long_heading", "cut_value"}
        answered = 0
        for string in strings:
            try:
                result = engine.lookup_knowledge(string)
            except BadInput:
                assert not string.strip()
                continue
            assert json.loads(result.canonical_json())["query"] is not None
            answered += 1
        assert answered > 0.9 * len(strings)
