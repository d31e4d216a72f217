"""Embedding a knowledge base: no text twice, the same bytes after any number of stops, and a share done that tells the time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from engine.errors import ModelUnavailable, Stopped
from engine.index.embed import batches, embed_texts, in_mixed_order
from engine.index.embedders import make_embedder
from engine.index.embedding import BATCH, HashEmbedder, document_fingerprint
from engine.index.embedding_cache import EmbeddingCache, text_hash
from engine.index.home import current_id, index_home
from engine.index.sync import sync
from engine.progress import Meter, no_progress
from engine.settings import Settings
from tests.embedders import BatchDependent, Recording, Shrinking, StopAfter
from tests.knowledge_base import hash_settings, write_files

TEXTS = [f"passage {i} " + "disk volume queue " * (i % 17) for i in range(5 * BATCH + 3)]
FILES = {f"a/{i}.md": f"# Page {i}\n\nText {i}. {'More words. ' * (i % 13)}\n\n## Next\n\nOther text {i}.\n" for i in range(80)}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return write_files(tmp_path / "kb", FILES)


def test_no_text_is_embedded_twice(kb: Path, tmp_path: Path) -> None:
    settings = hash_settings(tmp_path / "index")
    first, second, third = Recording(), Recording(), Recording()
    before = sync(kb, settings, first)
    assert len(first.texts) == before.catalog.chunk_count
    assert sync(kb, settings, second).id == before.id
    assert second.texts == []
    write_files(kb, {"a/3.md": FILES["a/3.md"].replace("Other text", "Another text")})
    sync(kb, settings, third)
    assert third.texts == ["Page 3 > Next\nAnother text 3."]


def test_knowledge_bases_of_one_index_folder_share_their_vectors(kb: Path, tmp_path: Path) -> None:
    sync(kb, hash_settings(tmp_path / "index"), Recording())
    other = Recording()
    sync(write_files(tmp_path / "copy", FILES), hash_settings(tmp_path / "index", chunk_tokens=250), other)
    assert other.texts == []


@pytest.mark.parametrize("stops", [[0], [1], [2, 1], [1, 1, 1, 1]])
@pytest.mark.parametrize("error", [Stopped("stopped"), KeyboardInterrupt(), OSError("the terminal is gone")], ids=lambda error: type(error).__name__)
def test_a_stopped_build_goes_on_and_ends_as_one_that_was_not(kb: Path, tmp_path: Path, stops: list[int], error: BaseException) -> None:
    whole = sync(kb, hash_settings(tmp_path / "whole"), BatchDependent())
    settings = hash_settings(tmp_path / "stopped")
    seen: list[str] = []
    for count in stops:
        embedder = BatchDependent()
        with pytest.raises(type(error)) as raised:
            sync(kb, settings, embedder, StopAfter(count, error))
        assert raised.value is error
        assert len(embedder.batches) == count
        seen += embedder.texts
        assert not (index_home(kb, settings) / "snapshots").exists()
    last = BatchDependent()
    resumed = sync(kb, settings, last)
    assert len({*seen, *last.texts}) == len(seen) + len(last.texts) == whole.catalog.chunk_count
    assert resumed.id == whole.id
    assert resumed.manifest["files"]["vectors.usearch"] == whole.manifest["files"]["vectors.usearch"]


@pytest.mark.parametrize(
    ("stage", "last"), [("read", False), ("read", True), ("chunk", False), ("chunk", True), ("embed", False), ("embed", True), ("write", False)]
)
def test_whatever_the_callback_raises_leaves_the_former_snapshot_alone(kb: Path, tmp_path: Path, stage: str, last: bool) -> None:
    settings = hash_settings(tmp_path / "index")
    former = sync(kb, settings, HashEmbedder())
    write_files(kb, {"a/new.md": "# New\n\nText.\n"})

    def fail(at: str, done: int, total: int) -> None:
        if at == stage and (done == total) is last:
            raise ZeroDivisionError("a fault of the caller")

    with pytest.raises(ZeroDivisionError, match="a fault of the caller"):
        sync(kb, settings, HashEmbedder(), fail)
    home = index_home(kb, settings)
    assert current_id(home) == former.id
    assert [folder.name for folder in (home / "snapshots").iterdir()] == [former.id]


def test_a_callback_that_raises_after_the_switch_leaves_the_new_snapshot_in_place(kb: Path, tmp_path: Path) -> None:
    settings = hash_settings(tmp_path / "index")
    former = sync(kb, settings, HashEmbedder())
    write_files(kb, {"a/new.md": "# New\n\nText.\n"})
    meter = Meter()

    def fail(at: str, done: int, total: int) -> None:
        if meter.note(at, done, total).is_published:
            raise meter.stopped("again")

    with pytest.raises(Stopped, match=r"^stopped; the new index is in place$"):
        sync(kb, settings, HashEmbedder(), fail)
    assert current_id(index_home(kb, settings)) not in (None, former.id)


def test_a_model_that_changes_the_length_of_its_vectors_is_an_error(kb: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="vectors of 1024 and of 1023 numbers"):
        sync(kb, hash_settings(tmp_path / "index"), Shrinking())


def test_whoever_waits_for_another_build_is_told_so_and_can_stop(kb: Path, tmp_path: Path) -> None:
    settings = hash_settings(tmp_path / "index")
    home = index_home(kb, settings)
    home.mkdir(parents=True)

    def stop(stage: str, done: int, total: int) -> None:
        raise Stopped(stage)

    with FileLock(home / "lock"), pytest.raises(Stopped, match="wait"):
        sync(kb, settings, HashEmbedder(), stop)
    assert sync(kb, settings, HashEmbedder()).catalog.chunk_count == 160


def test_progress_counts_passages_and_known_ones_are_done_at_once(tmp_path: Path) -> None:
    texts = [*TEXTS, *TEXTS[:10]]
    stop = StopAfter(2, Stopped("stopped"))
    with EmbeddingCache(tmp_path, "hash") as cache:
        with pytest.raises(Stopped):
            embed_texts(texts, Recording(), cache, stop)
        assert [total for _, _, total in stop.told] == [len(texts)] * 3
        dones: list[int] = []
        embed_texts(texts, Recording(), cache, lambda stage, done, total: dones.append(done))
    assert stop.told[0][1] == 0
    assert dones[0] == stop.told[-1][1] >= 2 * BATCH
    assert dones == sorted(dones)
    assert dones[-1] == len(texts)


def test_equal_texts_are_embedded_once_and_stand_in_every_place(tmp_path: Path) -> None:
    embedder = Recording()
    with EmbeddingCache(tmp_path, "hash") as cache:
        vectors = embed_texts(["disk full", "ask your lead", "disk full"], embedder, cache, no_progress)
    assert sorted(embedder.texts) == ["ask your lead", "disk full"]
    assert vectors.tolist() == [HashEmbedder().embed_query(text).tolist() for text in ("disk full", "ask your lead", "disk full")]


def test_nothing_to_embed_asks_no_embedder(tmp_path: Path) -> None:
    embedder = Recording()
    with EmbeddingCache(tmp_path, "hash") as cache:
        assert embed_texts([], embedder, cache, no_progress).shape == (0, 0)
    assert embedder.batches == []


def test_a_known_vector_of_another_dimension_is_embedded_again(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path, "hash") as cache:
        cache.put({text_hash("disk full"): np.ones(3, dtype=np.float32)})
        vectors = embed_texts(["disk full", "ask your lead"], Recording(), cache, no_progress)
        assert vectors.tolist() == [HashEmbedder().embed_query(text).tolist() for text in ("disk full", "ask your lead")]
        known = Recording()
        assert embed_texts(["disk full"], known, cache, no_progress).tolist() == vectors[:1].tolist()
        assert known.texts == []


def test_batches_hold_equal_lengths_and_do_not_depend_on_the_order_of_the_texts() -> None:
    texts = {text_hash(text): text for text in TEXTS}
    cut = batches(texts)
    assert cut == batches(dict(reversed(texts.items())))
    lengths = [len(texts[key]) for batch in cut for key in batch]
    assert lengths == sorted(lengths)
    assert [len(batch) for batch in cut] == [BATCH] * 5 + [3]


@pytest.mark.parametrize("count", [1, 2, 18, 144, 1000])
def test_the_first_batches_are_as_long_as_the_rest_on_average(count: int) -> None:
    order = [int(batch[0]) for batch in in_mixed_order([[b"%d" % i] for i in range(count)])]
    assert sorted(order) == list(range(count))
    for done in range(3, count + 1):
        assert abs(np.mean(order[1:done]) / (count - 1) - 0.5) < 0.1  # without the first, from whose end the pace is measured


@pytest.mark.model
def test_the_model_gives_the_same_bytes_after_a_stop(tmp_path: Path) -> None:
    def embedded(root: Path, stops: int) -> np.ndarray:
        for _ in range(stops):
            embedder = make_embedder(Settings(embedding_dtype="bfloat16"))
            with EmbeddingCache(root, document_fingerprint(embedder)) as cache, pytest.raises(Stopped):
                embed_texts(TEXTS[::2], embedder, cache, StopAfter(1, Stopped("stopped")))
        embedder = make_embedder(Settings(embedding_dtype="bfloat16"))
        with EmbeddingCache(root, document_fingerprint(embedder)) as cache:
            return embed_texts(TEXTS[::2], embedder, cache, no_progress)

    assert embedded(tmp_path / "stopped", 2).tobytes() == embedded(tmp_path / "whole", 0).tobytes()
