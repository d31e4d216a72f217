"""Retrieval on labelled sets against what users would otherwise pick: `python -m tests.benchmarks.quality DIR... [--json]`.

Each folder is in the BEIR layout: `corpus.jsonl` (`_id`, `title`, `text`, optional `category` and `keywords`), `queries.jsonl` and
`qrels.trec`. The corpus is written as a knowledge base, synced with the real model, and every query with a relevant document is
asked; nDCG@10 and R@10 of dense alone, BM25 alone, their reciprocal rank fusion and ours, on the same passages in one run, and of
ours with something left out. `--set chunk_tokens=8192` does not split documents; `--half 1` or `2` takes every other query.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ir_measures

from engine import KnowledgeEngine, LookupResult, Settings
from tests.benchmarks.ours import Ours
from tests.benchmarks.peers import Peers, Ranking, ordered
from tests.benchmarks.retrieval_set import RetrievalSet, read_set, write_knowledge_base
from tests.benchmarks.shared import table

MEASURES = (ir_measures.nDCG @ 10, ir_measures.R @ 10)
RIVALS = ("dense", "bm25", "rrf")
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Filtering:
    """What the L0 filter did to the queries of a set with categories."""

    filtered: int  # queries whose first attempt was narrowed
    outcomes: dict[str, int]  # helped, nothing, rescued (by the retry), lost; of the filtered ones, by nDCG@10 against no filter
    excluding: int  # queries whose filter has none of the relevant documents
    excluding_share: float  # of all queries


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one set."""

    set: str
    documents: int
    passages: int
    queries: int
    rows: dict[str, dict[str, float]]
    filter: Filtering | None


def measure(folder: Path, overrides: Sequence[str], half: int | None, index: str) -> Row:
    """Write, sync and ask one set."""
    one = read_set(folder)
    queries = one.judged if half is None else one.judged[half - 1 :: 2]
    if not queries:
        raise SystemExit(f"{folder} has no query with a relevant document to ask; check qrels.trec")
    settings = Settings(index_dir=index).changed(dict(text.split("=", 1) for text in overrides))
    with tempfile.TemporaryDirectory() as scratch:
        ids = write_knowledge_base(one, Path(scratch) / "kb")
        with KnowledgeEngine.open(Path(scratch) / "kb", settings=settings) as engine:
            runs, results = ask(engine, settings, queries, ids)
            passages = engine.report().chunks
    per_query = {name: scores(one, queries, run) for name, run in runs.items()}
    rows = {name: {m: round(sum(values.values()) / len(queries), 4) for m, values in found.items()} for name, found in per_query.items()}
    ndcg = {name: found["nDCG@10"] for name, found in per_query.items()}
    filtering = what_filtering_did(one, results, ndcg) if one.has_categories else None
    return Row(one.name, len(one.documents), passages, len(queries), rows, filtering)


def ask(
    engine: KnowledgeEngine, settings: Settings, queries: Sequence[dict[str, Any]], ids: dict[str, str]
) -> tuple[dict[str, dict[str, Ranking]], dict[str, LookupResult]]:
    """Every ranking of every query, by the name of who ranked; and our results."""
    ours, peers = Ours(engine, settings, ids), Peers(engine._snapshot, ids)
    runs: dict[str, dict[str, Ranking]] = {}
    results: dict[str, LookupResult] = {}
    for query in queries:
        rankings, results[query["_id"]] = ours.rank(query["text"])
        for name, ranking in {**peers.rank(query["text"], engine._embedder.embed_query(query["text"])), **rankings}.items():
            runs.setdefault(name, {})[query["_id"]] = ranking
    return runs, results


def scores(one: RetrievalSet, queries: Sequence[dict[str, Any]], run: dict[str, Ranking]) -> dict[str, dict[str, float]]:
    """Each measure of each query."""
    relevant = {query["_id"]: one.relevant[query["_id"]] for query in queries}
    found: dict[str, dict[str, float]] = {str(m): dict.fromkeys(relevant, 0.0) for m in MEASURES}
    places = {query: {document: -float(place) for place, document in enumerate(ordered(ranking))} for query, ranking in run.items() if ranking}
    for value in ir_measures.iter_calc(list(MEASURES), relevant, places):
        found[str(value.measure)][value.query_id] = value.value
    return found


def what_filtering_did(one: RetrievalSet, results: dict[str, LookupResult], ndcg: dict[str, dict[str, float]]) -> Filtering:
    """Filtered queries by what became of them, and those whose filter shut every relevant document out."""
    category = {document["_id"]: document.get("category") for document in one.documents}
    chosen = {query: result.retrieval_trace.filter_decision.category for query, result in results.items()}
    filtered = [query for query, name in chosen.items() if name is not None]
    excluding = [query for query in filtered if all(category[document] != chosen[query] for document in one.relevant[query])]
    outcomes = Counter(_outcome(*(ndcg[name][query] for name in ("ours", "no L0 filter", "filter without retry"))) for query in filtered)
    named = {name: outcomes[name] for name in ("helped", "nothing", "rescued", "lost")}
    return Filtering(len(filtered), named, len(excluding), round(len(excluding) / len(results), 4))


def _outcome(ours: float, unfiltered: float, unretried: float) -> str:
    if ours < unfiltered - ROUNDING:
        return "lost"
    if unretried < unfiltered - ROUNDING:
        return "rescued"
    return "helped" if ours > unfiltered + ROUNDING else "nothing"


def main() -> None:
    """Measure every set and print a table a set with the means at the end, or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting")
    parser.add_argument("--half", type=int, choices=(1, 2), help="every other query: half 2 tuned the rules, half 1 did not")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in arguments.folders:
            rows.append(measure(folder, arguments.set, arguments.half, os.environ.get("EVIDENCE_INDEX_DIR") or scratch))
            if not arguments.json:
                print(_text(rows[-1]), flush=True)
    print(json.dumps([asdict(row) for row in rows]) if arguments.json else _means(rows))


def _text(row: Row) -> str:
    head = f"{row.set}: {row.documents:,} documents, {row.passages:,} passages, {row.queries:,} queries"
    best = max(row.rows[name]["nDCG@10"] for name in RIVALS)
    lines = [[name, *(f"{value:.4f}" for value in found.values()), f"{found['nDCG@10'] - best:+.4f}"] for name, found in row.rows.items()]
    text = f"{head}\n{table(['', *(str(m) for m in MEASURES), 'to best'], lines)}\n"
    if row.filter is not None:
        shares = ", ".join(f"{name} {count}" for name, count in row.filter.outcomes.items())
        shut = f"{row.filter.excluding} filters ({row.filter.excluding_share:.1%} of all queries) shut every relevant document out"
        text += f"L0 filter: {row.filter.filtered} of {row.queries} queries; {shares}; {shut}\n"
    return text


def _means(rows: Sequence[Row]) -> str:
    names = [name for name in rows[0].rows if all(name in row.rows for row in rows)]
    means = {name: sum(row.rows[name]["nDCG@10"] for row in rows) / len(rows) for name in names}
    lines = [[name, f"{mean:.4f}", f"{mean - means['rrf']:+.4f}"] for name, mean in means.items()]
    return f"mean of {len(rows)} sets\n{table(['', 'nDCG@10', 'to rrf'], lines)}"


if __name__ == "__main__":
    main()
