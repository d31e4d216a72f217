"""The history of evaluations: newest first, whole files only, found by whatever names a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine import BadInput, EnvironmentProblem
from engine.index.home import runs_home
from engine.insight.evaluation.runs import MOST_KEPT, find_run, save_run, saved_runs
from tests.insight.evaluation.golden import FILES, case, outcome, run_of
from tests.knowledge_base import hash_settings, open_engine


def saved(home: Path, *ids: str) -> None:
    for run_id in ids:
        save_run(home, run_of([outcome("a")], run_id))


def ids(home: Path) -> list[str]:
    return [one.run.run_id for one in saved_runs(home)]


def test_the_newest_is_first_and_an_equal_run_moves_to_the_front(tmp_path: Path) -> None:
    assert saved_runs(tmp_path / "none") == ()
    saved(tmp_path, "a" * 12, "b" * 12, "c" * 12)
    assert ids(tmp_path) == ["c" * 12, "b" * 12, "a" * 12]
    before = saved_runs(tmp_path)[2].saved_at
    saved(tmp_path, "a" * 12)
    assert ids(tmp_path) == ["a" * 12, "c" * 12, "b" * 12]
    assert before < saved_runs(tmp_path)[0].saved_at
    assert saved_runs(tmp_path)[0].run == run_of([outcome("a")], "a" * 12)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{letter * 12}.json" for letter in "abc"]


def test_only_the_last_ones_are_kept(tmp_path: Path) -> None:
    saved(tmp_path, *(f"{at:012x}" for at in range(MOST_KEPT + 2)))
    assert ids(tmp_path) == [f"{at:012x}" for at in range(MOST_KEPT + 1, 1, -1)]
    assert len(list(tmp_path.iterdir())) == MOST_KEPT


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    saved(tmp_path, "a" * 12, "b" * 12)
    before = saved_runs(tmp_path)
    saved(tmp_path, "a" * 12)
    moved, kept = saved_runs(tmp_path)
    assert kept is before[0]
    assert (moved.run, moved.saved_at > before[1].saved_at) == (before[1].run, True)
    (tmp_path / f"{'b' * 12}.json").write_text("{}")
    assert ids(tmp_path) == ["a" * 12]


def test_a_history_that_is_not_full_is_not_read_to_save_a_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "notes.json").write_text("{}")  # which is warned of where the history is read
    saved(tmp_path, "a" * 12)
    assert caplog.messages == []
    assert ids(tmp_path) == ["a" * 12]
    assert len(caplog.messages) == 1


def test_what_is_no_saved_run_is_left_out_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    saved(tmp_path, "a" * 12, "b" * 12)
    whole = (tmp_path / f"{'a' * 12}.json").read_bytes()
    (tmp_path / f"{'c' * 12}.json").write_bytes(whole)  # under another's name
    (tmp_path / f"{'d' * 12}.json").write_bytes(whole[:-20])
    (tmp_path / f"{'e' * 12}.json").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / f".{'f' * 12}.json.new").write_text("half")
    (tmp_path / "README").write_text("mine")
    assert ids(tmp_path) == ["b" * 12, "a" * 12]
    assert len([one for one in caplog.messages if "is no saved evaluation and is left out; remove it" in one]) == 5
    saved(tmp_path, "e" * 12)
    assert ids(tmp_path)[0] == "e" * 12


def test_a_run_is_found_by_place_begin_of_id_or_file(tmp_path: Path) -> None:
    saved(tmp_path, "aa" * 6, "ab" * 6, "cc" * 6)
    assert find_run(tmp_path, "latest").run_id == "cc" * 6
    assert find_run(tmp_path, "previous").run_id == "ab" * 6
    assert find_run(tmp_path, "c").run_id == find_run(tmp_path, "cc" * 6).run_id == "cc" * 6
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text(run_of([outcome("a")], "d" * 12).model_dump_json())
    assert find_run(tmp_path, str(elsewhere)).run_id == "d" * 12
    assert find_run(tmp_path, str(tmp_path / f"{'aa' * 6}.json")).run_id == "aa" * 6


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a", "several evaluations begin with a: ababababab.., aaaaaaaaaaaa; write more of the id"),
        ("b", "there is no evaluation b; write latest, previous, a file of --json, or an id: abababababab, aaaaaaaaaaaa"),
        ("", "there is no evaluation"),
        ("a\0", "there is no evaluation a"),
        ("{file}", "is no evaluation; give a file that evidence evaluate --json has written"),
    ],
)
def test_what_names_no_run_is_bad_input(tmp_path: Path, name: str, sentence: str) -> None:
    saved(tmp_path, "aa" * 6, "ab" * 6)
    (tmp_path / "other.txt").write_text("[]")
    with pytest.raises(BadInput, match=sentence):
        find_run(tmp_path, name.format(file=tmp_path / "other.txt"))


def test_a_history_that_is_too_short_says_how_long_it_is(tmp_path: Path) -> None:
    saved(tmp_path, "a" * 12)
    with pytest.raises(BadInput, match="there is no previous evaluation, 1 saved; evaluate once more"):
        find_run(tmp_path, "previous")


def test_a_folder_that_cannot_be_written_is_a_problem_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentProblem, match="cannot be written to"):
        saved(tmp_path / "file" / "runs", "a" * 12)


def test_runs_of_one_folder_are_together_whatever_the_build_settings(tmp_path: Path) -> None:
    questions = [case("delete old logs", "runbooks/disk.md")]
    with open_engine(tmp_path, FILES) as one, open_engine(tmp_path, FILES, chunk_tokens=64) as other:
        first, second = one.evaluate(cases=questions), other.evaluate(cases=questions)
        one.save_run(first)
        other.save_run(second)
        assert one.runs() == other.runs()
        assert [entry.run for entry in one.runs()] == [second, first]
    home = runs_home(tmp_path / "kb", hash_settings(tmp_path / "index"))
    assert home.parent == tmp_path / "index" and home.name.startswith("kb-") and home.name.endswith("-runs")
    (tmp_path / "more").mkdir()
    assert runs_home(tmp_path / "more", hash_settings(tmp_path / "index")) != home
    assert runs_home(Path(os.path.relpath(tmp_path / "kb")), hash_settings(tmp_path / "index")) == home
