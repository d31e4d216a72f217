"""The command line: one document on stdout, one sentence for a mistake, exit codes that scripts can rely on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine import LintReport, LookupResult, load_settings
from engine.cli import app
from engine.knowledge_engine import KnowledgeEngine
from tests.knowledge_base import THRESHOLDS, write_files

FILES = {
    "kb/runbooks/disk.md": "---\nkeywords: [disk pressure]\n---\n# Disk\n\nDelete old logs when the disk is full.\n",
    "kb/policies/leave.md": "# Leave\n\nAsk your lead for leave.\n",
    "kb/evidence.toml": "\n".join(f"{name} = {value}" for name, value in THRESHOLDS.items()),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVIDENCE_EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.delenv("EVIDENCE_KB", raising=False)
    return write_files(tmp_path, FILES)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from engine.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env={**os.environ, "COLUMNS": "200"}, check=False)


def test_lookup_prints_the_same_bytes_as_the_library(folder: Path) -> None:
    once, twice = (run(folder, "lookup", "the disk is full", "--json") for _ in range(2))
    assert (once.returncode, once.stdout) == (0, twice.stdout)
    with KnowledgeEngine.open(folder / "kb", settings=load_settings(folder / "kb")) as engine:
        assert once.stdout == engine.lookup_knowledge("the disk is full").canonical_json() + "\n"
    assert LookupResult.model_validate_json(once.stdout).found


def test_nothing_found_is_exit_code_1_with_the_closest_candidates(folder: Path) -> None:
    done = run(folder, "lookup", "quantum chromodynamics")
    assert done.returncode == 1
    assert done.stdout.startswith("No knowledge evidence was found")
    assert "The closest candidates, which are not evidence" in done.stdout


def test_scope_and_set_reach_the_lookup(folder: Path) -> None:
    done = run(folder, "lookup", "leave", "--scope", "category=policies", "--set", "budget_tokens=100", "--set", "rule_weights.title=0.5", "--json")
    found = json.loads(done.stdout)
    assert found["scope"] == [{"field": "category", "operator": "=", "values": ["policies"]}]
    assert found["contextPack"]["budgetTokens"] == 100
    assert {rule["code"]: rule["weight"] for rule in found["rerankTrace"]["rules"]}["title"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lookup", "  "], "the question is blank; write what you want to know"),
        (["lookup", "x", "--kb", "nowhere"], "there is no knowledge base at nowhere"),
        (["sync", "nowhere"], "there is no knowledge base at nowhere"),
        (["lint", "nowhere"], "there is no knowledge base at nowhere"),
        (["lint", "--set", "max_bloks=2"], "unknown setting max_bloks; did you mean max_blocks?"),
        (["lookup", "x", "--set", "max_bloks=2"], "unknown setting max_bloks; did you mean max_blocks?"),
        (["lookup", "x", "--set", "budget_tokens=0"], "setting budget_tokens is '0'"),
        (["lookup", "x", "--set", "high_threshold=0.1"], "thresholds out of order"),
        (["lookup", "x", "--set", "max_blocks"], "is no assignment; write NAME=VALUE"),
        (["lookup", "x", "--scope", "catagory=runbooks"], "unknown scope field 'catagory'; did you mean category?"),
        (["lookup", "x", "--scope", "category=runbook"], "no document has category='runbook'; did you mean runbooks?"),
        (["lookup", "x", "--scope", "category"], "scope 'category' is no condition"),
        (["tokens", " "], "the text is blank; give the words whose cut you want to see"),
        (["tokens", "x", "--kb", "nowhere"], "there is no knowledge base at nowhere"),
        (["lookup"], "Missing argument 'query'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder: Path, arguments: list[str], sentence: str) -> None:
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert sentence in (done.stderr if arguments == ["lookup"] else done.stderr.splitlines()[-1])


def test_a_blank_question_does_not_build_an_index_first(folder: Path) -> None:
    assert run(folder, "lookup", " ").stderr == "evidence: the question is blank; write what you want to know\n"
    assert not (folder / "index").exists()


def test_sync_accounts_for_every_file(folder: Path) -> None:
    (folder / "kb/broken.md").write_bytes(b"\xff\xfe\x00")
    (folder / "kb/latin.md").write_bytes("Müll".encode("latin-1"))
    done = run(folder, "sync", "kb", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["documents"], found["indexed"]) == (2, ["policies/leave.md", "runbooks/disk.md"])
    assert [file["source"] for file in found["skipped"]] == ["broken.md", "latin.md"]
    text = run(folder, "sync").stdout
    assert "\n  latin.md  line 1 is not UTF-8; save the file as UTF-8\n" in text
    assert "\nCategories: policies 1, runbooks 1.\n" in text
    assert text.endswith("\nAsk it: evidence lookup QUESTION --kb kb\nWhat to do about these: evidence lint kb\n")


def test_lint_says_each_meaning_once_and_the_places_below_it(folder: Path) -> None:
    write_files(folder, {f"kb/runbooks/{at}.md": f"# Page {at}\n\n[x](missing%1b{at}.md)\n" for at in range(25)})
    done = run(folder, "lint", "kb")
    assert done.returncode == 0
    said = "warning broken_link: 25. The link leads to no file. Correct the target.\n"
    assert said + "  runbooks/0.md:3  the link to missing\\x1b0.md leads to no file\n" in done.stdout
    assert done.stdout.count("leads to no file\n") == 20
    assert "\n  and 5 more (see --json)\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "27 documents, 27 passages: 0 errors, 25 warnings, 3 infos."
    assert not (folder / "index").exists()


def test_a_lint_error_is_exit_code_1_and_json_is_one_document(folder: Path) -> None:
    (folder / "kb/latin.md").write_bytes("Müll".encode("latin-1"))
    done = run(folder, "lint", "--json")
    assert done.returncode == 1
    found = LintReport.model_validate_json(done.stdout)
    assert [(one.code, one.source, one.line) for one in found.findings if one.severity.value == "error"] == [("undecodable", "latin.md", 1)]
    assert (found.documents, found.counts) == (2, {"error": 1, "warning": 0, "info": 3})


def test_lint_loads_no_model(folder: Path) -> None:
    code = "import sys, engine.cli; sys.argv = ['evidence', 'lint', 'kb', '--set', 'embedding_model=all-MiniLM-L6-v2']\n"
    code += "try: engine.cli.main()\nfinally: print('torch' in sys.modules, 'sentence_transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "False False")


def test_an_old_index_answers_and_says_so_on_stderr(folder: Path) -> None:
    run(folder, "sync")
    write_files(folder, {"kb/runbooks/tape.md": "# Tape robot\n\nPress the green lever.\n"})
    old = run(folder, "lookup", "green lever tape robot", "--json")
    assert (old.returncode, json.loads(old.stdout)["found"]) == (1, False)
    assert "older index (1 added since)" in old.stderr
    assert run(folder, "lookup", "green lever tape robot", "--sync").returncode == 0


def test_tokens_prints_an_aligned_table_or_the_object_of_the_library(folder: Path) -> None:
    text = "the drained 备份 of payment-service"
    shown = run(folder, "tokens", text)
    assert shown.returncode == 0
    assert shown.stdout.startswith("The same function cuts documents and questions.\n")
    assert "\ndrained          word     drain            stem of drained\n" in shown.stdout
    assert "\nthe              word     -                stop word (english)\n" in shown.stdout
    assert "\n备份             bigram   备份\n" in shown.stdout
    with KnowledgeEngine.open(folder / "kb", settings=load_settings(folder / "kb")) as engine:
        assert run(folder, "tokens", text, "--json").stdout == engine.tokens(text).model_dump_json() + "\n"


def test_tokens_loads_no_torch_and_builds_no_index(folder: Path) -> None:
    code = "import sys; sys.argv[1:] = ['tokens', 'x', '--set', 'embedding_model=all-MiniLM-L6-v2']; from engine.cli import app\n"
    code += "app(standalone_mode=False); print('torch' in sys.modules, 'sentence_transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "False False", done.stderr
    assert not (folder / "index").exists()


def test_settings_prints_each_with_its_sentence(folder: Path) -> None:
    text = run(folder, "settings", "--set", "max_blocks=3").stdout
    assert "max_blocks = 3  # blocks, 1 to 50\n    How many evidence blocks a result has at most." in text
    assert "rule_weights.title = 0.4  # weight, 0 to 5\n" in text
    assert json.loads(run(folder, "settings", "--json").stdout)["evidence_floor"] == THRESHOLDS["evidence_floor"]


def test_every_command_takes_kb_set_and_json() -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    assert names
    for name in names:
        shown = CliRunner().invoke(app, [name, "--help"]).output
        assert all(re.search(rf"{option}\b", shown) for option in ("--kb", "--set", "--json")), name


def test_serve_outside_of_a_checkout_says_where_the_page_lives(folder: Path) -> None:
    code = "import engine.cli, engine.server; engine.server.__file__ = '/nowhere/engine/server.py'; engine.cli.main()"
    done = subprocess.run([sys.executable, "-c", code, "serve"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "app.py lives in the source checkout" in done.stderr


def test_serve_builds_the_index_prints_one_document_and_ends_with_its_signal(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from engine.cli import main; main()", "serve", "kb", "--port", str(port), "--json"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            told = json.loads(server.stdout.readline())
            assert (told["url"], told["documents"]) == (f"http://localhost:{port}", 2)
            for _ in range(300):
                with contextlib.suppress(OSError), urllib.request.urlopen(f"{told['url']}/_stcore/health", timeout=5) as health:
                    assert health.read() == b"ok"
                    break
                time.sleep(0.1)
            else:
                pytest.fail("the server never answered")
        finally:
            server.terminate()
        assert server.wait(30) is not None
        assert server.stdout.read() == ""


def test_an_index_folder_that_cannot_be_used_is_exit_code_3(folder: Path) -> None:
    (folder / "file").write_text("in the way")
    done = run(folder, "lookup", "disk", "--set", f"index_dir={folder / 'file' / 'x'}")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("evidence: the index cannot be written to")
    assert "Traceback" not in done.stderr


def test_serve_on_a_taken_port_says_so_before_anything_else(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(folder, "serve", "kb", "--port", str(taken.getsockname()[1]))
    assert (done.returncode, done.stdout) == (3, "")
    assert "is taken" in done.stderr and "--port" in done.stderr


def test_settings_of_a_missing_folder_are_bad_input(folder: Path) -> None:
    assert run(folder, "settings", "nowhere").returncode == 2


def test_what_steers_a_terminal_is_escaped_in_errors_too(folder: Path) -> None:
    done = run(folder, "lint", "no\x1b[31m")
    assert (done.returncode, "\x1b" in done.stderr, "no\\x1b[31m" in done.stderr) == (2, False, True)


def test_lint_fails_from_the_severity_that_was_asked_for(folder: Path) -> None:
    write_files(folder, {"kb/runbooks/more.md": "# More\n\n[x](missing.md)\n"})
    assert run(folder, "lint", "kb", "--ignore", "broken_link").stdout.count("broken_link") == 0
    assert run(folder, "lint", "kb", "--fail-on", "warning").returncode == 1
    wrong = run(folder, "lint", "kb", "--ignore", "broken_lnk")
    assert (wrong.returncode, "did you mean broken_link?" in wrong.stderr) == (2, True)


def test_a_folder_without_documents_is_asked_about(folder: Path) -> None:
    (folder / "nothing").mkdir()
    for command in ("sync", "lint"):
        assert "There is no .md, .markdown or .mdx file in this folder" in run(folder, command, "nothing").stdout
    assert "is a file; give the folder that it is in" in run(folder, "lint", "kb/runbooks/disk.md").stderr
