"""Thresholds into the `evidence.toml` of a knowledge base, where everything else stays as it is."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engine.errors import BadSettings, EnvironmentProblem
from engine.index.disk import replace_text
from engine.paths import require_knowledge_base
from engine.settings_sources import settings_of

_BYTE_ORDER_MARK = "\ufeff"


def write_thresholds(kb: Path, thresholds: Mapping[str, float]) -> Path:
    """Set thresholds in `<kb>/evidence.toml`, which is made where it is missing; the file that was written, which a link may lead to.

    Raises:
        KnowledgeBaseMissing.
        BadSettings: the file is damaged, or would not load with these thresholds; it stays as it was.
        EnvironmentProblem: it cannot be written.
    """
    require_knowledge_base(kb)
    try:
        file = (kb / "evidence.toml").resolve()
        if file.exists() and not file.is_file():
            raise BadSettings(f"{file} is no regular file; remove it")
        before = file.read_bytes().decode() if file.exists() else ""
    except (OSError, RuntimeError, UnicodeDecodeError) as failure:
        raise BadSettings(f"{kb / 'evidence.toml'} cannot be read: {failure}; repair the file or remove it") from failure
    if file.exists() and not os.access(file, os.W_OK):
        raise EnvironmentProblem(f"{file} is write-protected; make it writable, or write the thresholds into it by hand")
    after = with_values(file, before, thresholds)
    try:
        replace_text(file, after)
    except OSError as failure:
        raise EnvironmentProblem(f"{file} cannot be written: {failure.strerror}; make the folder writable") from failure
    return file


def with_values(file: Path, before: str, values: Mapping[str, float]) -> str:
    """The text of a settings file with some values set; comments, order and line ends stay. Raises BadSettings, naming the file."""
    mark = _BYTE_ORDER_MARK if before.startswith(_BYTE_ORDER_MARK) else ""
    is_crlf = "\r\n" in before and before.count("\r\n") == before.count("\n")
    text = before.removeprefix(mark).replace("\r\n", "\n") if is_crlf else before.removeprefix(mark)
    present = _parsed(file, text)
    wanted = {**present, **values}
    for tree in (present, wanted):
        settings_of(str(file), tree)
    try:
        document = tomlkit.parse(text)
        for name, number in values.items():
            document[name] = number
        after = tomlkit.dumps(document)
    except TOMLKitError as failure:
        raise BadSettings(f"{file} cannot be changed: {failure}; write the thresholds into it by hand") from failure
    if _parsed(file, after) != wanted:
        raise BadSettings(f"{file} is written in a way that cannot be changed safely; write the thresholds into it by hand")
    return mark + (after.replace("\n", "\r\n") if is_crlf else after)


def _parsed(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as failure:
        raise BadSettings(f"{file} cannot be read: {failure}; repair the file or remove it") from failure
