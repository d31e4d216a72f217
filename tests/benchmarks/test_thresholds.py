"""The benchmark of the default thresholds, on a set of a few documents with the bundled model, which is what it is about."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.settings import THRESHOLDS
from tests.benchmarks.test_retrieval_set import write_set
from tests.benchmarks.thresholds import main, similarities

DOCUMENTS = [
    {"_id": "kettle", "title": "Copper kettle", "text": "The copper kettle whistles on the stove."},
    {"_id": "lamp", "title": "", "text": "A brass lamp shines over the kitchen table."},
    {"_id": "empty", "title": "", "text": ""},
]
QUERIES = {
    "q1": "What whistles on the stove?",
    "q2": "Which lamp shines over the table?",
    "none": "How is a company taxed?",
    "nought": "When does the train to Vienna leave?",
    "blank": "  ",
}
GRADES = [("q1", "kettle", 1), ("q2", "lamp", 1), ("nought", "kettle", 0)]

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("sets") / "tiny", DOCUMENTS, QUERIES, GRADES)


def test_queries_with_a_relevant_document_are_answerable_and_blank_ones_are_not_asked(folder: Path, tmp_path: Path) -> None:
    answerable, unanswerable = similarities(folder, str(tmp_path))
    assert (answerable.shape, unanswerable.shape) == ((2,), (2,))
    assert 0 <= unanswerable.max() < answerable.min() <= 1


def test_every_set_counts_alike(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    other = write_set(tmp_path / "other", DOCUMENTS, {"q": QUERIES["q1"], "n": QUERIES["none"]}, [("q", "kettle", 1)])
    monkeypatch.setattr(sys, "argv", ["thresholds", str(folder), str(other)])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["set", "answerable", "unanswerable", "1%", "5%", "25%", "50%"]
    assert [line.split()[:3] for line in lines[1:3]] == [["tiny", "2", "2"], ["other", "1", "1"]]
    answerable, _ = similarities(folder, str(tmp_path / "index"))
    assert lines[1].split()[3:] == [f"{np.quantile(answerable, share):.3f}" for share in (0.01, 0.05, 0.25, 0.5)]
    assert [line.split(" = ")[0] for line in lines[3:]] == list(THRESHOLDS)


def test_json_has_the_thresholds_in_rising_order_with_their_reasons(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["thresholds", str(folder), "--json"])
    main()
    printed = json.loads(capsys.readouterr().out)
    assert sorted(printed) == ["reasons", "thresholds"]
    assert list(printed["thresholds"]) == list(printed["reasons"]) == list(THRESHOLDS)
    values = list(printed["thresholds"].values())
    assert values == sorted(values)
    answerable, unanswerable = similarities(folder, str(tmp_path))
    assert unanswerable.max() <= values[0] <= answerable.min()
