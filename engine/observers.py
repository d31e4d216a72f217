"""How the system tells that files change, and what to do where it has no room for that."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserverVFS

POLL_SECONDS = 5  # between two looks through all files


def observe(handler: FileSystemEventHandler, folder: Path, events: list[type[FileSystemEvent]]) -> BaseObserver | None:
    """Have the system tell a handler of events in a folder and below; None where it cannot for all of it."""
    warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning, r"watchdog\.")  # of folders made within each other, which it gets right
    observer = None
    try:
        observer = Observer()
        observer.schedule(handler, str(folder), recursive=True, event_filter=events)
        observer.start()
        _expect_room(folder)
    except OSError:
        if observer is not None:
            observer.stop()
        return None
    return observer


def _expect_room(folder: Path) -> None:
    """Raise OSError where not one more folder can be followed: watchdog leaves out subfolders that have no room, and says nothing."""
    probe = Observer()
    probe.schedule(FileSystemEventHandler(), str(folder))
    try:
        probe.start()
    finally:
        probe.stop()


def poll(handler: FileSystemEventHandler, folder: Path, events: list[type[FileSystemEvent]]) -> BaseObserver | None:
    """Look through a folder again and again; links and hidden folders are not entered. None where there is no such folder any more."""
    observer = PollingObserverVFS(os.lstat, _not_hidden, polling_interval=POLL_SECONDS)
    observer.schedule(handler, str(folder), recursive=True, event_filter=events)
    with suppress(OSError):
        observer.start()
        return observer
    observer.stop()
    return None


def _not_hidden(folder: str | None) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from (entry for entry in entries if not entry.name.startswith("."))
