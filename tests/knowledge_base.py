"""Tiny knowledge bases, written to a folder and opened with the hash embedder: similarity is the overlap of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.contracts.codes import AttemptName
from engine.contracts.lookup import LookupResult
from engine.index.embedders import make_embedder
from engine.index.embedding import Embedder, HashEmbedder
from engine.index.model_embedder import BUNDLED_MODEL
from engine.index.snapshot import Snapshot
from engine.index.sync import open_or_build
from engine.knowledge_engine import KnowledgeEngine
from engine.lookup.attempt import Attempt, attempt
from engine.lookup.pipeline import look_up
from engine.lookup.scope import ScopeInput
from engine.lookup.transform import Question, transform
from engine.settings import Settings
from engine.tokenizer import ModelTokenizer
from engine.trace import Recorder

# Word overlap is cruder than a model: a passage that answers has about 0.4, one that shares a word (or a bucket by chance) about 0.15.
THRESHOLDS: dict[str, Any] = {"evidence_floor": 0.2, "reference_threshold": 0.35, "medium_threshold": 0.5, "high_threshold": 0.7}


def document(body: str, **fields: object) -> str:
    """The text of a Markdown file with frontmatter."""
    return f"---\n{yaml.safe_dump(fields, allow_unicode=True)}---\n{body}" if fields else body


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files, given by relative path, below a folder; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, text in files.items():
        path = folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def hash_settings(index: Path, **changes: Any) -> Settings:
    """Settings for the hash embedder; dotted names cannot be keywords, so rule weights come as `rule_weights={...}`."""
    return Settings(embedding_model="hash", index_dir=str(index), **{**THRESHOLDS, **changes})


def open_engine(folder: Path, files: Mapping[str, str], **changes: Any) -> KnowledgeEngine:
    """A knowledge base written below a folder, built and opened."""
    return KnowledgeEngine.open(write_files(folder / "kb", files), settings=hash_settings(folder / "index", **changes))


@dataclass(frozen=True)
class Bench:
    """A snapshot with what the stages need, for tests that look between them."""

    settings: Settings
    embedder: Embedder
    snapshot: Snapshot

    def question(self, query: str, **changes: Any) -> Question:
        """The outcome of the first stage."""
        return transform(query, self.settings.changed(changes), self.snapshot, Recorder())

    def attempt(self, query: str, name: AttemptName = AttemptName.UNFILTERED, /, **changes: Any) -> Attempt:
        """One retrieval, rerank and block building, without a scope."""
        question = self.question(query, **changes)
        return attempt(name, question.text, question, (), self.settings.changed(changes), self.snapshot, self.embedder, Recorder())

    def look_up(self, query: str, scope: ScopeInput = None, **changes: Any) -> LookupResult:
        """The whole pipeline."""
        return look_up(query, scope, self.settings.changed(changes), self.snapshot, self.embedder, Recorder())


class WordVectorsModelTokens(HashEmbedder):
    """Vectors of hashed words with the tokenizer of MiniLM, so that readable shares are real and no model is loaded."""

    def __init__(self) -> None:
        self.tokenizer = make_embedder(Settings(embedding_model=BUNDLED_MODEL)).tokenizer
        assert isinstance(self.tokenizer, ModelTokenizer)


def open_bench(folder: Path, files: Mapping[str, str], embedder: Embedder | None = None, /, **changes: Any) -> Bench:
    """A knowledge base written below a folder, built and opened for the stages."""
    settings = hash_settings(folder / "index", **changes)
    embedder = embedder or make_embedder(settings)
    return Bench(settings, embedder, open_or_build(write_files(folder / "kb", files), settings, embedder))
