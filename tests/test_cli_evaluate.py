"""Golden questions on the command line: tables for people, one document for programs, exit codes for a gate."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import Calibration, EvaluationRun, KnowledgeEngine, RunComparison, compare, load_settings
from tests.insight.evaluation.golden import FILES
from tests.knowledge_base import THRESHOLDS, write_files
from tests.test_cli import run

CASES = """
- {id: cause, question: old logs fill the disk, expected: ["runbooks/disk.md#disk/cause"], mustNot: ["runbooks/disk.md#disk/mitigation"]}
- {id: scoped, question: "restart the\\e[31m consumer", expected: [runbooks/queue.md], scope: [category=policies], split: test}
- {id: refused, question: quantum chromodynamics, answerable: false, split: test}
- {id: found, question: ask your lead for leave, answerable: false, mustNot: [policies/leave.md]}
"""
APART = "- {id: known, question: old logs fill the disk}\n- {id: unknown, question: quantum chromodynamics, answerable: false}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVIDENCE_EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.delenv("EVIDENCE_KB", raising=False)
    toml = "".join(f"{name} = {value}\n" for name, value in THRESHOLDS.items())
    files = {**FILES, "cases.yaml": CASES, "evidence.toml": f"# ours\n{toml}"}
    write_files(tmp_path, {"more.yaml": "- {id: other, question: restart the consumer, expected: [runbooks/queue.md]}\n", "apart.yaml": APART})
    return write_files(tmp_path, {f"kb/{name}": text for name, text in files.items()})


def opened(folder: Path) -> KnowledgeEngine:
    return KnowledgeEngine.open(folder / "kb", settings=load_settings(folder / "kb"))


def test_the_text_has_measures_misses_violations_refusals_and_gates(folder: Path) -> None:
    done = run(folder, "evaluate", "--gate", "nDCG@10>=0.5", "--gate", "refused_answerable<0.5")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("4 questions (all questions), snapshot ")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:16]}
    assert rows["nDCG@10"][:5] == ["0.500", "0.000", "to", "1.000", "2"]
    assert rows["refused_unanswerable"][0] == "0.500" and (rows["must_not"][0], rows["must_not_packed"][0]) == ("0.500", "1.000")
    text = done.stdout
    missed = r"  scoped  restart the\x1b[31m consumer  expected runbooks/queue.md  first policies/100%~#1.md  no candidate"
    assert f"\nMissed: an expected passage is not in the packed context: 1\n{missed}\n" in text
    assert "\nMisleading evidence: 1\n  found  ask your lead for leave  policies/leave.md\n" in text
    assert "\nA mustNot in the packed context: 2\n  cause  old logs fill the disk   runbooks/disk.md#disk/mitigation\n  found  " in text
    assert "\nAnswerable, and nothing was found: 1\n  scoped  " in text
    assert "\nUnanswerable, and answered at relevance medium or high: 1\n  found  ask your lead for leave  relevance " in text
    assert lines[-5].startswith("Saved as ") and "Compare" not in lines[-5]  # with what?
    assert lines[-4:] == ["", "Gates", "  passed  nDCG@10>=0.5, measured 0.5", "  FAILED  refused_answerable<0.5, measured 0.5"]
    assert "Asking golden questions" in done.stderr


def test_json_is_the_object_of_the_library_and_gates_are_told_on_stderr(folder: Path) -> None:
    done = run(folder, "evaluate", "--split", "test", "--gate", "P@1<=0", "--json", "--no-save")
    assert done.returncode == 0
    with opened(folder) as engine:
        assert done.stdout == engine.evaluate("test").model_dump_json() + "\n"
        assert engine.runs() == ()
    assert done.stderr.endswith("\n  passed  P@1<=0, measured 0\n")


def test_runs_are_saved_and_compared(folder: Path) -> None:
    first = EvaluationRun.model_validate_json(run(folder, "evaluate", "--json").stdout)
    (folder / "second.json").write_text(run(folder, "evaluate", "--set", "evidence_floor=0", "--json").stdout)
    with opened(folder) as engine:
        second, again = (saved.run for saved in engine.runs())
    assert again == first
    done = run(folder, "evaluate", "--compare", first.run_id[:6], "second.json", "--json")
    assert (done.returncode, done.stdout) == (0, compare(first, second).model_dump_json() + "\n")
    assert RunComparison.model_validate_json(done.stdout).changed_settings == {"evidence_floor": (THRESHOLDS["evidence_floor"], 0.0)}
    text = run(folder, "evaluate", "--compare", "previous", "latest").stdout
    head = f"{first.run_id} against {second.run_id} over 4 questions that both have asked."
    assert text.startswith(f"{head}\n\nSettings:\n  evidence_floor: 0.2 -> 0.0\n")
    assert "\nrefused_unanswerable         0.500  0.000   -0.500      0       1      1      1.000\n" in text
    assert "relevance none -> relevance low\n" in text


def test_other_questions_may_be_asked(folder: Path) -> None:
    done = run(folder, "evaluate", "more.yaml", "--json")
    assert [one["id"] for one in json.loads(done.stdout)["outcomes"]] == ["other"]


def test_an_old_index_is_asked_and_said_to_be_old(folder: Path) -> None:
    run(folder, "sync", "kb")
    write_files(folder, {"kb/new.md": "# New\n\nGreen lever.\n"})
    assert "older index (1 added since)" in run(folder, "evaluate").stderr
    assert "older index" not in run(folder, "evaluate", "--sync").stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["evaluate", "none.yaml"], "there is no file none.yaml; give a file of golden questions, or none for the cases.yaml of the knowledge base"),
        (["evaluate", "kb"], "kb is a folder; give a file of golden questions here, and the folder of a knowledge base with --kb"),
        (["evaluate", "--gate", "ndcg@10>=0.5"], "there is no measure ndcg@10; did you mean nDCG@10?"),
        (["evaluate", "--gate", "nDCG@10"], "is no demand; write MEASURE, one of"),
        (["evaluate", "more.yaml", "--gate", "must_not<=0"], "cannot be judged: no question measures must_not"),
        (["evaluate", "--split", "tset"], "there is no split tset; write dev, test or all"),
        (["evaluate", "--split", "test", "--gate", "must_not<=0"], "'must_not<=0' cannot be judged: no question measures must_not"),
        (["evaluate", "--compare", "latest", "latest"], "there is no latest evaluation, 0 saved; run: evidence evaluate"),
        (["evaluate", "--compare", "a", "b", "--split", "dev"], "--compare takes two saved evaluations and asks nothing"),
        (["evaluate", "--kb", "nowhere"], "there is no knowledge base at nowhere"),
        (["evaluate", "--set", "max_bloks=2"], "unknown setting max_bloks"),
        (["calibrate", "more.yaml"], "there is no unanswerable question to calibrate with"),
        (["calibrate", "--kb", "nowhere"], "there is no knowledge base at nowhere"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(folder: Path, arguments: list[str], sentence: str) -> None:
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["evaluate", "calibrate"])
def test_questions_that_there_are_not_build_no_index_and_their_file_is_named(folder: Path, command: str) -> None:
    done = run(folder, command, "more.yaml", "--split", "test")
    assert done.stderr == (
        "evidence: none of the 1 golden questions of more.yaml is in the split test; mark some with `split: test`, or ask all\n"
    )
    (folder / "none.yaml").touch()
    (folder / "kb/cases.yaml").unlink()
    assert run(folder, command, "none.yaml").stderr == "evidence: there are no golden questions to ask; write some into none.yaml\n"
    done = run(folder, command)
    assert done.stderr == "evidence: there are no golden questions to ask; write some into cases.yaml beside the documents\n"
    assert done.returncode == 2 and not (folder / "index").exists()


def test_a_gate_that_no_question_can_measure_is_told_before_anything_is_asked(folder: Path) -> None:
    done = run(folder, "evaluate", "more.yaml", "--gate", "must_not<=0")
    assert done.returncode == 2 and "cannot be judged: no question measures must_not; measured are nDCG@10, R@5" in done.stderr
    assert not (folder / "index").exists()


def test_a_folder_without_text_says_so(folder: Path) -> None:
    write_files(folder, {"empty/cases.yaml": CASES})
    done = run(folder, "evaluate", "--kb", "empty")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("evidence: the knowledge base has no text, so no question can be measured")


def test_calibrate_proposes_thresholds_and_writes_them_when_asked(folder: Path) -> None:
    done = run(folder, "calibrate", "--json")
    found = Calibration.model_validate_json(done.stdout)
    everything = Calibration.model_validate_json(run(folder, "calibrate", "--split", "all", "--json").stdout)
    with opened(folder) as engine:
        assert (found, everything) == (engine.calibrate(split="dev"), engine.calibrate())
    assert (found.answerable, found.unanswerable, found.present) == (1, 1, THRESHOLDS)
    assert (everything.answerable, everything.unanswerable) == (2, 2)
    before = (folder / "kb/evidence.toml").read_text()
    text = run(folder, "calibrate").stdout
    assert text.startswith("1 answerable and 1 unanswerable questions (split dev), model hash.\n")
    assert f"\nevidence_floor       {found.thresholds['evidence_floor']:.2f}   0.2   the highest at which at most " in text
    assert "\nCaution: there are only 1 answerable questions; trust it from 20 on.\n" in text
    assert (folder / "kb/evidence.toml").read_text() == before
    refused = run(folder, "calibrate", "--write")  # the unanswerable one finds something nearer
    assert (refused.returncode, (folder / "kb/evidence.toml").read_text()) == (2, before)
    assert refused.stderr.splitlines()[-1].startswith("evidence: nothing was written: no threshold tells these answerable and")
    found = Calibration.model_validate_json(run(folder, "calibrate", "apart.yaml", "--json").stdout)
    written = run(folder, "calibrate", "apart.yaml", "--write")
    assert written.returncode == 0 and written.stderr.splitlines()[-1] == f"written to {folder / 'kb/evidence.toml'}"
    assert (folder / "kb/evidence.toml").read_text().startswith("# ours\nevidence_floor = ")
    settings = load_settings(folder / "kb")
    assert {name: getattr(settings, name) for name in THRESHOLDS} == found.thresholds


def test_written_thresholds_that_the_environment_overrules_are_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCE_EVIDENCE_FLOOR", "0.01")
    done = run(folder, "calibrate", "apart.yaml", "--write")
    assert done.stderr.splitlines()[-2:] == [
        f"written to {folder / 'kb/evidence.toml'}",
        "warning: EVIDENCE_EVIDENCE_FLOOR of the environment still decide; unset them to use what was written",
    ]
    assert load_settings(folder / "kb").evidence_floor == 0.01


def test_ctrl_c_ends_an_evaluation_with_one_sentence_and_nothing_saved(folder: Path) -> None:
    run(folder, "sync", "kb")
    many = "".join(f"- {{id: q{at}, question: restart the consumer {at}, expected: [runbooks/queue.md]}}\n" for at in range(5000))
    write_files(folder, {"many.yaml": many})
    command = [sys.executable, "-c", "from engine.cli import main; main()", "evaluate", "many.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as work:
        assert work.stdout is not None and work.stderr is not None
        assert work.stderr.readline() == "Asking golden questions\n"
        work.send_signal(signal.SIGINT)
        said, printed = work.stderr.read(), work.stdout.read()
    assert (work.returncode, printed) == (130, "")
    assert said.splitlines()[-1] == "evidence: stopped; an evaluation that is not done leaves nothing, run it again"
    with opened(folder) as engine:
        assert engine.runs() == ()
