"""Reading and cutting files as a share of embedding them: `python -m tests.benchmarks.reading [--json]`.

Both are timed in one run, folder by folder; embedding on a seeded sample, so that the whole takes about three minutes.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from engine.index.embedding import BATCH, no_progress
from engine.index.model_embedder import BUNDLED_MODEL, ModelEmbedder, resolve_dtype
from engine.knowledge.chunking import Chunk, chunk_document
from engine.knowledge.corpus import read_corpus
from tests.benchmarks.shared import shared_folder, table

SEED = 7
BATCHES = 3  # of a folder, one from each third of the chunks by length
AIMS = {"bfloat16": 0.20, "float32": 0.06}
HOW = (
    f"read: read_corpus and chunk_document, wall clock, one thread. embed: {BATCHES} batches of {BATCH} neighbours by length a folder "
    f"(seed {SEED}), one from each third, scaled by the number of chunks; all cores; the precisions take turns batch by batch"
)


@dataclass(frozen=True, slots=True)
class Row:
    """The times of one folder; those of embedding are estimates for all chunks, by precision."""

    folder: str
    documents: int
    chunks: int
    tokens: int
    read_seconds: float
    embed_seconds: dict[str, float]

    def share(self, dtype: str) -> float:
        """Reading as a share of embedding."""
        return self.read_seconds / self.embed_seconds[dtype] if self.embed_seconds[dtype] else 0.0


def sample_batches(count: int, batches: int, size: int, seed: int) -> list[range]:
    """Where batches of neighbours begin and end among `count` items in order of length: one at random in each equal part."""
    chooser = random.Random(seed)
    borders = [count * part // batches for part in range(batches + 1)]
    found = []
    for first, end in pairwise(borders):
        taken = min(size, end - first)
        start = chooser.randint(first, end - taken) if taken else first
        found.append(range(start, start + taken))
    return [one for one in found if one]


def measure(folder: Path, embedders: dict[str, ModelEmbedder]) -> Row:
    """Read and cut a folder, then embed the sample of it in every precision."""
    counting = next(iter(embedders.values()))
    start = perf_counter()
    corpus = read_corpus(folder)
    chunks = [chunk for document in corpus.documents for chunk in chunk_document(document, counting.tokenizer, counting.max_tokens)]
    read_seconds = perf_counter() - start
    return Row(folder.name, len(corpus.documents), len(chunks), sum(chunk.tokens for chunk in chunks), read_seconds, embed_times(chunks, embedders))


def embed_times(chunks: Sequence[Chunk], embedders: dict[str, ModelEmbedder]) -> dict[str, float]:
    """Estimated seconds for all chunks, by precision."""
    texts = [chunk.embedded_text for chunk in sorted(chunks, key=lambda chunk: len(chunk.embedded_text))]
    batches = sample_batches(len(texts), BATCHES, BATCH, SEED)
    seconds = dict.fromkeys(embedders, 0.0)
    for rows in batches:
        for dtype, embedder in embedders.items():
            start = perf_counter()
            embedder.embed_documents([texts[i] for i in rows], no_progress)
            seconds[dtype] += perf_counter() - start
    sampled = sum(map(len, batches))
    return {dtype: spent * len(texts) / sampled if sampled else 0.0 for dtype, spent in seconds.items()}


def total(rows: Sequence[Row], dtypes: Sequence[str]) -> Row:
    """All folders as one."""
    embed = {dtype: sum(row.embed_seconds[dtype] for row in rows) for dtype in dtypes}
    numbers = (sum(getattr(row, name) for row in rows) for name in ("documents", "chunks", "tokens"))
    return Row("all", *numbers, sum(row.read_seconds for row in rows), embed)


def main() -> None:
    """Measure every folder and print one table, or one JSON document."""
    folders = sorted(path for path in shared_folder("kb-real").iterdir() if path.is_dir())
    dtypes = ["bfloat16", "float32"] if resolve_dtype("auto") == "bfloat16" else ["float32"]
    embedders = {dtype: ModelEmbedder(BUNDLED_MODEL, dtype) for dtype in dtypes}
    for embedder in embedders.values():
        embedder.embed_documents(["warm up"] * BATCH, no_progress)
    rows = [measure(folder, embedders) for folder in folders]
    rows.append(total(rows, dtypes))
    if "--json" in sys.argv[1:]:
        shares = [asdict(row) | {"shares": {dtype: round(row.share(dtype), 4) for dtype in dtypes}} for row in rows]
        print(json.dumps({"how": HOW, "aims": AIMS, "rows": shares}))
        return
    print(f"{HOW}.\n")
    head = ["folder", "documents", "chunks", "tokens", "read s", *(f"{dtype} {what}" for dtype in dtypes for what in ("embed s", "share"))]
    print(table(head, [_cells(row, dtypes) for row in rows]))
    print("\nAim: " + ", ".join(f"at most {AIMS[dtype]:.0%} in {dtype}" for dtype in AIMS) + ".")
    if "bfloat16" not in dtypes:
        print("bfloat16 was not measured: this CPU does not compute in it.")


def _cells(row: Row, dtypes: Sequence[str]) -> list[str]:
    times = [cell for dtype in dtypes for cell in (f"{row.embed_seconds[dtype]:.1f}", f"{row.share(dtype):.1%}")]
    return [row.folder, f"{row.documents:,}", f"{row.chunks:,}", f"{row.tokens:,}", f"{row.read_seconds:.2f}", *times]


if __name__ == "__main__":
    main()
