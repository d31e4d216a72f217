"""The hashes of files that were read before, so that a file is read again only when it may have changed."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from engine.contracts.reports import SkippedFile
from engine.knowledge.files import list_files
from engine.knowledge.reading import read_if_new

# Two changes within one tick of a file system's clock leave one time stamp; FAT has the longest tick, two seconds.
SETTLED_NS = 2_000_000_000
Signature = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as it was read; `checked` says whether its bytes were held to be text, `content_hash` is None for a file that a sync would skip."""

    signature: Signature
    content_hash: str | None
    checked: bool


class SeenFiles:
    """What one process has read of a knowledge base; may be shared by threads."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._looking = Lock()  # a second thread would read the same files, it rather waits for their hashes

    def hashes(self, kb: Path, indexed: dict[str, str]) -> dict[str, str | None]:
        """The hash of each file as it is now, None for one that a sync would skip; one that is `indexed` as it is is never decoded.

        Raises KnowledgeBaseMissing.
        """
        with self._looking:
            root, seen, found = kb.resolve(), {}, {}
            for source, path in list_files(kb):
                looked, lasting = self._look(source, path, root, indexed.get(source))
                found[source] = looked.content_hash
                if lasting:
                    seen[source] = looked
            self._seen = seen
            return found

    def _look(self, source: str, path: Path, root: Path, known: str | None) -> tuple[_Seen, bool]:
        """One file, and whether its signature will tell the next change."""
        now, former = time.time_ns(), self._seen.get(source)
        signature, changed_ns = _signature(path)
        if former and former.signature == signature and (former.checked or former.content_hash == known):
            return former, True
        found = read_if_new(source, path, root, known)
        settled = now - changed_ns >= SETTLED_NS
        if isinstance(found, SkippedFile):
            return _Seen(signature, None, checked=True), found.code != "unreadable" and settled
        return _Seen(signature, known if found is None else found.content_hash, checked=found is not None), settled


def _signature(path: Path) -> tuple[Signature, int]:
    """What changes with a file, and its latest time stamp; of a link also where it leads."""
    try:
        numbers = [os.lstat(path)]
        target = ""
        if stat.S_ISLNK(numbers[0].st_mode):
            target = os.path.realpath(path)
            numbers.append(path.stat())
    except OSError:
        return (), time.time_ns()
    signature = (target, *((one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in numbers))
    return signature, max(max(one.st_mtime_ns, one.st_ctime_ns) for one in numbers)
