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
        found = read_if_new(source, path, root, known.get(source))
        if found is None:
            kept.append(source)
        elif isinstance(found, SkippedFile):
            skipped.append(found)
        else:
            new.append(found)
    progress("read", len(listed), len(listed))
    return Files(tuple(kept), tuple(new), tuple(sorted(skipped, key=lambda file: (file.source, file.code, file.reason))))


def read_if_new(source: str, path: Path, root: Path, known: str | None) -> NewFile | SkippedFile | None:
    """A file that `list_files` found below `root`; None where its content hash is the known one, and then it is never decoded."""
    data = read_file(source, path, root)
    if isinstance(data, SkippedFile):
        return data
    content_hash = bytes_hash(data)
    if content_hash == known:
        return None
    text = decode(source, data)
    return text if isinstance(text, SkippedFile) else NewFile(source, text, content_hash)
