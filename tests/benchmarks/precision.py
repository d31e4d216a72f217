"""What documents in bfloat16 do to retrieval: `python -m tests.benchmarks.precision [SET...] [--json]`, five minutes on two cores.

Whole documents, cut where the model stops reading, ranked by the cosine of a query in float32; nDCG@10 of both precisions, and by how much a
similarity moves. On a CPU that does not compute in bfloat16 it is emulated, which is slow but gives the same answer.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
import numpy as np

from engine.index.embedding import BATCH
from engine.index.model_embedder import BUNDLED_MODEL, ModelEmbedder
from tests.benchmarks.retrieval_set import json_lines
from tests.benchmarks.shared import shared_folder, table

SETS = ("scifact", "cacm", "covid-faq")
DTYPES = ("float32", "bfloat16")
MEASURE = ir_measures.nDCG @ 10


@dataclass(frozen=True, slots=True)
class Row:
    """The effect on one set."""

    name: str
    documents: int
    queries: int
    ndcg: dict[str, float]
    largest_move: float  # of a similarity
    same_top: float  # share of queries with the same ten documents in the same order


def vectors(embedder: ModelEmbedder, texts: list[str]) -> np.ndarray:
    """Documents embedded in batches of equal lengths, as a sync does it, in the order given."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found = np.concatenate([embedder.embed_documents([texts[i] for i in order[start : start + BATCH]]) for start in range(0, len(order), BATCH)])
    return found[np.argsort(order)]


def measure(folder: Path) -> Row:
    """Rank the documents of a set for its queries in both precisions."""
    documents, queries = json_lines(folder / "corpus.jsonl"), json_lines(folder / "queries.jsonl")
    names = np.asarray([document["_id"] for document in documents])
    texts = [f"{document.get('title') or ''} {document['text']}".strip() for document in documents]
    embedders = {dtype: ModelEmbedder(BUNDLED_MODEL, dtype) for dtype in DTYPES}
    asked = np.stack([embedders["float32"].embed_query(query["text"]) for query in queries])
    cosines = {dtype: asked @ vectors(embedder, texts).T for dtype, embedder in embedders.items()}
    top = {dtype: np.argsort(-found, axis=1, kind="stable")[:, :10] for dtype, found in cosines.items()}
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.trec")))  # type: ignore[no-untyped-call]
    ndcg = {}
    for dtype, ranked in top.items():
        run = [
            ir_measures.ScoredDoc(query["_id"], str(names[place]), float(cosines[dtype][i, place]))
            for i, query in enumerate(queries)
            for place in ranked[i]
        ]
        ndcg[dtype] = round(ir_measures.calc_aggregate([MEASURE], qrels, run)[MEASURE], 4)
    move = float(np.abs(cosines["bfloat16"] - cosines["float32"]).max())
    same = float((top["bfloat16"] == top["float32"]).all(axis=1).mean())
    return Row(folder.name, len(documents), len(queries), ndcg, round(move, 5), round(same, 3))


def main() -> None:
    """Measure every set and print one table, or one JSON document."""
    names = [argument for argument in sys.argv[1:] if argument != "--json"] or list(SETS)
    rows = [measure(shared_folder("data", name)) for name in names]
    if "--json" in sys.argv[1:]:
        print(json.dumps([asdict(row) for row in rows]))
        return
    head = ["set", "documents", "queries", *(f"{MEASURE} {dtype}" for dtype in DTYPES), "largest move", "same ten"]
    print(table(head, [_cells(row) for row in rows]))


def _cells(row: Row) -> list[str]:
    figures = [*(f"{row.ndcg[dtype]:.4f}" for dtype in DTYPES), f"{row.largest_move:.4f}", f"{row.same_top:.1%}"]
    return [row.name, f"{row.documents:,}", f"{row.queries:,}", *figures]


if __name__ == "__main__":
    main()
