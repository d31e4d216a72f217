"""Public reports about an index and a model that do not belong together; each number is the case's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadSettings, IndexDamaged, IndexMissing, ModelUnavailable
from engine.index.embedders import make_embedder
from engine.index.embedding import HashEmbedder
from engine.index.home import index_home
from engine.index.snapshot import open_snapshot
from engine.index.sync import open_or_build, sync
from engine.knowledge_engine import KnowledgeEngine
from engine.lookup.pipeline import look_up
from engine.trace import Recorder
from tests.cases.lamps import entries
from tests.knowledge_base import open_bench, open_engine, write_files


class Narrow(HashEmbedder):
    """Another model, whose vectors are half as long."""

    fingerprint = "hash-512"
    _dimension = 512


class Secret(Narrow):
    """A model whose vectors became shorter while its files stayed the same."""

    fingerprint = HashEmbedder.fingerprint


FERRIES = {f"old/{i}.md": f"# Ferry {i}\n\nThe ferry leaves pier {i} at noon.\n" for i in range(4)}
BARGES = {f"new/{i}.md": f"# Barge {i}\n\nThe barge leaves quay {i} at dusk.\n" for i in range(4)}
DEPARTURE = "when does the ferry or the barge leave"


def test_case_25_an_index_of_another_model_is_refused_and_built_anew_when_half_of_it_changes(tmp_path: Path) -> None:
    """librefang#3536: after half of the documents were embedded by another model, the others had a similarity of 0.0."""
    wide = open_bench(tmp_path, {**FERRIES, "new/1.md": "# Barge 1\n\nThe barge rests.\n"})
    with pytest.raises(IndexDamaged, match=r"was made by another model \(hash-1024-2, now hash-512\)"):
        open_snapshot(index_home(tmp_path / "kb", wide.settings), Narrow.fingerprint)
    write_files(tmp_path / "kb", BARGES)
    with KnowledgeEngine(tmp_path / "kb", wide.settings, Narrow(), open_or_build(tmp_path / "kb", wide.settings, Narrow())) as engine:
        result = engine.lookup_knowledge(DEPARTURE)
        assert engine.sync().documents == 8
        assert engine.lookup_knowledge(DEPARTURE).canonical_json() == result.canonical_json()
    anew = open_bench(tmp_path / "anew", {**FERRIES, **BARGES}, Narrow()).look_up(DEPARTURE)
    assert result.canonical_json() == anew.canonical_json()
    assert entries(result).keys() == {**FERRIES, **BARGES}.keys()
    assert min(entry.base_score for entry in entries(result).values()) > 0.3


def test_case_25_the_bundled_model_and_the_word_vectors_have_indexes_of_their_own(tmp_path: Path) -> None:
    with open_engine(tmp_path, FERRIES) as engine:
        other = engine.settings.changed({"embedding_model": "all-MiniLM-L6-v2"})
        assert index_home(engine.kb, other) != index_home(engine.kb, engine.settings)
        with pytest.raises(IndexMissing):
            open_snapshot(index_home(engine.kb, other), make_embedder(other).fingerprint)
        with pytest.raises(BadSettings, match="embedding_model decides what is in the index"):
            engine.with_settings(other)


@pytest.mark.parametrize("scope", [None, ["category=old"]])
@pytest.mark.parametrize("count", [1, 100])
def test_case_25_a_question_of_another_length_than_the_index_is_an_error(tmp_path: Path, count: int, scope: list[str] | None) -> None:
    bench = open_bench(tmp_path, {f"{folder}/{i}.md": f"The ferry {i}.\n" for folder in ("old", "new") for i in range(50)})
    with pytest.raises(ModelUnavailable, match="vectors of 512 numbers, and the index has vectors of 1024"):
        look_up("the ferry", scope, bench.settings.changed({"candidate_count": count}), bench.snapshot, Secret(), Recorder())


@pytest.mark.parametrize("added", [1, 2, 3, 4])
def test_case_25_new_documents_never_join_those_of_another_length(tmp_path: Path, added: int) -> None:
    bench = open_bench(tmp_path, FERRIES)
    write_files(tmp_path / "kb", dict(list(BARGES.items())[:added]))
    with pytest.raises(ModelUnavailable, match="vectors of 512 numbers, and the index has vectors of 1024"):
        sync(tmp_path / "kb", bench.settings, Secret())
    assert open_or_build(tmp_path / "kb", bench.settings, bench.embedder).id == bench.snapshot.id
