"""A healthy index that a test may damage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import IndexDamaged
from engine.index.embedding import HashEmbedder
from engine.index.home import current_id, index_home
from engine.index.snapshot import open_snapshot
from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.faults.changing import QUESTIONS
from tests.faults.shared import litter, no_building, release


def answers_of(engine: KnowledgeEngine) -> tuple[str, ...]:
    """The whole answers to the questions."""
    return tuple(engine.lookup_knowledge(question).canonical_json() for question in QUESTIONS)


@dataclass(frozen=True)
class Healthy:
    """An index of two snapshots, and what it answers."""

    kb: Path
    settings: Settings
    answers: tuple[str, ...]

    @property
    def home(self) -> Path:
        """The folder of the index."""
        return index_home(self.kb, self.settings)

    @property
    def snapshot(self) -> Path:
        """The folder of the newest snapshot."""
        return self.home / "snapshots" / str(current_id(self.home))

    @property
    def older(self) -> Path:
        """The folder of the other snapshot."""
        [folder] = [one for one in (self.home / "snapshots").iterdir() if one.is_dir() and one != self.snapshot]
        return folder

    def files(self) -> list[str]:
        """The names of the files of a snapshot that have a content."""
        return sorted(path.name for path in self.snapshot.iterdir() if path.stat().st_size)

    def refusal(self) -> str:
        """The message with which the index is refused; empty when it is not."""
        try:
            release(open_snapshot(self.home, HashEmbedder.fingerprint))
        except IndexDamaged as refused:
            return str(refused)
        return ""

    def expect_refusal_and_healing(self, *words: str) -> None:
        """The index is refused with a message that has the words and names the command that repairs it; then it is healed."""
        told = self.refusal()
        missing = [word for word in (*words, "evidence sync") if word not in told]
        self.expect_healing()
        assert (missing, told) == ([], told)

    def expect_healing(self) -> None:
        """An engine builds the snapshot again and answers as before; the next one just opens it."""
        with KnowledgeEngine.open(self.kb, settings=self.settings) as engine:
            assert answers_of(engine) == self.answers
        KnowledgeEngine.open(self.kb, settings=self.settings, progress=no_building).close()
        assert litter(self.home) == []


def flip(path: Path) -> None:
    """Turn one bit of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
