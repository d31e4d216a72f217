"""The cache of embeddings: what went in comes out whole or not at all, whatever happens to the file or beside it."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from engine.errors import EnvironmentProblem
from engine.index.embedding_cache import EmbeddingCache, text_hash

ROOT = Path(__file__).parents[2]
DIMENSION = 64


def some(numbers: Iterable[int], dimension: int = DIMENSION) -> dict[bytes, np.ndarray]:
    return {text_hash(str(i)): np.random.default_rng(i).standard_normal(dimension).astype(np.float32) for i in numbers}


def same(left: dict[bytes, np.ndarray], right: dict[bytes, np.ndarray]) -> bool:
    return {key: vector.tobytes() for key, vector in left.items()} == {key: vector.tobytes() for key, vector in right.items()}


def stored(root: Path, vectors: dict[bytes, np.ndarray]) -> Path:
    """The file of a cache that holds some vectors, closed."""
    with EmbeddingCache(root, "model") as cache:
        cache.put(vectors)
        return cache.path


def test_what_was_put_is_there_for_the_next_build(tmp_path: Path) -> None:
    vectors = some(range(1200))  # more than one query asks for
    stored(tmp_path, vectors)
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get([*vectors, text_hash("unknown")]), vectors)
        assert cache.get([]) == {}


def test_another_model_has_another_file(tmp_path: Path) -> None:
    stored(tmp_path, some([1]))
    for other in ("model-2", "model.2", "m/o d?el", "model-1.0"):
        with EmbeddingCache(tmp_path, other) as cache:
            assert cache.get(some([1])) == {}
            cache.put(some([2]))
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get(some([1, 2])), some([1]))


def test_a_file_under_the_name_of_another_model_gives_nothing(tmp_path: Path) -> None:
    path = stored(tmp_path, some(range(5)))
    path.rename(path.with_name(path.name.replace("model", "other")))
    with EmbeddingCache(tmp_path, "other") as cache:
        assert cache.get(some(range(5))) == {}


def test_vectors_of_several_dimensions_are_all_doubted(tmp_path: Path) -> None:
    stored(tmp_path, some([1]) | some([2], dimension=32))
    with EmbeddingCache(tmp_path, "model") as cache:
        assert cache.get(some([1, 2])) == {}
        assert same(cache.get(some([2])), some([2], dimension=32))


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_costs_vectors_and_never_changes_one(tmp_path: Path, seed: int) -> None:
    vectors = some(range(100))
    path = stored(tmp_path, vectors)
    data, chance = bytearray(path.read_bytes()), random.Random(seed)
    data[chance.randrange(len(data)) if seed % 2 else chance.randrange(200)] ^= 1 << chance.randrange(8)  # half of them in the header
    path.write_bytes(data)
    with EmbeddingCache(tmp_path, "model") as cache:
        found = cache.get(vectors)
        assert same(found, {key: vectors[key] for key in found})
        cache.put({key: vector for key, vector in vectors.items() if key not in found})
        assert same(cache.get(found), found)


@pytest.mark.parametrize("text", [False, True])
def test_a_flipped_byte_of_a_vector_costs_that_vector_alone(tmp_path: Path, text: bool) -> None:
    vectors = some(range(10))
    path = stored(tmp_path, vectors)
    with sqlite3.connect(path) as connection:
        changed = b"x" * 4 * DIMENSION
        connection.execute("update embeddings set vector = ? where text_hash = ?", (changed.decode() if text else changed, text_hash("3")))
    connection.close()
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get(vectors), {key: vector for key, vector in vectors.items() if key != text_hash("3")})
        assert cache.path == path


@pytest.mark.parametrize("content", [b"", b"no database at all", b"\xff" * 10_000])
def test_a_file_that_is_no_database_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = stored(tmp_path, some([1]))
    path.write_bytes(content)
    with EmbeddingCache(tmp_path, "model") as cache:
        assert cache.get(some([1])) == {}
        cache.put(some([1]))
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get(some([1])), some([1]))
    assert len(list((tmp_path / "embeddings").glob("*.sqlite"))) == 1


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.95])
def test_a_file_that_is_cut_short_is_replaced(tmp_path: Path, share: float) -> None:
    vectors = some(range(100))
    path = stored(tmp_path, vectors)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with EmbeddingCache(tmp_path, "model") as cache:
        found = cache.get(vectors)
        assert same(found, {key: vectors[key] for key in found})
        cache.put(vectors)
        assert same(cache.get(vectors), vectors)


def test_the_vectors_of_another_model_are_named_and_never_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = stored(tmp_path, some(range(3)))
    path.rename(path.with_name(path.name.replace("model", "other")))
    with EmbeddingCache(tmp_path, "other") as cache:
        assert cache.get(some(range(3))) == {}
        assert caplog.messages == [f"3 embeddings in {cache.path.name} are damaged or of another model; they are computed anew"]
        cache.put(some(range(5, 8)))
        assert same(cache.get(some(range(5, 8))), some(range(5, 8)))


def test_a_file_that_is_replaced_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = stored(tmp_path, some([1]))
    path.write_bytes(b"no database at all")
    with EmbeddingCache(tmp_path, "model") as cache:
        assert caplog.messages == [f"the embeddings in {path.name} are damaged; {cache.path.name} takes its place"]


def test_a_database_with_other_tables_is_replaced(tmp_path: Path) -> None:
    path = stored(tmp_path, some([1]))
    with sqlite3.connect(path) as connection:
        connection.execute("alter table embeddings rename column checksum to sum")
    connection.close()
    with EmbeddingCache(tmp_path, "model") as cache:
        cache.put(some([1]))
        assert same(cache.get(some([1])), some([1]))


def test_damage_that_appears_while_a_build_runs_is_survived(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path, "model") as cache:
        cache.put(some(range(100)))
        with sqlite3.connect(cache.path) as other:
            other.execute("drop table embeddings")
        other.close()
        cache.put(some([7]))
        assert same(cache.get(some(range(100))), some([7]))


def test_a_folder_that_cannot_be_written_is_one_sentence_with_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "embeddings").write_text("in the way")
    with pytest.raises(EnvironmentProblem, match=r"embeddings cannot be kept in .*; make room there, .* or give another folder \(index_dir\)"):
        EmbeddingCache(tmp_path, "model")


def test_a_disk_that_is_full_is_one_sentence_and_keeps_what_is_there(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path, "model") as cache:
        cache.put(some(range(10)))
        cache._connection.execute("pragma max_page_count = 1")  # SQLite's own way to run out of room
        with pytest.raises(EnvironmentProblem, match="full"):
            cache.put(some(range(10, 500)))
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get(some(range(500))), some(range(10)))


def test_processes_fill_one_file_at_once_from_the_first_moment_on(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from tests.index.test_embedding_cache import EmbeddingCache, some
first = int(sys.argv[1])
sys.stdin.readline()
with EmbeddingCache(Path(sys.argv[2]), "model") as cache:
    for start in range(first, first + 200, 10):
        cache.put(some(range(start, start + 10)))
        assert len(cache.get(some(range(first, start + 10)))) == start + 10 - first
"""
    starts = range(0, 300, 100)  # they overlap by half
    command = [sys.executable, "-c", code]
    running = [subprocess.Popen([*command, str(start), str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE) for start in starts]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()
    assert [process.wait(120) for process in running] == [0, 0, 0]
    with EmbeddingCache(tmp_path, "model") as cache:
        assert same(cache.get(some(range(400))), some(range(400)))
