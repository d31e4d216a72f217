"""Material that is not part of the project: real and hostile knowledge bases in the folder TESTS_SHARED (default `../shared`)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TESTS_SHARED") or Path(__file__).parents[2] / "shared")


def needs(*parts: str) -> pytest.MarkDecorator:
    """Skip a test, and say so, where a part of the material is missing."""
    path = SHARED.joinpath(*parts)
    return pytest.mark.skipif(not path.exists(), reason=f"{'/'.join(parts)} is not in TESTS_SHARED ({SHARED.name}); set it to the folder that has it")
