"""One run, one object: page, library and command line show the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import KnowledgeEngine, LookupResult, load_settings
from tests.documents import DOCUMENTS
from tests.knowledge_base import THRESHOLDS, write_files

ROOT = Path(__file__).parents[1]
QUESTION = "the root volume is full, how do I free it?"


def test_page_library_and_command_line_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = write_files(tmp_path / "kb", DOCUMENTS)
    (kb / "evidence.toml").write_text("\n".join(f"{name} = {value}" for name, value in THRESHOLDS.items()))
    for name, value in {"EMBEDDING_MODEL": "hash", "INDEX_DIR": str(tmp_path / "index"), "KB": str(kb)}.items():
        monkeypatch.setenv(f"EVIDENCE_{name}", value)
    changes = {"budget_tokens": "300", "rule_weights.title": "0.35"}

    with KnowledgeEngine.open(kb, settings=load_settings(kb, changes)) as engine:
        library = engine.lookup_knowledge(QUESTION).canonical_json()

    command = [sys.executable, "-c", "from engine.cli import main; main()", "lookup", QUESTION, "--json"]
    command += [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    line = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=dict(os.environ), check=False).stdout

    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in {"q": QUESTION, **changes}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    [shown] = [code.value for code in page.code if code.value.startswith('{"schemaVersion"')]

    assert LookupResult.model_validate_json(library).found
    assert line == library + "\n"
    assert shown == library
