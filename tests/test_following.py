"""A real `evidence sync --watch` process: it sees what happens to the folder, says it in a line, and ends when it is told to."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO

import pytest

from engine.contracts.reports import SyncReport
from engine.index.home import current_id, index_home
from engine.knowledge_engine import KnowledgeEngine
from engine.settings_sources import load_settings
from tests.knowledge_base import write_files
from tests.test_stopping import finished, start

PATIENCE = 90  # seconds; a machine that does something else must not fail a test
FILES = {"runbooks/disk.md": "# Disk\n\nDelete old logs.\n", "policies/leave.md": "# Leave\n\nAsk your lead.\n"}
COUNTS = r"(\d+) documents, (\d+) passages, snapshot [0-9a-f]{16}"
STOPPED = "evidence: stopped; kb is not followed any more, its index stays as it is"


class Follower:
    """A process with the lines that it says, as they come; None after the last."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = start(folder, "sync", "kb", "--watch", *arguments)
        self.said: Queue[str | None] = Queue()
        self.complained: Queue[str | None] = Queue()
        pairs = ((self.process.stdout, self.said), (self.process.stderr, self.complained))
        self._readers = [Thread(target=self._read, args=pair) for pair in pairs]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: IO[str], lines: Queue[str | None]) -> None:
        with stream:
            for line in stream:
                lines.put(line.rstrip("\n"))
        lines.put(None)

    def until(self, pattern: str, lines: Queue[str | None]) -> list[str]:
        """All lines up to the first that matches."""
        found: list[str] = []
        while not found or not re.fullmatch(pattern, found[-1]):
            try:
                line = lines.get(timeout=PATIENCE)
            except Empty:
                line = None
            if line is None:
                pytest.fail(f"no line like {pattern!r} after {found}")
            found.append(line)
        return found

    def end(self, number: int) -> tuple[int, list[str], list[str]]:
        """Exit code and the lines that had not been taken."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        return code, self._rest(self.said), self._rest(self.complained)

    @staticmethod
    def _rest(lines: Queue[str | None]) -> list[str]:
        found = []
        while (line := lines.get(timeout=PATIENCE)) is not None:
            found.append(line)
        return found

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVIDENCE_EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.delenv("EVIDENCE_KB", raising=False)
    write_files(tmp_path / "kb", FILES)
    return tmp_path


@pytest.fixture
def follow(folder: Path) -> Iterator[Callable[..., Follower]]:
    begun: list[Follower] = []

    def begin(*arguments: str) -> Follower:
        begun.append(Follower(folder, *arguments))
        return begun[-1]

    yield begin
    for one in begun:
        one.close()


def found(folder: Path, query: str) -> bool:
    """Whether another process would find it in the index as it is."""
    with KnowledgeEngine.open(folder / "kb") as engine:
        return any(block.content for block in engine.lookup_knowledge(query).evidence_blocks if query in block.content)


def test_each_change_is_in_the_index_and_said_in_one_line(folder: Path, follow: Callable[..., Follower]) -> None:
    kb, follower = folder / "kb", follow()
    first = follower.until("Ask it: .*", follower.said)
    assert first[0].startswith("2 documents, 2 passages, snapshot ")
    write_files(kb, {"runbooks/disk.md": "# Disk\n\nThrow the purple lever.\n"})
    assert len(follower.until(rf"1 changed \(runbooks/disk\.md\): {COUNTS}", follower.said)) == 1
    assert found(folder, "Throw the purple lever")
    (kb / "policies/leave.md").touch()  # saved as it was: nothing is said, as the next line shows
    write_files(kb, {f"new/{i}.md": f"# New {i}\n\nText {i}.\n" for i in range(5)})
    lines = follower.until(r"\d added .*: 7 documents, 7 passages, snapshot .*", follower.said)
    assert re.fullmatch(r"5 added \(new/0\.md, new/1\.md, new/2\.md and 2 more\): .*", lines[0])
    (kb / "new/0.md").unlink()
    follower.until(rf"1 deleted \(new/0\.md\): {COUNTS}", follower.said)
    (kb / "new/1.md").rename(kb / "new/one.md")
    follower.until(rf"1 added \(new/one\.md\), 1 deleted \(new/1\.md\): {COUNTS}", follower.said)
    (kb / "new/latin.md").write_bytes("Müll".encode("latin-1"))
    follower.until(rf"no document changed: {COUNTS}\. Look at new/latin\.md: line 1 is not UTF-8; save the file as UTF-8", follower.said)
    code, said, complained = follower.end(signal.SIGINT)
    assert (code, said) == (130, [])
    found_first = "Embedding passages: 2 documents, 2 passages."
    assert complained == ["Reading files", "Cutting documents", found_first, "Writing the index", STOPPED]  # of the later syncs nothing
    with KnowledgeEngine.open(kb) as engine:
        assert engine.freshness().fresh


def test_json_is_one_report_a_line_and_sigterm_ends_it(folder: Path, follow: Callable[..., Follower]) -> None:
    follower = follow("--json")
    first = SyncReport.model_validate_json(follower.until(".*", follower.said)[0])
    assert (first.documents, first.indexed) == (2, ("policies/leave.md", "runbooks/disk.md"))
    write_files(folder / "kb", {"new.md": "# New\n\nText.\n"})
    second = json.loads(follower.until(".*", follower.said)[0])
    assert second["indexed"] == ["new.md", "policies/leave.md", "runbooks/disk.md"]
    assert second["snapshotId"] == current_id(index_home(folder / "kb", load_settings(folder / "kb")))
    code, said, complained = follower.end(signal.SIGTERM)
    assert (code, said, complained[-1]) == (143, [], STOPPED)


def test_a_knowledge_base_that_goes_away_is_one_sentence_and_its_return_is_a_change(folder: Path, follow: Callable[..., Follower]) -> None:
    follower = follow()
    follower.until("Ask it: .*", follower.said)
    shutil.rmtree(folder / "kb")
    gone = "evidence: there is no knowledge base at kb; give a folder of Markdown files with --kb PATH"
    follower.until(re.escape(gone), follower.complained)
    write_files(folder / "new", {"runbooks/disk.md": "# Disk\n\nThrow the purple lever.\n"})
    (folder / "new").rename(folder / "kb")
    follower.until(rf"1 changed \(runbooks/disk\.md\), 1 deleted \(policies/leave\.md\): {COUNTS}", follower.said)
    code, _, complained = follower.end(signal.SIGINT)
    assert (code, complained) == (130, [STOPPED])


def test_an_index_that_cannot_be_written_is_said_once_and_the_sync_is_made_up_for(folder: Path, follow: Callable[..., Follower]) -> None:
    follower = follow()
    follower.until("Ask it: .*", follower.said)
    home = index_home(folder / "kb", load_settings(folder / "kb"))
    home.rename(folder / "aside")
    home.write_text("in the way")
    for text in ("first", "second"):
        write_files(folder / "kb", {"runbooks/disk.md": f"# Disk\n\nThe {text} text.\n"})
        if text == "first":
            follower.until(r"evidence: the index cannot be written to .*", follower.complained)
    home.unlink()
    (folder / "aside").rename(home)
    follower.until(rf"1 changed \(runbooks/disk\.md\): {COUNTS}", follower.said)  # without another edit
    assert found(folder, "The second text")
    code, _, complained = follower.end(signal.SIGINT)
    assert (code, complained) == (130, [STOPPED])


def test_an_index_in_a_hidden_folder_of_the_knowledge_base_does_not_wake_it(
    folder: Path, follow: Callable[..., Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(folder / "kb/.index"))
    follower = follow()
    follower.until("Ask it: .*", follower.said)
    write_files(folder / "kb", {"new.md": "# New\n\nText.\n"})
    follower.until(rf"1 added \(new\.md\): {COUNTS}", follower.said)
    write_files(folder / "kb", {"last.md": "# Last\n\nText.\n"})
    assert len(follower.until(rf"1 added \(last\.md\): {COUNTS}", follower.said)) == 1
    code, said, _ = follower.end(signal.SIGINT)
    assert (code, said) == (130, [])


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["nowhere"], 2, "evidence: there is no knowledge base at nowhere; give a folder of Markdown files with --kb PATH\n"),
        (["kb", "--set", "index_dir=kb/index"], 2, "evidence: index_dir kb/index lies inside of the knowledge base; give a folder outside of it\n"),
        (["kb", "--set", "index_dir=taken"], 3, "evidence: the index cannot be written to "),
    ],
)
def test_what_cannot_begin_ends_as_any_sync(folder: Path, arguments: list[str], code: int, sentence: str) -> None:
    (folder / "taken").write_text("a file")
    ended, out, err = finished(folder, "sync", *arguments, "--watch")
    assert (ended, out, err.startswith(sentence), err.count("\n")) == (code, "", True, 1)
