"""The files of a knowledge base held by their content against those that were read before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.contracts.reports import SkippedFile
from engine.digest import bytes_hash
from engine.knowledge.files import decode, list_files, read_file
from engine.progress import Progress

_FILES_A_STEP = 100  # between two calls of the progress callback


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file whose content was not read before."""

    source: str
    text: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Files:
    """Every file of the folder, in the order of the sources; the skipped ones in that of their names as they are reported."""

    kept: tuple[str, ...]  # what is in them was read before
    new: tuple[NewFile, ...]
    skipped: tuple[SkippedFile, ...]


def read_files(kb: Path, known: Mapping[str, str], progress: Progress) -> Files:
    """Read every file; `known` are the content hashes of documents by source. Raises KnowledgeBaseMissing."""
    root = kb.resolve()
    kept: list[str] = []
    new: list[NewFile] = []
    skipped: list[SkippedFile] = []
    listed = list(list_files(kb))
    for done, (source, path) in enumerate(listed):
        if done % _FILES_A_STEP == 0:
            progress("read", done, len(listed))
        data = read_file(source, path, root)
        if isinstance(data, SkippedFile):
            skipped.append(data)
        elif known.get(source) == (content_hash := bytes_hash(data)):
            kept.append(source)
        elif isinstance(text := decode(source, data), SkippedFile):
            skipped.append(text)
        else:
            new.append(NewFile(source, text, content_hash))
    progress("read", len(listed), len(listed))
    return Files(tuple(kept), tuple(new), tuple(sorted(skipped, key=lambda file: (file.source, file.code, file.reason))))
