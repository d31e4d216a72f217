"""What a sync costs: `python -m tests.benchmarks.sync [--documents N] [--chunks N,N] [--json]`, twenty minutes on two cores.

Three measures of one run: a sync after one edit against the build of the whole knowledge base, a whole sync against bare
`model.encode` of the same texts, and the time to open a snapshot, checksums included. Sizes that no real knowledge base has are
real ones many times over.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from engine.index.embedders import make_embedder
from engine.index.embedding import BATCH
from engine.index.home import index_home
from engine.index.model_embedder import BUNDLED_MODEL, ModelEmbedder, resolve_dtype
from engine.index.snapshot import open_snapshot
from engine.index.sync import sync
from engine.knowledge.chunking import chunk_corpus
from engine.knowledge.corpus import read_corpus
from engine.progress import no_progress
from engine.settings import Settings
from tests.benchmarks.corpus import write_corpus
from tests.benchmarks.large_snapshot import multiply
from tests.benchmarks.shared import shared_folder, table

EDITS = 7
ROUNDS = {"bfloat16": 3, "float32": 2}
INGESTED = 700  # documents of which the whole sync is timed against bare encode
EVERY = 13  # section of so many for these, so that they come from all knowledge bases
OPENINGS = 5
AIMS = {"edit": 0.01, "bfloat16": 0.85, "float32": 0.95}
OPEN_AIMS = {100_000: 0.5, 1_000_000: 3.0}  # seconds


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: what was done, in seconds, against what, and the ratio that counts."""

    what: str
    size: str
    seconds: float
    against: float
    ratio: float
    aim: str


def edit_row(folder: Path, documents: int, settings: Settings) -> Row:
    """Build everything, then edit one file again and again."""
    files = write_corpus(shared_folder("kb-real"), folder / "kb", documents)
    embedder = make_embedder(settings)
    embedder.embed_documents(["warm up"] * BATCH)
    full, snapshot = timed(lambda: sync(folder / "kb", settings, embedder))
    size = f"{snapshot.catalog.document_count:,} documents, {snapshot.catalog.chunk_count:,} chunks"
    snapshot.close()
    edited = files[len(files) // 2]
    spent = []
    for edit in range(EDITS):
        edited.write_text(edited.read_text(encoding="utf-8") + f"\n\nEdit number {edit}: the failover takes {edit} minutes.\n", encoding="utf-8")
        seconds, snapshot = timed(lambda: sync(folder / "kb", settings, embedder))
        snapshot.close()
        spent.append(seconds)
    one = statistics.median(spent)
    return Row("sync of one edited file / full build", size, one, full, one / full, f"< {AIMS['edit']:.0%}")


def timed(work: Any) -> tuple[float, Any]:
    """Seconds that some work took, and what it gave."""
    gc.collect()
    began = perf_counter()
    found = work()
    return perf_counter() - began, found


def ingest_row(folder: Path, dtype: str) -> Row:
    """A whole sync of a new knowledge base against bare encode of its texts, in turns."""
    write_corpus(shared_folder("kb-real"), folder / "kb", INGESTED, EVERY)
    embedder = ModelEmbedder(BUNDLED_MODEL, dtype)
    embedder.embed_documents(["warm up"] * BATCH)
    corpus = read_corpus(folder / "kb")
    texts = [chunk.embedded_text for chunk in chunk_corpus(corpus, embedder.tokenizer, embedder.max_tokens, no_progress)]
    syncs: list[float] = []
    encodes: list[float] = []
    for turn in range(ROUNDS[dtype]):
        settings = Settings(index_dir=str(folder / f"index-{turn}"), embedding_dtype=dtype)
        seconds, snapshot = timed(lambda chosen=settings: sync(folder / "kb", chosen, embedder))
        bare = bare_encode(embedder, texts)
        syncs.append(seconds)
        encodes.append(bare)
        snapshot.close()
    names = f"{INGESTED:,} documents, {len(texts):,} chunks"
    ratio = statistics.median(bare / whole for bare, whole in zip(encodes, syncs, strict=True))
    return Row(f"bare encode / whole sync, {dtype}", names, statistics.median(syncs), statistics.median(encodes), ratio, f">= {AIMS[dtype]:.0%}")


def bare_encode(embedder: ModelEmbedder, texts: list[str]) -> float:
    """Seconds of `SentenceTransformer.encode` for some texts, on all cores."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(embedder.folder), device="cpu", model_kwargs={"dtype": getattr(torch, embedder.document_dtype)})
    model.encode(["warm up"] * BATCH, batch_size=BATCH)
    torch.set_num_threads(os.cpu_count() or 1)
    return timed(lambda: model.encode(texts, batch_size=BATCH, show_progress_bar=False))[0]


def open_row(folder: Path, chunks: int, settings: Settings, kb: Path) -> Row:
    """Open a snapshot of a size; the files are in the memory of the system, as after a sync or another opening."""
    embedder = make_embedder(settings)
    snapshot = open_snapshot(index_home(kb, settings), embedder.fingerprint)
    count = multiply(snapshot, -(-chunks // snapshot.catalog.chunk_count), folder)
    spent = []
    for _ in range(OPENINGS):
        seconds, opened = timed(lambda: open_snapshot(folder, embedder.fingerprint))
        spent.append(seconds)
        size = sum(path.stat().st_size for path in opened.folder.iterdir())
        opened.close()
    one = statistics.median(spent)
    return Row("open, checksums included", f"{count:,} chunks, {size / 1e9:.2f} GB", one, 0.0, one, f"<= {OPEN_AIMS.get(chunks, '-')} s")


def main() -> None:
    """Measure all three and print one table, or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000, help="of the knowledge base in which one file is edited")
    parser.add_argument("--chunks", default="100000,1000000", help="sizes of the snapshots that are opened")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        for dtype in ["float32"] if resolve_dtype("auto") == "float32" else ["bfloat16", "float32"]:
            rows.append(ingest_row(place / dtype, dtype))
        settings = Settings(index_dir=str(place / "index"))
        rows.append(edit_row(place, chosen.documents, settings))
        rows += [open_row(place / size, int(size), settings, place / "kb") for size in chosen.chunks.split(",")]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if chosen.json:
        print(json.dumps({"cores": os.cpu_count(), "load": load, "rows": [asdict(row) for row in rows]}))
        return
    print(table(["measured", "size", "seconds", "against s", "ratio", "aim"], [_cells(row) for row in rows]))
    print(f"{os.cpu_count()} cores; documents embedded in {resolve_dtype('auto')} where nothing else is said.")


def _cells(row: Row) -> list[str]:
    return [row.what, row.size, f"{row.seconds:.2f}", f"{row.against:.2f}" if row.against else "-", f"{row.ratio:.4f}", row.aim]


if __name__ == "__main__":
    main()
