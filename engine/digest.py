"""Hashes that are the same on any machine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Buffer


def digest(value: Any) -> str:
    """Sixteen hex digits of a JSON value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bytes_hash(data: Buffer) -> str:
    """SHA-256 of some bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
