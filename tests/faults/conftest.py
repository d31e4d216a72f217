"""The index that is damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.knowledge_engine import KnowledgeEngine
from tests.faults.changing import first_state, page
from tests.faults.healthy import Healthy, answers_of
from tests.knowledge_base import hash_settings, write_files


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    """The index that is copied; nobody changes it."""
    folder = tmp_path_factory.mktemp("healthy")
    kb, settings = write_files(folder / "kb", first_state(5)), hash_settings(folder / "index")
    with KnowledgeEngine.open(kb, settings=settings) as engine:
        write_files(kb, {"new/pump-9.md": page(9)})
        engine.sync()
        return Healthy(kb, settings, answers_of(engine))


@pytest.fixture
def index(original: Healthy, tmp_path: Path) -> Healthy:
    """A copy of the index, to be damaged."""
    shutil.copytree(original.settings.index_dir, tmp_path / "index")
    return Healthy(original.kb, hash_settings(tmp_path / "index"), original.answers)
