"""Calibration through the real pipeline: the best similarity of each question, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import BadInput, Calibration, KnowledgeEngine
from engine.insight.calibration.calibrate import calibrate
from tests.insight.evaluation.golden import FILES, case
from tests.knowledge_base import WordVectorsModelTokens, open_bench, open_engine

GOOD = [case("delete old logs when the disk is full", "runbooks/disk.md", split="test"), case("ask your lead", "policies/leave.md")]
BAD = [case("quantum chromodynamics"), case("full moon over the queue", split="test")]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    with open_engine(tmp_path_factory.mktemp("calibrate"), FILES) as opened:
        yield opened


def best(engine: KnowledgeEngine, question: str) -> float:
    open_settings = {"use_l0_filter": False, "evidence_floor": 0, "reference_threshold": 0, "exact_terms_waive_floor": False}
    view = engine.with_settings(engine.settings.changed(open_settings))
    return max((block.similarity for block in view.lookup_knowledge(question).evidence_blocks), default=0.0)


def test_the_curve_is_that_of_the_best_similarities(engine: KnowledgeEngine) -> None:
    found = engine.calibrate([*GOOD, *BAD])
    assert (found.answerable, found.unanswerable, found.embedding_model, found.snapshot_id) == (2, 2, "hash", engine.report().snapshot_id)
    assert [point.threshold for point in found.curve] == [at / 100 for at in range(101)]
    good, bad = ([best(engine, one.question) for one in cases] for cases in (GOOD, BAD))
    assert min(good) > 0.3 and max(bad) > 0
    for point in found.curve:
        assert point.answerable_below == sum(one < point.threshold for one in good) / 2
        assert point.unanswerable_below == sum(one < point.threshold for one in bad) / 2


def test_the_thresholds_in_force_change_nothing_but_are_shown_beside(engine: KnowledgeEngine) -> None:
    found = engine.calibrate([*GOOD, *BAD])
    strict = {"evidence_floor": 0.9, "reference_threshold": 0.95, "medium_threshold": 0.95, "high_threshold": 0.95}
    again = engine.with_settings(engine.settings.changed(strict)).calibrate([*GOOD, *BAD])
    assert again.model_copy(update={"present": found.present}) == found
    assert again.present == strict
    assert Calibration.model_validate_json(found.model_dump_json()) == found


def test_few_questions_are_warned_of_and_so_are_questions_that_cannot_be_told_apart(engine: KnowledgeEngine) -> None:
    assert engine.calibrate([*GOOD, *BAD]).warnings == (
        "there are only 2 answerable questions; trust it from 20 on",
        "there are only 2 unanswerable questions; trust it from 20 on",
    )
    swapped = [one.model_copy(update={"answerable": not one.answerable, "expected": ()}) for one in [*GOOD, *BAD] * 10]
    assert engine.calibrate(swapped).warnings == ("answerable questions find nothing nearer than unanswerable ones; no threshold tells them apart",)


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        ([], "there are no golden questions to ask"),
        (GOOD, "there is no unanswerable question to calibrate with; add some with `answerable: false` to the cases"),
        (BAD, "there is no answerable question to calibrate with; add some with `answerable: true` to the cases"),
    ],
)
def test_one_kind_of_question_is_not_enough(engine: KnowledgeEngine, cases: list[object], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        engine.calibrate(cases)  # type: ignore[arg-type]


def test_a_split_may_be_calibrated_alone_and_progress_is_told(engine: KnowledgeEngine) -> None:
    told: list[tuple[str, int, int]] = []
    found = engine.calibrate([*GOOD, *BAD], lambda *step: told.append(step), split="test")
    assert (found.answerable, found.unanswerable) == (1, 1)
    assert told == [("evaluate", done, 2) for done in range(3)]


def test_a_question_that_the_model_cannot_read_is_left_out(tmp_path: Path) -> None:
    bench = open_bench(tmp_path, FILES, WordVectorsModelTokens())
    unreadable = [case("扫描枪无法连接仓库网络怎么办", "policies/leave.md"), case("扫描枪的保修期是几年")]
    found = calibrate([*GOOD, *BAD, *unreadable], bench.settings, bench.snapshot, bench.embedder)
    assert (found.answerable, found.unanswerable) == (2, 2)
    assert found.warnings[-1] == "2 of the questions have no word or cannot be read by the model; refused in any case, they were left out"
    assert found.thresholds == calibrate([*GOOD, *BAD], bench.settings, bench.snapshot, bench.embedder).thresholds
    with pytest.raises(BadInput, match="reads no question of one kind"):
        calibrate([GOOD[0], unreadable[1]], bench.settings, bench.snapshot, bench.embedder)


def test_the_vectors_are_searched_even_where_the_settings_say_otherwise(engine: KnowledgeEngine) -> None:
    without = engine.with_settings(engine.settings.changed({"use_l1": False}))
    assert without.calibrate([*GOOD, *BAD]).thresholds == engine.calibrate([*GOOD, *BAD]).thresholds
