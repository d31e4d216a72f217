"""Reading and cutting files as a share of embedding them: `python -m tests.benchmarks.reading [--json]`.

Both are timed in one run, folder by folder; embedding on a seeded sample, so that the whole takes about three minutes.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

from engine.index.embedding import BATCH
from engine.index.model_embedder import BUNDLED_MODEL, ModelEmbedder, resolve_dtype
from engine.knowledge.chunking import Chunk, chunk_document
from engine.knowledge.corpus import Corpus, read_corpus
from tests.benchmarks.shared import shared_folder, table

T = TypeVar("T")
SEED = 7
BATCHES = 2  # of a folder, one from the shorter half of its chunks and one from the longer
AIMS = {"bfloat16": 0.20, "float32": 0.06}
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
HOW = (
    f"read: read_corpus and chunk_document, wall clock, one thread. embed: {BATCHES} batches of {BATCH} neighbours by length a folder "
    f"(seed {SEED}), one from each half, scaled by the number of chunks; all cores; the precisions take turns batch by batch"
)


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time by the clock on the wall, and time that the cores worked on it."""

    wall: float = 0.0
    cpu: float = 0.0

    def plus(self, other: Seconds, times: float = 1.0) -> Seconds:
        """The sum, the other one multiplied."""
        return Seconds(self.wall + other.wall * times, self.cpu + other.cpu * times)


@dataclass(frozen=True, slots=True)
class Row:
    """The times of one folder; those of embedding are estimates for all chunks, by precision."""

    folder: str
    documents: int
    chunks: int
    tokens: int
    read: Seconds
    embed: dict[str, Seconds]

    def share(self, dtype: str) -> float:
        """Reading as a share of embedding, by the wall clock."""
        return self.read.wall / self.embed[dtype].wall if self.embed[dtype].wall else 0.0

    def idle_share(self, dtype: str, cores: int) -> float:
        """The same from CPU time, as if nothing else ran: reading on one core, embedding evenly on all."""
        return self.read.cpu / (self.embed[dtype].cpu / cores) if self.embed[dtype].cpu else 0.0


def timed(work: Callable[[], T]) -> tuple[T, Seconds]:
    """What some work gives, and how long it took."""
    wall, cpu = perf_counter(), process_time()
    found = work()
    return found, Seconds(perf_counter() - wall, process_time() - cpu)


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


def read(folder: Path, embedder: ModelEmbedder) -> tuple[Corpus, list[Chunk]]:
    """The documents and chunks of a folder."""
    corpus = read_corpus(folder)
    return corpus, [chunk for document in corpus.documents for chunk in chunk_document(document, embedder.tokenizer, embedder.max_tokens)]


def measure(folder: Path, embedders: dict[str, ModelEmbedder]) -> Row:
    """Read and cut a folder, then embed the sample of it in every precision."""
    (corpus, chunks), spent = timed(lambda: read(folder, next(iter(embedders.values()))))
    tokens = sum(chunk.tokens for chunk in chunks)
    return Row(folder.name, len(corpus.documents), len(chunks), tokens, spent, embed_times(chunks, embedders))


def embed_times(chunks: Sequence[Chunk], embedders: dict[str, ModelEmbedder]) -> dict[str, Seconds]:
    """Estimated time for all chunks, by precision."""
    texts = [chunk.embedded_text for chunk in sorted(chunks, key=lambda chunk: len(chunk.embedded_text))]
    batches = sample_batches(len(texts), BATCHES, BATCH, SEED)
    scale = len(texts) / max(1, sum(map(len, batches)))
    found = dict.fromkeys(embedders, Seconds())
    for rows in batches:
        batch = [texts[i] for i in rows]
        for dtype, embedder in embedders.items():
            _, spent = timed(partial(embedder.embed_documents, batch))
            found[dtype] = found[dtype].plus(spent, scale)
    return found


def total(rows: Sequence[Row], dtypes: Sequence[str]) -> Row:
    """All folders as one."""
    read_all = Seconds()
    embed_all = dict.fromkeys(dtypes, Seconds())
    for row in rows:
        read_all = read_all.plus(row.read)
        embed_all = {dtype: embed_all[dtype].plus(row.embed[dtype]) for dtype in dtypes}
    documents, chunks, tokens = (sum(getattr(row, name) for row in rows) for name in ("documents", "chunks", "tokens"))
    return Row("all", documents, chunks, tokens, read_all, embed_all)


def main() -> None:
    """Measure every folder and print one table, or one JSON document."""
    folders = sorted(path for path in shared_folder("kb-real").iterdir() if path.is_dir())
    dtypes = ["bfloat16", "float32"] if resolve_dtype("auto") == "bfloat16" else ["float32"]
    embedders = {dtype: ModelEmbedder(BUNDLED_MODEL, dtype) for dtype in dtypes}
    for embedder in embedders.values():
        embedder.embed_documents(["warm up"] * BATCH)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    rows = [measure(folder, embedders) for folder in folders]
    rows.append(total(rows, dtypes))
    idle = {dtype: round(rows[-1].idle_share(dtype, CORES), 4) for dtype in dtypes}
    if "--json" in sys.argv[1:]:
        shares = [asdict(row) | {"shares": {dtype: round(row.share(dtype), 4) for dtype in dtypes}} for row in rows]
        print(json.dumps({"how": HOW, "aims": AIMS, "cores": CORES, "loadBefore": load, "idleShares": idle, "rows": shares}))
        return
    print(f"{HOW}.\n")
    head = ["folder", "documents", "chunks", "tokens", "read s", *(f"{dtype} {what}" for dtype in dtypes for what in ("embed s", "share"))]
    print(table(head, [_cells(row, dtypes) for row in rows]))
    print("\nAim: " + ", ".join(f"at most {AIMS[dtype]:.0%} in {dtype}" for dtype in AIMS) + ".")
    print(f"By CPU time on {CORES} cores: " + ", ".join(f"{share:.1%} in {dtype}" for dtype, share in idle.items()) + ".")
    print(f"Load before: {load:.1f} on {CORES} cores" + (", so embedding looks slower than it is; trust CPU time." if load > CORES / 2 else "."))
    if "bfloat16" not in dtypes:
        print("bfloat16 was not measured: this CPU does not compute in it.")


def _cells(row: Row, dtypes: Sequence[str]) -> list[str]:
    times = [cell for dtype in dtypes for cell in (f"{row.embed[dtype].wall:.1f}", f"{row.share(dtype):.1%}")]
    return [row.folder, f"{row.documents:,}", f"{row.chunks:,}", f"{row.tokens:,}", f"{row.read.wall:.2f}", *times]


if __name__ == "__main__":
    main()
