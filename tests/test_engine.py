"""The engine as a library: its face, its weight, its manners."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import engine
from engine import BadInput, EnvironmentProblem, KnowledgeEngine, LookupResult
from engine.lookup.pipeline import Record
from tests.knowledge_base import hash_settings, open_engine, write_files

ROOT = Path(__file__).parents[1]
FILES = {"runbooks/disk.md": "# Disk\n\nDelete old logs when the disk is full.\n", "policies/leave.md": "# Leave\n\nAsk your lead for leave.\n"}
HEAVY = {"duckdb", "numpy", "pandas", "usearch", "torch", "sentence_transformers", "streamlit", "plotly"}


def test_every_public_name_is_there_and_no_other() -> None:
    assert len(set(engine.__all__)) == len(engine.__all__)
    assert all(getattr(engine, name).__name__ == name for name in engine.__all__)
    assert sorted(name for names in engine._HOMES.values() for name in names) == sorted(engine.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        engine.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import engine", {*HEAVY, "pydantic"}),
        ("from engine import LookupResult, Settings, EvidenceError, SyncReport", HEAVY),
    ],
)
def test_importing_what_is_light_loads_no_heavy_package(statement: str, heavy: set[str]) -> None:
    code = f"{statement}; import sys; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip() == "[]"


def test_app_imports_only_streamlit_and_the_pages() -> None:
    tree = ast.parse((ROOT / "app.py").read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert all(name and name.split(".")[0] in ("streamlit", "pages", "__future__") for name in imported)


def test_opening_builds_a_missing_index_and_lookups_answer(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        result = opened.lookup_knowledge("what to do when the disk is full")
    assert result.found
    assert result.evidence_blocks[0].id == "runbooks/disk.md#disk~1"


def test_a_result_survives_the_way_through_json(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        result = opened.lookup_knowledge("disk full", scope={"category": "runbooks"})
    again = LookupResult.model_validate_json(result.canonical_json())
    assert again.canonical_json() == result.canonical_json()


def test_a_view_has_its_own_settings_and_leaves_the_engine_alone(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        view = opened.with_settings(opened.settings.changed({"budget_tokens": 64}))
        assert view.lookup_knowledge("disk full").context_pack.budget_tokens == 64
        assert opened.lookup_knowledge("disk full").context_pack.budget_tokens == 1500


def test_closing_a_view_leaves_the_engine_open(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        with opened.with_settings(opened.settings.changed({"max_blocks": 1})) as view:
            assert view.lookup_knowledge("disk full").found
        assert opened.lookup_knowledge("disk full").found


def test_a_view_cannot_have_another_index(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened, pytest.raises(BadInput, match="chunk_tokens decides what is in the index"):
        opened.with_settings(opened.settings.changed({"chunk_tokens": 64}))


def test_an_engine_moves_to_a_snapshot_that_another_process_built(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as reader, open_engine(tmp_path, FILES) as writer:
        assert not reader.refresh()
        write_files(tmp_path / "kb", {"runbooks/tape.md": "# Tape robot\n\nPress the green lever on the tape robot.\n"})
        writer.sync()
        assert not reader.lookup_knowledge("green lever tape robot").found
        assert reader.refresh()
        assert reader.lookup_knowledge("green lever tape robot").found


def test_a_sync_is_answered_from_at_once(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        write_files(tmp_path / "kb", {"runbooks/tape.md": "# Tape robot\n\nPress the green lever on the tape robot.\n"})
        assert not opened.lookup_knowledge("green lever tape robot").found
        opened.sync()
        assert opened.lookup_knowledge("green lever tape robot").evidence_blocks[0].source == "runbooks/tape.md"


def test_threads_share_an_engine(tmp_path: Path) -> None:
    answers: list[str] = []
    with open_engine(tmp_path, FILES) as opened:
        expected = opened.lookup_knowledge("disk full").canonical_json()

        def ask() -> None:
            answers.extend(opened.lookup_knowledge("disk full").canonical_json() for _ in range(10))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [expected] * 80


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_question_is_an_error(tmp_path: Path, query: str) -> None:
    with open_engine(tmp_path, FILES) as opened, pytest.raises(BadInput, match="the question is blank"):
        opened.lookup_knowledge(query)


def test_a_question_that_is_no_unicode_is_an_error(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened, pytest.raises(BadInput, match="not valid Unicode"):
        opened.lookup_knowledge("disk \ud800")


def test_sinks_get_every_lookup_failed_or_not(tmp_path: Path) -> None:
    records: list[Record] = []
    kb = write_files(tmp_path / "kb", FILES)
    with KnowledgeEngine.open(kb, settings=hash_settings(tmp_path / "index"), sinks=(records.append,)) as opened:
        result = opened.lookup_knowledge("disk full")
        with pytest.raises(BadInput):
            opened.lookup_knowledge(" ")
        with pytest.raises(BadInput):
            opened.lookup_knowledge("disk", scope=["nosuch=x"])
    assert records[2].error and records[2].error.startswith("UnknownScope: unknown scope field 'nosuch'")
    assert records[0].result == result
    assert (records[1].result, records[1].error) == (None, "BlankQuery: the question is blank; write what you want to know")
    assert [span.name for span in records[0].spans] == ["lookup_knowledge", "record"]


def test_a_sink_that_fails_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(record: Record) -> None:
        raise OSError("disk full")

    records: list[Record] = []
    kb = write_files(tmp_path / "kb", FILES)
    with KnowledgeEngine.open(kb, settings=hash_settings(tmp_path / "index"), sinks=(broken, records.append)) as opened:
        assert opened.lookup_knowledge("disk full").found
    assert len(records) == 1
    assert "a sink did not take the record" in caplog.text


@pytest.mark.parametrize("scope", [[3], {"category": 3}, {"category": True}, {"category": ["runbooks", None]}, {3: "x"}])
def test_a_scope_of_the_wrong_type_is_bad_input(tmp_path: Path, scope: Any) -> None:
    with open_engine(tmp_path, FILES) as opened, pytest.raises(BadInput):
        opened.lookup_knowledge("disk", scope=scope)


def test_a_question_of_the_wrong_type_or_length_is_bad_input(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        wrong: Any = None
        with pytest.raises(BadInput, match="not text"):
            opened.lookup_knowledge(wrong)
        with pytest.raises(BadInput, match="the most; ask for one thing"):
            opened.lookup_knowledge("x" * 10_001)


def test_a_closed_engine_says_so(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as opened:
        pass
    with pytest.raises(EnvironmentProblem, match="the engine is closed"):
        opened.lookup_knowledge("disk full")


@pytest.mark.parametrize("path", ["/" + "a" * 5000, "nowhere", "a\0b"])
def test_a_path_that_is_no_folder_is_a_missing_knowledge_base(path: str) -> None:
    with pytest.raises(BadInput, match="there is no knowledge base"):
        KnowledgeEngine.open(path)


def test_a_long_word_never_breaks_the_budget(tmp_path: Path) -> None:
    with open_engine(tmp_path, {"a/x.md": f"# Pump\n\nThe pump protocol follows. {'deadbeef' * 40_000}\n"}) as opened:
        result = opened.lookup_knowledge("pump protocol follows")
    assert result.found
    assert len(result.context_pack.text) < 20 * result.context_pack.budget_tokens
