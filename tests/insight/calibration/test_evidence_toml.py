"""Thresholds into evidence.toml: everything else stays, and nothing is lost whatever stands there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engine import BadInput, EnvironmentProblem, load_settings
from engine.errors import BadSettings, KnowledgeBaseMissing
from engine.insight.calibration.evidence_toml import write_thresholds

FOUND = {"evidence_floor": 0.25, "reference_threshold": 0.4, "medium_threshold": 0.41, "high_threshold": 0.61}
LINES = "".join(f"{name} = {number}\n" for name, number in FOUND.items())


def written(kb: Path, before: str) -> str:
    """The text of the file after the thresholds were set in it."""
    (kb / "evidence.toml").write_bytes(before.encode())
    write_thresholds(kb, FOUND)
    settings = load_settings(kb)
    assert {name: getattr(settings, name) for name in FOUND} == FOUND
    return (kb / "evidence.toml").read_bytes().decode()


def test_a_missing_file_is_made(tmp_path: Path) -> None:
    assert write_thresholds(tmp_path, FOUND) == tmp_path / "evidence.toml"
    assert (tmp_path / "evidence.toml").read_text() == LINES
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.toml"]


def test_comments_order_and_other_settings_stay(tmp_path: Path) -> None:
    before = "# ours\nmax_blocks = 5 # few\nevidence_floor=0.3   # was chosen in May\n\n[rule_weights] # all\ntitle = 0.3\n"
    after = written(tmp_path, before)
    assert after.startswith("# ours\nmax_blocks = 5 # few\nevidence_floor=0.25   # was chosen in May\n")
    assert after.endswith("[rule_weights] # all\ntitle = 0.3\n")
    assert all(f"{name} = {number}\n" in after for name, number in FOUND.items() if name != "evidence_floor")
    settings = load_settings(tmp_path)
    assert (settings.max_blocks, settings.rule_weights.title) == (5, 0.3)


@pytest.mark.parametrize(
    "before",
    [
        "[rule_weights]\ntitle = 0.3\n",
        "rule_weights.title = 0.3",
        "rule_weights = {title = 0.3}\nhigh_threshold = 0.9",
        "\n\n# only a comment",
        "'evidence_floor' = 0.1\n\"high_threshold\" = 0.9\n",
        "category_fields = [\n  'team', # one\n  'area',\n]\n",
        "index_dir = '''/tmp/x'''",
    ],
)
def test_any_way_of_writing_the_rest_keeps_its_lines(tmp_path: Path, before: str) -> None:
    after = written(tmp_path, before)
    kept = [line for line in before.splitlines() if "threshold" not in line and "floor" not in line]
    assert [line for line in after.splitlines() if line in kept and line] == [line for line in kept if line]


def test_line_ends_and_the_byte_order_mark_stay(tmp_path: Path) -> None:
    after = written(tmp_path, "\ufeff# ours\r\nmax_blocks = 5\r\n\r\n[rule_weights]\r\ntitle = 0.3\r\n")
    assert after.startswith("\ufeff# ours\r\nmax_blocks = 5\r\n")
    assert after.count("\n") == after.count("\r\n") > 6


def test_writing_twice_changes_nothing_more(tmp_path: Path) -> None:
    once = written(tmp_path, "max_blocks = 5\n\n[rule_weights]\ntitle = 0.3\n")
    assert written(tmp_path, once) == once


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        (b"max_blocks = = 5\n", "cannot be read"),
        (b"max_blocks = 5\nmax_blocks = 6\n", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"max_bloks = 5\n", r"unknown setting max_bloks; did you mean max_blocks\?"),
        (b"max_blocks = 500\n", "setting max_blocks is 500"),
        (b"[evidence_floor]\nx = 1\n", "there is no setting|setting evidence_floor is"),
        (b"evidence_floor = 0.99\n", "thresholds out of order"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "evidence.toml"),
    ],
)
def test_a_damaged_file_is_refused_and_stays_as_it_was(tmp_path: Path, before: bytes, sentence: str) -> None:
    (tmp_path / "evidence.toml").write_bytes(before)
    with pytest.raises(BadSettings, match=sentence):
        write_thresholds(tmp_path, FOUND)
    assert (tmp_path / "evidence.toml").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.toml"]


@pytest.mark.parametrize(
    ("thresholds", "sentence"),
    [
        ({"evidence_floor": 0.9}, "thresholds out of order: evidence_floor is 0.9 and reference_threshold is 0.51"),
        ({**FOUND, "high_threshold": 1.5}, "setting high_threshold is 1.5"),
        ({"floor": 0.1}, "unknown setting floor"),
    ],
)
def test_thresholds_that_would_not_load_are_refused_before_anything_is_written(tmp_path: Path, thresholds: dict[str, float], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        write_thresholds(tmp_path, thresholds)
    assert not (tmp_path / "evidence.toml").exists()


def test_the_mode_of_the_file_stays(tmp_path: Path) -> None:
    (tmp_path / "evidence.toml").write_text("max_blocks = 5\n")
    (tmp_path / "evidence.toml").chmod(0o640)
    write_thresholds(tmp_path, FOUND)
    assert stat.S_IMODE((tmp_path / "evidence.toml").stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    kb, shared = tmp_path / "kb", tmp_path / "shared.toml"
    kb.mkdir()
    shared.write_text("max_blocks = 5\n")
    (kb / "evidence.toml").symlink_to(shared)
    assert write_thresholds(kb, FOUND) == shared
    assert (kb / "evidence.toml").is_symlink()
    assert shared.read_text() == f"max_blocks = 5\n{LINES}"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evidence.toml").mkdir()
    with pytest.raises(BadSettings, match="is no regular file; remove it"):
        write_thresholds(tmp_path, FOUND)
    (tmp_path / "evidence.toml").rmdir()
    os.mkfifo(tmp_path / "evidence.toml")
    with pytest.raises(BadSettings, match="is no regular file; remove it"):
        write_thresholds(tmp_path, FOUND)
    (tmp_path / "evidence.toml").unlink()
    (tmp_path / "evidence.toml").symlink_to(tmp_path / "evidence.toml")
    with pytest.raises(BadSettings, match="cannot be read"):
        write_thresholds(tmp_path, FOUND)
    with pytest.raises(KnowledgeBaseMissing):
        write_thresholds(tmp_path / "nowhere", FOUND)


def test_a_link_to_a_folder_that_is_not_there_is_a_problem_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "evidence.toml").symlink_to(tmp_path / "gone" / "shared.toml")
    with pytest.raises(EnvironmentProblem, match="cannot be written: No such file or directory"):
        write_thresholds(tmp_path, FOUND)
