"""A damaged index on the command line: it is healed and answers, or one sentence says why it cannot, with exit code 3."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from engine.settings import Settings
from tests.faults.changing import QUESTIONS
from tests.faults.healthy import Healthy, flip
from tests.faults.shared import LIMIT_SECONDS
from tests.knowledge_base import hash_settings, write_files

ROOT = Path(__file__).parents[2]
# Root may write everywhere, unless it gives that right away; `setpriv` belongs to every Debian.
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner")
NO_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "  # no file can grow, as on a full disk


def lookup(index: Healthy, *, before: Sequence[str] = (), code: str = "") -> tuple[int, str, str]:
    """`evidence lookup` of the first question in a process of its own: exit code, stdout, stderr."""
    settings = {"embedding_model": "hash", "index_dir": index.settings.index_dir, **_thresholds(index.settings)}
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    main = f"{code}from engine.cli import main; main()"
    command = [*before, sys.executable, "-c", main, "lookup", QUESTIONS[0], "--kb", str(index.kb), "--json", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=index.kb, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def _thresholds(settings: Settings) -> dict[str, object]:
    return {name: value for name, value in settings.model_dump().items() if name == "evidence_floor" or name.endswith("_threshold")}


def damage_catalog(index: Healthy) -> None:
    flip(index.snapshot / "catalog.duckdb")


def remove_vectors(index: Healthy) -> None:
    for path in index.snapshot.glob("vectors*"):
        path.unlink()


def spoil_pointer(index: Healthy) -> None:
    (index.home / "CURRENT").write_bytes(b"\xff\0\xfe")


DAMAGES = [damage_catalog, remove_vectors, spoil_pointer]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_a_lookup_heals_the_index_and_answers(index: Healthy, damage: Callable[[Healthy], None]) -> None:
    damage(index)
    code, out, err = lookup(index)
    assert (code, out) == (0, index.answers[0] + "\n"), err
    assert "Traceback" not in err
    [named] = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert named.endswith("; it is built anew")
    assert ("CURRENT" if damage is spoil_pointer else index.snapshot.name) in named
    assert lookup(index) == (0, out, "")  # and the next one has nothing to heal


def expect_one_sentence(code: int, out: str, err: str) -> None:
    """Exit code 3, nothing on stdout, and after the progress one sentence with a next step."""
    said = [line for line in err.splitlines() if line.startswith("evidence: ")]
    assert (code, out, len(said), "Traceback" in err) == (3, "", 1, False), err
    assert err.endswith(said[0] + "\n")
    assert re.search(r"cannot be (written|kept)|run: evidence sync", said[0]) and ";" in said[0], err


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_an_index_that_cannot_be_healed_for_want_of_room_is_one_sentence(index: Healthy, damage: Callable[[Healthy], None]) -> None:
    damage(index)
    expect_one_sentence(*lookup(index, code=NO_ROOM))
    index.expect_healing()  # once there is room


@pytest.fixture
def read_only(index: Healthy) -> Iterator[Healthy]:
    """The damaged index in folders that nobody may write to."""
    damage_catalog(index)
    root = Path(index.settings.index_dir)
    paths = [root, *root.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    yield index
    for path, mode in modes.items():
        path.chmod(mode)


@pytest.fixture
def without_rights() -> Sequence[str]:
    """What to put before a command so that file permissions hold for it."""
    if os.geteuid():
        return ()
    if not shutil.which(WITHOUT_RIGHTS[0]) or subprocess.run([*WITHOUT_RIGHTS, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root may write everywhere and cannot give that right away: install setpriv (util-linux), or run the tests as another user")
    return WITHOUT_RIGHTS


def test_an_index_in_a_read_only_folder_that_is_damaged_is_one_sentence(read_only: Healthy, without_rights: Sequence[str]) -> None:
    code, out, err = lookup(read_only, before=without_rights)
    expect_one_sentence(code, out, err)
    assert f"snapshot {read_only.snapshot.name} is damaged: catalog.duckdb is not what was written, and it cannot be built anew: " in err
    assert "Permission denied; make it writable or give another folder" in err


@pytest.mark.parametrize(("part", "mode"), [("snapshots", 0), ("snapshots/{name}", 0o300), ("CURRENT", 0)])
def test_an_index_that_may_not_be_read_is_no_damage(index: Healthy, without_rights: Sequence[str], part: str, mode: int) -> None:
    path = index.home / part.format(name=index.snapshot.name)
    former = path.stat().st_mode
    path.chmod(mode)
    code, out, err = lookup(index, before=without_rights)
    path.chmod(former)
    assert (code, out, err.count("evidence: "), "damaged" in err, "Traceback" in err) == (3, "", 1, False, False), err
    assert "Permission denied" in err


def test_a_disk_that_fills_while_the_vectors_are_written_is_one_sentence(tmp_path: Path) -> None:
    kb = write_files(tmp_path / "many", {f"{i}.md": f"# Many {i}\n\nPassage {i}.\n" for i in range(1500)})
    index = Healthy(kb, hash_settings(tmp_path / "index"), ())
    lookup(index)
    shutil.rmtree(index.home)  # the embeddings are kept, so only the index has to be written
    code, out, err = lookup(index, code="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000)); ")
    assert (code, out, "Traceback" in err) == (3, "", False), err
    assert "the index cannot be written to" in err


def test_a_healthy_index_in_a_read_only_folder_answers(read_only: Healthy, without_rights: Sequence[str]) -> None:
    catalog = read_only.snapshot / "catalog.duckdb"
    catalog.chmod(0o600)
    flip(catalog)  # twice is once too often
    catalog.chmod(0o400)
    assert lookup(read_only, before=without_rights)[:2] == (0, read_only.answers[0] + "\n")
