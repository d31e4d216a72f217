"""A tiny knowledge base behind the page, embedded without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from tests.pages.tiny import write_tiny


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = write_tiny(tmp_path / "kb")
    monkeypatch.setenv("EVIDENCE_KB", str(folder))
    monkeypatch.setenv("EVIDENCE_EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("EVIDENCE_INDEX_DIR", str(tmp_path / "index"))
    yield folder
    st.cache_resource.clear()
    st.cache_data.clear()
