"""Our chunks against a plain splitter on 472 questions with exact answer spans: `python -m tests.benchmarks.chunking [--json]`.

The set-up is that of the published benchmark (brandonstarxel/chunking_evaluation): the passages of all five texts in one
collection, the five nearest to each question by cosine, recall, precision and IoU over characters, averaged over the questions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from engine.index.embedders import make_embedder
from engine.index.embedding import Embedder
from engine.index.model_embedder import resolve_dtype
from engine.knowledge.chunking import chunk_document
from engine.knowledge.document import read_document
from engine.settings import Settings
from engine.tokenizer import Tokenizer
from tests.benchmarks.shared import shared_folder, table
from tests.benchmarks.spans import Overlap, Passage, Span, chunk_spans, overlap, paired_difference, split_every

TOP = 5
SPLITTER_TOKENS = 200
HOW = (
    f"all five texts in one collection, top {TOP} by cosine, averages over the questions; unit: characters of the files (as published); "
    "precision and IoU divide by everything retrieved"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the text that answers it, and where."""

    text: str
    text_id: str
    references: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one way of cutting."""

    name: str
    passages: int
    mean_tokens: float
    recall: float
    precision: float
    iou: float
    recall_by_text: dict[str, float]
    recalls: tuple[float, ...]  # by question


def read_questions(folder: Path, texts: dict[str, str]) -> list[Question]:
    """The questions, each reference checked against its text."""
    found = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        spans = tuple((int(one["start_index"]), int(one["end_index"])) for one in record["references"])
        text_id = record["corpus_id"]
        assert all(texts[text_id][a:b] == one["content"] for (a, b), one in zip(spans, record["references"], strict=True)), record["_id"]
        found.append(Question(record["text"], text_id, spans))
    return found


def our_passages(texts: dict[str, str], tokenizer: Tokenizer, limit: int) -> list[Passage]:
    """What sync makes of the texts."""
    found = []
    for name, text in texts.items():
        chunks = chunk_document(read_document(f"{name}.md", text, ""), tokenizer, limit)
        found += [
            Passage(name, span, chunk.embedded_text, tokenizer.count(chunk.embedded_text))
            for chunk, span in zip(chunks, chunk_spans(text, chunks), strict=True)
        ]
    return found


def plain_passages(texts: dict[str, str], tokenizer: Tokenizer, size: int) -> list[Passage]:
    """Every text cut after each `size` tokens."""
    return [
        Passage(name, (start, end), text[start:end], tokenizer.count(text[start:end]))
        for name, text in texts.items()
        for start, end in split_every(tokenizer.map(text), text, size)
    ]


def measure(name: str, passages: Sequence[Passage], questions: Sequence[Question], queries: np.ndarray, embedder: Embedder) -> Row:
    """Embed, take the nearest, compare; `queries` is float32 [questions, dimension]."""
    vectors = embedder.embed_documents([passage.embedded for passage in passages])
    nearest = np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :TOP]
    found = [overlap(q.references, q.text_id, [passages[i] for i in rows]) for q, rows in zip(questions, nearest, strict=True)]
    return summary(name, passages, questions, found)


def summary(name: str, passages: Sequence[Passage], questions: Sequence[Question], found: Sequence[Overlap]) -> Row:
    """The averages over the questions."""
    ids = sorted({question.text_id for question in questions})
    return Row(
        name=name,
        passages=len(passages),
        mean_tokens=round(fmean(passage.tokens for passage in passages), 1),
        recall=round(fmean(one.recall for one in found), 4),
        precision=round(fmean(one.precision for one in found), 4),
        iou=round(fmean(one.iou for one in found), 4),
        recall_by_text={i: round(fmean(o.recall for q, o in zip(questions, found, strict=True) if q.text_id == i), 4) for i in ids},
        recalls=tuple(round(one.recall, 6) for one in found),
    )


def main() -> None:
    """Measure both and print one table, or one JSON document."""
    folder = shared_folder("data", "chunking-evaluation")
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    questions = read_questions(folder, texts)
    settings = Settings()
    embedder = make_embedder(settings)
    queries = np.stack([embedder.embed_query(question.text) for question in questions])
    limit = settings.chunk_tokens or embedder.max_tokens
    rows = [
        measure(f"our chunks, up to {limit} tokens", our_passages(texts, embedder.tokenizer, limit), questions, queries, embedder),
        measure(f"every {SPLITTER_TOKENS} tokens", plain_passages(texts, embedder.tokenizer, SPLITTER_TOKENS), questions, queries, embedder),
    ]
    difference, error = paired_difference(rows[0].recalls, rows[1].recalls)
    dtype = resolve_dtype(settings.embedding_dtype)
    if "--json" in sys.argv[1:]:
        measured = {"model": embedder.name, "dtype": dtype, "questions": len(questions), "rows": [asdict(row) for row in rows]}
        print(json.dumps({"how": HOW, **measured, "recallDifference": {"mean": round(difference, 4), "standardError": round(error, 4)}}))
        return
    ids = list(rows[0].recall_by_text)
    cells = [
        [row.name, str(row.passages), f"{row.mean_tokens:.1f}", *(f"{value:.3f}" for value in (row.recall, row.precision, row.iou))] for row in rows
    ]
    by_text = [[row.name, *(f"{row.recall_by_text[i]:.3f}" for i in ids)] for row in rows]
    print(f"{len(questions)} questions, {len(texts)} texts, {embedder.name} in {dtype} (questions in float32).\n{HOW}.\n")
    print(table(["cut", "passages", "mean tokens", "recall", "precision", "IoU"], cells))
    print("\n" + table(["recall by text", *ids], by_text))
    print(f"\nRecall of our chunks minus that of the splitter, question by question: {difference:+.3f} (standard error {error:.3f}).")


if __name__ == "__main__":
    main()
