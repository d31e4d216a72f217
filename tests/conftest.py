"""Engines and results that many tests share; nobody changes them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engine.contracts.lookup import LookupResult
from engine.digest import digest, file_hash
from engine.index.recipe import reading_recipe
from engine.knowledge_engine import KnowledgeEngine
from engine.settings_sources import load_settings
from tests.documents import DOCUMENTS, SITUATIONS, Situation
from tests.knowledge_base import Bench, WordVectorsModelTokens, open_bench, open_engine

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    """The ten documents behind the engine, with the hash embedder."""
    with open_engine(tmp_path_factory.mktemp("small"), DOCUMENTS) as engine:
        yield engine


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The ten documents for tests that look between the stages."""
    return open_bench(tmp_path_factory.mktemp("bench"), DOCUMENTS)


@pytest.fixture(scope="session")
def model_tokens(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The ten documents, counted by MiniLM's tokenizer, which reads most Chinese as unknown."""
    return open_bench(tmp_path_factory.mktemp("tokens"), DOCUMENTS, WordVectorsModelTokens())


@pytest.fixture(scope="session")
def results(small: KnowledgeEngine, model_tokens: Bench, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, LookupResult]:
    """The result of every situation, by name."""
    found = {name: _answer(small, situation) for name, situation in SITUATIONS.items()}
    found["unreadable"] = model_tokens.look_up(SITUATIONS["chinese"].query)
    with open_engine(tmp_path_factory.mktemp("nothing"), {}) as empty:
        found["empty_knowledge_base"] = empty.lookup_knowledge("free the root volume")
    return found


def _answer(engine: KnowledgeEngine, situation: Situation) -> LookupResult:
    view = engine.with_settings(engine.settings.changed(situation.settings))
    return view.lookup_knowledge(situation.query, scope=situation.scope)


@pytest.fixture(scope="session")
def handbook(request: pytest.FixtureRequest) -> Iterator[KnowledgeEngine]:
    """The sample knowledge base with the real model; its index stays in pytest's cache until a document or the indexing code changes."""
    files = sorted([*(ROOT / "kb").rglob("*.md"), *(ROOT / "engine/index").glob("*.py")])
    state = digest([reading_recipe(), *map(file_hash, files)])
    cache = request.config.cache
    assert cache is not None
    home = cache.mkdir("handbook")
    for stale in (folder for folder in home.iterdir() if folder.name != state):
        shutil.rmtree(stale)
    settings = load_settings(ROOT / "kb", {"index_dir": str(home / state)})
    with KnowledgeEngine.open(ROOT / "kb", settings=settings) as engine:
        yield engine
