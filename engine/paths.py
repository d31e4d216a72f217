"""Questions about paths that a path of any shape can be asked."""

from __future__ import annotations

from pathlib import Path

from engine.errors import KnowledgeBaseMissing


def is_folder(path: Path) -> bool:
    """Whether there is a folder; a path that cannot exist is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def require_knowledge_base(kb: Path) -> None:
    """Raise KnowledgeBaseMissing where there is no folder."""
    if not is_folder(kb):
        if _is_file(kb):
            raise KnowledgeBaseMissing(f"{kb} is a file; give the folder that it is in")
        raise KnowledgeBaseMissing(f"there is no knowledge base at {kb}; give a folder of Markdown files with --kb PATH")
