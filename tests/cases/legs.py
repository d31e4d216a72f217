"""The ways in which a passage may become a candidate, as settings; what holds for one of them holds for all."""

from __future__ import annotations

import pytest

EVERY_LEG = pytest.mark.parametrize("leg", [{}, {"lexical_candidates": 20}], ids=["vectors", "words as well"])
