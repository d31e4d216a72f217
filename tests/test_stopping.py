"""A real `evidence` process that is stopped or killed in the middle: one sentence, an exit code, and the next run goes on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from engine.index.embedding import BATCH
from engine.index.home import current_id, index_home
from engine.settings_sources import load_settings
from tests.knowledge_base import write_files

ROOT = Path(__file__).parents[1]
# Ctrl-C is on, also where the tests run in the background of a shell, which switches it off for all below.
CODE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from engine.cli import main; main()"
DOCUMENTS = 300
CHUNKS = 10 * DOCUMENTS
KNOWN = 100  # passages, of ten documents
FOUND = r"Reading files\nCutting documents\nEmbedding passages: 300 documents, 3,000 passages, 100 of them embedded already\.\n"
STOPPED = r"evidence: stopped; ([\d,]+) of 3,000 passages are embedded and kept, nothing else has changed; the same command goes on from there\n"


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    return {f"a/{i}.md": f"# Page {i}\n" + "".join(f"\n## Part {j}\n\nText {i} {j}. {'Words. ' * 40}\n" for j in range(10)) for i in range(DOCUMENTS)}


@pytest.fixture
def folder(tmp_path: Path, documents: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVIDENCE_EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.delenv("EVIDENCE_KB", raising=False)
    write_files(tmp_path / "kb", documents)
    return tmp_path


def start(folder: Path, *arguments: str, code: str = CODE) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def finished(folder: Path, *arguments: str, code: str = CODE) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a whole run."""
    process = start(folder, *arguments, code=code)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def kept(folder: Path) -> int:
    """How many passages the cache holds."""
    for path in (folder / "index/embeddings").glob("*.sqlite"):
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path)) as connection:
            return int(connection.execute("select count(*) from embeddings").fetchone()[0])
    return 0


@contextmanager
def held_in_the_middle(folder: Path, documents: Mapping[str, str], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that finds some passages embedded and cannot keep another one; yields it with what it said so far.

    A smaller knowledge base fills the cache first; then the lock of the cache is held until the block ends.
    """
    write_files(folder / "few", dict(list(documents.items())[: KNOWN // 10]))
    assert finished(folder, "sync", "few")[0] == 0
    shutil.rmtree(next((folder / "index").glob("few-*")))
    [path] = (folder / "index/embeddings").glob("*.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("begin immediate")
        process = start(folder, *arguments)
        assert process.stderr is not None
        said = ""
        while "Embedding passages" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        yield process, said
        connection.execute("rollback")


def snapshots(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "index").glob("*/snapshots/*"))


@pytest.mark.parametrize(
    ("arguments", "number", "code"),
    [
        (["sync"], signal.SIGINT, 130),
        (["sync"], signal.SIGTERM, 143),
        (["lookup", "text words", "--sync"], signal.SIGINT, 130),
        (["serve", "--port", "PORT"], signal.SIGTERM, 143),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_signal_ends_a_build_with_a_sentence_and_the_next_run_goes_on(
    folder: Path, documents: dict[str, str], arguments: list[str], number: int, code: int
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        arguments = [word.replace("PORT", str(free.getsockname()[1])) for word in arguments]
    with held_in_the_middle(folder, documents, *arguments) as (process, said):
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    told = re.fullmatch(rf"{FOUND}(?:.*\n)*?{STOPPED}", said + err)
    assert (process.returncode, out, bool(told)) == (code, "", True), said + err
    assert told is not None
    known = kept(folder)
    assert KNOWN <= known <= KNOWN + BATCH
    assert int(told[1].replace(",", "")) in (KNOWN, KNOWN + BATCH)
    assert snapshots(folder) == []
    code, out, err = finished(folder, "sync")
    assert (code, f"300 documents, 3,000 passages, {known:,} of them embedded already." in err) == (0, True), err
    assert out.startswith("300 documents, 3000 passages, snapshot ")


def test_a_killed_build_leaves_the_former_index_and_the_next_run_goes_on_to_the_same_snapshot(folder: Path, documents: dict[str, str]) -> None:
    assert finished(folder, "sync")[0] == 0
    settings = load_settings(folder / "kb")
    home = index_home(folder / "kb", settings)
    complete = current_id(home)
    (folder / "index").rename(folder / "set aside")
    (folder / "kb/a").rename(folder / "rest")
    write_files(folder / "kb", dict([list(documents.items())[-1]]))
    assert finished(folder, "sync")[0] == 0
    former = current_id(home)
    assert former != complete
    for path in (folder / "index/embeddings").iterdir():
        path.unlink()
    shutil.rmtree(folder / "kb/a")
    (folder / "rest").rename(folder / "kb/a")
    with held_in_the_middle(folder, documents, "sync") as (process, _):
        process.kill()
        process.communicate(timeout=60)
    assert current_id(home) == former
    assert kept(folder) == KNOWN
    code, _, err = finished(folder, "sync")
    assert (code, f"{KNOWN:,} of them embedded already." in err) == (0, True), err
    assert current_id(home) == complete


def test_two_knowledge_bases_are_built_into_one_cache_at_once(folder: Path, documents: dict[str, str]) -> None:
    write_files(folder / "other", {source: text.replace("Part 1", "Part one") for source, text in documents.items()})
    both = [start(folder, "sync", name) for name in ("kb", "other")]
    assert [(process.communicate(timeout=120)[1].count("evidence:"), process.returncode) for process in both] == [(0, 0), (0, 0)]
    assert kept(folder) == CHUNKS + DOCUMENTS


def test_a_damaged_cache_costs_time_and_nothing_else(folder: Path) -> None:
    first = finished(folder, "sync")[:2]
    home = index_home(folder / "kb", load_settings(folder / "kb"))
    [path] = (folder / "index/embeddings").glob("*.sqlite")
    for content in (path.read_bytes()[:50_000], b"no database"):
        path.write_bytes(content)
        shutil.rmtree(home)  # what is in a snapshot is not looked up in the cache
        assert finished(folder, "sync")[:2] == first
        [path] = (folder / "index/embeddings").glob("*.sqlite")
        assert kept(folder) == CHUNKS
