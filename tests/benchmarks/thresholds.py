"""The default thresholds of the bundled model: `python -m tests.benchmarks.thresholds DIR... [--json]`, five minutes on two cores.

The best similarity of every query is taken as `evidence calibrate` takes it, on folders in the BEIR layout; a query without a
relevant document is unanswerable. Of the answerable queries each set counts alike, by as many quantiles as any other; the unanswerable
ones are taken together.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np

from engine import KnowledgeEngine, Settings
from engine.contracts.reports import Case
from engine.insight.calibration.calibrate import best_similarities, calibration
from engine.insight.evaluation.targets import Question
from tests.benchmarks.retrieval_set import read_set, write_knowledge_base
from tests.benchmarks.shared import table

QUANTILES = (np.arange(300) + 0.5) / 300
SHOWN = (0.01, 0.05, 0.25, 0.5)


def similarities(folder: Path, index: str) -> tuple[np.ndarray, np.ndarray]:
    """The best similarities of the answerable and of the unanswerable queries of a set."""
    one = read_set(folder)
    settings = Settings(index_dir=index)
    questions = [Question(Case(id=query["_id"], question=query["text"]), (), ()) for query in one.queries if query["text"].strip()]
    with tempfile.TemporaryDirectory() as scratch:
        write_knowledge_base(one, Path(scratch) / "kb")
        with KnowledgeEngine.open(Path(scratch) / "kb", settings=settings) as engine:
            best = best_similarities(questions, settings, engine._snapshot, engine._embedder)
    answerable = np.asarray([question.case.id in one.relevant for question in questions])
    readable = ~np.isnan(best)
    return best[answerable & readable], best[~answerable & readable]


def main() -> None:
    """Measure every set, print its quantiles, and the thresholds that the sets together give."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = {folder.name: similarities(folder, os.environ.get("EVIDENCE_INDEX_DIR") or scratch) for folder in arguments.folders}
    good = np.concatenate([np.quantile(answerable, QUANTILES) for answerable, _ in found.values() if len(answerable)])
    bad = np.concatenate([unanswerable for _, unanswerable in found.values()])
    together = calibration(good, bad, Settings(), "several")
    if arguments.json:
        print(json.dumps({"thresholds": together.thresholds, "reasons": together.reasons}))
        return
    quantiles = {name: [f"{np.quantile(a, share):.3f}" if len(a) else "" for share in SHOWN] for name, (a, _) in found.items()}
    rows = [[name, f"{len(a)}", f"{len(u)}", *quantiles[name]] for name, (a, u) in found.items()]
    print(table(["set", "answerable", "unanswerable", *(f"{share:.0%}" for share in SHOWN)], rows))
    for name, value in together.thresholds.items():
        print(f"{name} = {value}  # {together.reasons[name]}")


if __name__ == "__main__":
    main()
