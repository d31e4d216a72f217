"""Notices that documents of a folder may have changed; what has changed is for the reader of the files to say."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Condition
from types import TracebackType

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver

from engine.knowledge.files import MARKDOWN_SUFFIXES, is_hidden
from engine.observers import observe, poll
from engine.paths import require_knowledge_base

QUIET_SECONDS = 0.5  # a save is several events, a checkout hundreds
LONGEST_SECONDS = 5.0  # until a change that does not come to rest is told
FOLDER_SECONDS = 1.0  # between two looks whether the folder is still the one that is followed
ANYWAY_SECONDS = 60.0  # systems lose events: a full queue, a network drive, a folder made where there was no room to follow it
_EVENTS: list[type[FileSystemEvent]] = [  # without those of reading, which our own sync would make
    *(FileAttribEvent, FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent),
    *(DirCreatedEvent, DirDeletedEvent, DirMovedEvent),
]


class FolderWatch(FileSystemEventHandler):
    """Follows a knowledge base, by whatever path it is given, also when its folder is removed and made again.

    Raises KnowledgeBaseMissing where there is no folder to begin with.
    """

    def __init__(self, kb: Path) -> None:
        require_knowledge_base(kb)
        self._kb = kb
        self._observer: BaseObserver | None = None
        self._followed: tuple[int, int] | None = None  # device and number of the folder
        self._root = kb
        self._news = Condition()
        self._touched: set[str] = set()
        self._first = self._last = 0.0  # when the oldest and the newest of the untold events came
        self.polls = False  # whether all files are looked through, since the system has no room to follow the folder

    def __enter__(self) -> FolderWatch:
        self._follow()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._leave()

    def wait(self, most_seconds: float = ANYWAY_SECONDS) -> frozenset[str]:
        """Block until something has changed and come to rest, or for `most_seconds`; the documents that were touched, as far as they are known."""
        end = time.monotonic() + most_seconds
        while (now := time.monotonic()) < end:
            if self._folder() != self._followed or not self._is_following():
                self._follow_again()
            with self._news:
                due = min(self._last + QUIET_SECONDS, self._first + LONGEST_SECONDS) if self._first else end
                if due <= now:
                    break
                self._news.wait(min(due - now, FOLDER_SECONDS))
        with self._news:
            touched, self._touched, self._first = frozenset(self._touched), set(), 0.0
        return touched

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note of an event, unless it is about something that is not read."""
        for path in filter(None, map(os.fsdecode, (event.src_path, event.dest_path))):
            inside = Path(path)
            if not inside.is_relative_to(self._root) or is_hidden(source := inside.relative_to(self._root).as_posix()):
                continue
            if event.is_directory:
                self._note()
            elif inside.suffix.lower() in MARKDOWN_SUFFIXES:
                self._note(source)

    def _note(self, *documents: str) -> None:
        with self._news:
            self._last = time.monotonic()
            self._first = self._first or self._last
            self._touched.update(documents)
            self._news.notify()

    def _folder(self) -> tuple[int, int] | None:
        """Which folder is at the path now: a link may lead elsewhere, a folder may be another of the same name."""
        with suppress(OSError):
            found = self._kb.stat()
            return found.st_dev, found.st_ino
        return None

    def _is_following(self) -> bool:
        if self._observer is None:
            return self._followed is None
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    def _follow(self) -> None:
        """Follow the folder that is at the path now, if there is one."""
        self._followed = self._folder()
        if self._followed is not None:
            self._root = self._kb.resolve()
            self._observer = observe(self, self._root, _EVENTS)
            self.polls = self._observer is None
            self._observer = self._observer or poll(self, self._root, _EVENTS)
        if self._observer is None:  # it went away meanwhile, or cannot be read: the next look tries again
            self._followed = None

    def _follow_again(self) -> None:
        former = self._followed
        self._leave()
        self._follow()
        if former or self._followed:
            self._note()

    def _leave(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
