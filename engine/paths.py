"""Questions about paths that a path of any shape can be asked."""

from __future__ import annotations

from pathlib import Path


def is_folder(path: Path) -> bool:
    """Whether there is a folder; a path that cannot exist is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
