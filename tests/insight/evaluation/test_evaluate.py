"""Golden questions through the real pipeline, with values that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from pathlib import Path
from typing import Any

import pytest

from engine import BadInput, EvaluationRun, KnowledgeEngine
from engine.insight.evaluation.evaluate import evaluate
from engine.progress import no_progress
from engine.settings import Settings
from tests.insight.evaluation.golden import FILES, case
from tests.knowledge_base import hash_settings, open_engine, write_files

CASES = (
    case("old logs fill the disk", "runbooks/disk.md#disk/cause", must_not=("runbooks/disk.md#disk/mitigation",)),
    case("restart the consumer of the queue", "runbooks/disk.md", "runbooks/queue.md#queue/mitigation", split="test"),
    case("restart the queue consumer", "runbooks/queue.md", scope=("category=policies",)),
    case("quantum chromodynamics", split="test"),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    with open_engine(tmp_path_factory.mktemp("evaluate"), FILES) as opened:
        yield opened


@pytest.fixture(scope="module")
def run(engine: KnowledgeEngine) -> EvaluationRun:
    return engine.evaluate(cases=CASES)


def test_each_question_has_its_outcome_in_the_order_of_the_cases(run: EvaluationRun) -> None:
    first, second, scoped, nothing = run.outcomes
    assert [one.id for one in run.outcomes] == [one.id for one in CASES]
    assert (first.measures, first.first_rank, first.first_found) == ({"nDCG@10": 1.0, "R@5": 1.0, "RR@10": 1.0, "P@1": 1.0}, 1, "runbooks/disk.md")
    assert (first.packed, first.found, first.reason_code.value) == (True, True, "found")
    assert (second.first_rank, second.measures["P@1"], second.measures["R@5"]) == (1, 1.0, 1.0)
    assert (scoped.first_rank, scoped.measures["nDCG@10"], scoped.packed, scoped.found) == (None, 0.0, False, False)
    assert (nothing.measures, nothing.packed, nothing.found, nothing.relevance_level.value) == ({}, None, False, "none")


def test_what_misleads_stands_before_what_is_expected_at_a_relevance_that_is_trusted(engine: KnowledgeEngine) -> None:
    cause, mitigation = "runbooks/disk.md#disk/cause", "runbooks/disk.md#disk/mitigation"
    question = "old logs fill the disk"  # the cause comes first
    cases = [
        case(question, cause, must_not=(mitigation,), id="behind"),
        case(question, mitigation, must_not=(cause,), id="before"),
        case(question, must_not=(mitigation,), id="unanswerable"),
    ]
    run = engine.evaluate(cases=cases)
    assert [one.violations for one in run.outcomes] == [(), (cause,), (mitigation,)]
    assert [one.packed_must_not for one in run.outcomes] == [(mitigation,), (cause,), (mitigation,)]
    assert (run.estimates["must_not_packed"].mean, run.estimates["must_not_packed"].questions) == (1.0, 3)
    assert (run.estimates["must_not"].mean, run.estimates["must_not"].questions) == (0.666667, 3)
    distrustful = engine.with_settings(engine.settings.changed({"medium_threshold": 1.0, "high_threshold": 1.0})).evaluate(cases=cases)
    assert [(one.found, one.relevance_level.value, one.violations) for one in distrustful.outcomes] == [(True, "low", ())] * 3


def test_the_measures_agree_with_the_result_of_a_lookup(engine: KnowledgeEngine, run: EvaluationRun) -> None:
    result = engine.lookup_knowledge(CASES[1].question)
    ranked = [entry.chunk_id for entry in result.rerank_trace.entries]
    assert ranked[0] == "runbooks/queue.md#queue/mitigation~1"
    disk = next(rank for rank, name in enumerate(ranked, start=1) if name.startswith("runbooks/disk.md"))
    assert run.outcomes[1].measures["nDCG@10"] == pytest.approx((1 + 1 / log2(disk + 1)) / (1 + 1 / log2(3)), abs=1e-6)
    shown = result.retrieval_trace.attempts[-1]
    assert (run.outcomes[1].top_similarity, run.outcomes[1].relevance_level) == (shown.top_similarity, result.relevance_level)


def test_a_split_is_asked_alone(engine: KnowledgeEngine, run: EvaluationRun) -> None:
    test = engine.evaluate("test", CASES)
    assert ([one.id for one in test.outcomes], test.split) == (["restart the consumer of the queue", "quantum chromodynamics"], "test")
    assert test.outcomes == (run.outcomes[1], run.outcomes[3])
    assert test.estimates["refused_unanswerable"].questions == 1


def test_equal_evaluations_are_equal_byte_for_byte_and_others_have_another_id(engine: KnowledgeEngine, run: EvaluationRun) -> None:
    assert engine.evaluate(cases=CASES).model_dump_json() == run.model_dump_json()
    assert EvaluationRun.model_validate_json(run.model_dump_json()) == run
    others = [engine.evaluate(cases=CASES[:3]), engine.with_settings(engine.settings.changed({"max_blocks": 1})).evaluate(cases=CASES)]
    assert len({run.run_id, *(other.run_id for other in others)}) == 3
    assert others[1].cases_digest == run.cases_digest != others[0].cases_digest


def test_the_settings_of_a_run_are_those_of_the_user(engine: KnowledgeEngine, run: EvaluationRun) -> None:
    assert (run.settings_fingerprint, run.snapshot_id) == (engine.settings.fingerprint, engine.report().snapshot_id)
    assert (run.settings["trace_candidates"], run.settings["rule_weights.title"]) == (20, 0.4)
    assert "index_dir" not in run.settings


def test_settings_that_a_case_pins_belong_to_its_demonstration(engine: KnowledgeEngine, run: EvaluationRun) -> None:
    pinned = [one.model_copy(update={"settings": {"evidence_floor": 0.99}}) for one in CASES]
    assert engine.evaluate(cases=pinned) == run


def test_the_whole_ranking_is_measured_whatever_the_trace_keeps(tmp_path: Path) -> None:
    files = {f"notes/{at:03}.md": f"# Note\n\nPump seal leak {'alpha ' * (at // 25)}\n" for at in range(250)}
    with open_engine(tmp_path, files, trace_candidates=1, candidate_count=250) as opened:
        [one] = opened.evaluate(cases=[case("pump seal leak", "notes/249.md")]).outcomes
    assert one.first_rank == 250


def test_packed_means_that_a_line_of_it_is_in_the_context(tmp_path: Path) -> None:
    lines = [f"pump seal {'zeta ' * 10}{f'w{at} ' * 10}" for at in range(6)]
    names = [f"a.md#pump~{piece}" for piece in range(1, 7)]
    with open_engine(tmp_path, {"a.md": "# Pump\n\n" + "\n\n".join(lines)}, chunk_tokens=32, budget_tokens=172) as opened:
        result = opened.lookup_knowledge("pump seal zeta w0")
        outcomes = opened.evaluate(cases=[case("pump seal zeta w0", name, id=name) for name in names]).outcomes
        [banned] = opened.evaluate(cases=[case("pump seal zeta w0", must_not=names)]).outcomes
    assert [list(block.chunk_ids) for block in result.evidence_blocks] == [names]
    assert [(item.truncated, item.lines.end) for item in result.context_pack.included] == [(True, 7)]
    assert [one.packed for one in outcomes] == [True, True, True, False, False, False]
    assert banned.packed_must_not == tuple(names[:3])


@pytest.mark.parametrize(
    ("cases", "split", "sentence"),
    [
        ((), None, "there are no golden questions to ask; write some into cases.yaml beside the documents"),
        (CASES[:1], "test", "none of the 1 golden questions is in the split test; mark some with `split: test`, or ask all"),
        ((case(" ", "runbooks/disk.md", id="blank"),), None, "case blank: the question is blank; write what you want to know"),
        ((case("q", scope=("catagory=x",)),), None, "case q: unknown scope field 'catagory'"),
        ((case("q", "runbooks/dsk.md"),), None, "case q expects 'runbooks/dsk.md', which is not in the index; did you mean runbooks/disk.md?"),
    ],
)
def test_what_cannot_be_measured_is_bad_input_and_never_zeros(engine: KnowledgeEngine, cases: Any, split: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as failure:
        engine.evaluate(split, cases)
    assert str(failure.value).startswith(sentence)


def test_an_empty_knowledge_base_is_one_sentence_and_no_wall_of_zeros(tmp_path: Path) -> None:
    with open_engine(tmp_path, {}) as empty, pytest.raises(BadInput, match="the knowledge base has no text, so no question can be measured; add"):
        empty.evaluate(cases=CASES)


def test_progress_is_told_and_what_it_raises_ends_the_work(engine: KnowledgeEngine) -> None:
    told: list[tuple[str, int, int]] = []
    engine.evaluate(cases=CASES, progress=lambda *step: told.append(step))
    assert told == [("evaluate", done, 4) for done in range(5)]

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.evaluate(cases=CASES, progress=stop)


def test_a_run_stays_with_one_snapshot_while_the_engine_moves_on(tmp_path: Path) -> None:
    with open_engine(tmp_path, FILES) as reader, open_engine(tmp_path, FILES) as writer:
        alone = reader.evaluate(cases=CASES)

        def move(stage: str, done: int, total: int) -> None:
            if done == 1:
                write_files(tmp_path / "kb", {"runbooks/disk.md": "# Tape\n\nGreen lever.\n"})
                writer.sync()
                assert reader.refresh()

        assert reader.evaluate(cases=CASES, progress=move) == alone
        assert reader.report().snapshot_id != alone.snapshot_id


def test_the_cases_of_the_folder_are_asked_unless_others_are_given(tmp_path: Path) -> None:
    files = {**FILES, "cases.yaml": "- {id: a, question: delete old logs, expected: [runbooks/disk.md]}\n"}
    write_files(tmp_path, {"other.yaml": "- {id: b, question: ask your lead, expected: [policies/leave.md]}\n"})
    with open_engine(tmp_path, files) as opened:
        assert [one.id for one in opened.evaluate().outcomes] == ["a"]
        assert [one.id for one in opened.evaluate(cases=opened.cases(tmp_path / "other.yaml")).outcomes] == ["b"]
        with pytest.raises(BadInput, match=r"there is no file .*none\.yaml; give a file of golden questions"):
            opened.cases(tmp_path / "none.yaml")
        assert opened.cases(str(tmp_path / "other.yaml")) == opened.cases(tmp_path / "other.yaml")


def test_a_lookup_of_an_evaluation_is_no_record_for_the_sinks(tmp_path: Path) -> None:
    records: list[object] = []
    settings: Settings = hash_settings(tmp_path / "index")
    with KnowledgeEngine.open(write_files(tmp_path / "kb", FILES), settings=settings, sinks=(records.append,)) as opened:
        by_hand = evaluate(CASES, settings, opened._snapshot, opened._embedder, None, no_progress)
        assert opened.evaluate(cases=CASES) == by_hand
    assert records == []
