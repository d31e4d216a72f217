"""A syncing process is killed at any moment: what opens afterwards is the old state or the new one.

With FAULTS=full 200 moments, and every operation on files that Python makes (those inside of DuckDB, SQLite and usearch are met by the moments);
without it some of them.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from engine.index.home import index_home
from engine.knowledge_engine import KnowledgeEngine
from engine.settings import Settings
from tests.faults.changing import KINDS, MIXED, QUESTIONS, first_state, next_state
from tests.faults.killing import DONE, is_writing, kill, kill_before_operation, operations, spread, step_lengths
from tests.faults.shared import FULL, Content, clean_content, content, litter, move, snapshot_names
from tests.knowledge_base import hash_settings, write_files

KILLS = 40 if FULL else 3  # of each kind: 200 in all
DOCUMENTS = 16


class Base:
    """A knowledge base that goes from state to state, with its index, and what a clean build of each state contains."""

    def __init__(self, folder: Path, kind: str, seed: int) -> None:
        self.folder, self.kind, self.random = folder, kind, Random(f"{kind} {seed}")
        self.files = first_state(DOCUMENTS + (4 * KILLS if kind == "delete" else 0))
        self.kb = write_files(folder / "kb", self.files)
        self.settings = hash_settings(folder / "index")
        self.version = 0
        self.old = self.new = self._clean()
        KnowledgeEngine.open(self.kb, settings=self.settings).close()

    def change(self) -> None:
        """Go to the next state on disk, and build it in another place."""
        self.version += 1
        after = next_state(self.files, self.kind, self.version, self.random)
        move(self.kb, self.files, after)
        self.files, self.old, self.new = after, self.new, self._clean()

    def _clean(self) -> Content:
        settings = hash_settings(self.folder / "clean")
        shutil.rmtree(index_home(self.kb, settings), ignore_errors=True)
        return clean_content(self.kb, settings, QUESTIONS)

    def outcome(self, settings: Settings | None = None) -> str:
        """Whether what opens now is the old state or the new one; anything else is no outcome."""
        found = content(self.kb, settings or self.settings, QUESTIONS)
        differences = {"new": found.differences(self.new), "old": found.differences(self.old)}
        same = [name for name, parts in differences.items() if not parts]
        assert same, differences
        return same[0]

    def complete(self, settings: Settings | None = None) -> None:
        """The next sync ends well, in the new state, and leaves nothing behind."""
        chosen = settings or self.settings
        with KnowledgeEngine.open(self.kb, settings=chosen) as engine:
            assert engine.sync().snapshot_id == self.new.snapshot_id
        home = index_home(self.kb, chosen)
        assert (self.outcome(chosen), litter(home)) == ("new", [])
        assert len(snapshot_names(home)) <= chosen.keep_snapshots


@pytest.mark.parametrize("kind", [*KINDS, MIXED])
def test_a_killed_sync_leaves_the_old_state_or_the_new_one(tmp_path: Path, kind: str, record_property: Callable[[str, object], None]) -> None:
    base = Base(tmp_path, kind, seed=KILLS)
    base.change()
    lengths = step_lengths(base.kb, base.settings)
    base.complete()
    fallen: Counter[tuple[str, str]] = Counter()
    while fallen.total() - _with_nothing_to_do(fallen) < KILLS or not {"old", "new"} <= {outcome for _, outcome in fallen}:
        base.change()
        outcome = "old"
        for _ in range(base.random.choice((1, 1, 1, 2))):  # sometimes the sync after a kill is killed, too
            step = kill(base.kb, base.settings, spread(base.random, lengths, fallen.total()))
            former, outcome = outcome, base.outcome()
            assert (former, outcome) != ("new", "old"), step
            if step != DONE:  # too late is no kill of a sync
                fallen[step, "new before" if former == "new" else outcome] += 1
        base.complete()
        assert base.version < 4 * KILLS, fallen  # the machine is not so slow that most kills come too late
    record_property("fallen", dict(sorted((" ".join(key), count) for key, count in fallen.items())))
    print(kind, sorted(fallen.items()))
    assert sum(count for (step, _), count in fallen.items() if is_writing(step)) >= KILLS // 3, fallen


def _with_nothing_to_do(fallen: Counter[tuple[str, str]]) -> int:
    return sum(count for (_, outcome), count in fallen.items() if outcome == "new before")


def test_a_sync_that_dies_before_any_of_its_file_operations_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    base = Base(tmp_path, MIXED, seed=0)
    for _ in range(base.settings.keep_snapshots - 1):
        base.change()
        base.complete()  # so that the next sync has an old snapshot to remove
    base.change()
    index = tmp_path / "index"
    shutil.copytree(index, tmp_path / "copy")
    last = operations(base.kb, hash_settings(tmp_path / "copy"))
    outcomes = {}
    for number in range(last, 0, -1 if FULL else -max(1, last // 5)):
        shutil.rmtree(tmp_path / "copy")
        shutil.copytree(index, tmp_path / "copy")
        settings = hash_settings(tmp_path / "copy")
        operation = kill_before_operation(base.kb, settings, number)
        outcomes[f"{number} {operation}"] = base.outcome(settings)
        base.complete(settings)
    in_order = list(reversed(outcomes.values()))
    assert in_order == sorted(in_order, reverse=True), outcomes  # once it is new, it stays new
    assert set(in_order) == {"old", "new"}, outcomes
