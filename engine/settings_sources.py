"""Where settings come from, in rising order: the defaults, `<kb>/evidence.toml`, `EVIDENCE_*` variables, `--set name=value`, code."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadSettings
from engine.paths import require_knowledge_base
from engine.settings import Settings, put, validated

ENVIRONMENT_PREFIX = "EVIDENCE_"
RESERVED_VARIABLES = {"EVIDENCE_KB"}  # which knowledge base the explorer shows; not a setting


def load_settings(kb: str | Path, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a knowledge base from file, environment and `overrides`. Raises KnowledgeBaseMissing, BadSettings."""
    require_knowledge_base(Path(kb))
    file = Path(kb) / "evidence.toml"
    tree: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, values in ((str(file), _from_file(file)), ("environment", _from_environment()), ("--set", dict(overrides or {}))):
        for name, value in values.items():
            _put_from(origin, tree, name, value)
            origins[name.partition(".")[0]] = _variable(name) if origin == "environment" else origin
    try:
        return validated(tree)
    except BadSettings as failure:
        at_fault = next((origin for name, origin in origins.items() if origin != "--set" and name in str(failure)), None)
        raise BadSettings(f"{at_fault}: {failure}" if at_fault else str(failure)) from failure


def settings_of(origin: str, values: Mapping[str, Any]) -> Settings:
    """The settings that a file alone gives. Raises BadSettings, naming the file."""
    tree: dict[str, Any] = {}
    for name, value in values.items():
        _put_from(origin, tree, name, value)
    try:
        return validated(tree)
    except BadSettings as failure:
        raise BadSettings(f"{origin}: {failure}") from failure


def overruling_variables(written: Mapping[str, float]) -> tuple[str, ...]:
    """The variables of the environment that decide otherwise about settings which have these values in `evidence.toml`."""
    environment = _from_environment()
    return tuple(_variable(name) for name, value in written.items() if name in environment and float(environment[name]) != value)


def _variable(name: str) -> str:
    """The variable of the environment that sets a setting."""
    return f"{ENVIRONMENT_PREFIX}{name.upper().replace('.', '__')}"


def _put_from(origin: str, tree: dict[str, Any], name: str, value: Any) -> None:
    try:
        put(tree, name, value)
    except BadSettings as failure:
        raise BadSettings(f"{origin}: {failure}") from failure


def _from_file(path: Path) -> dict[str, Any]:
    try:
        if not path.exists():
            return {}
        if not path.is_file():
            raise BadSettings(f"{path} is no regular file; remove it")
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as failure:
        raise BadSettings(f"{path} cannot be read: {failure}; repair the file or remove it") from failure


def _from_environment() -> dict[str, Any]:
    return {
        name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", "."): value
        for name, value in sorted(os.environ.items())
        if name.startswith(ENVIRONMENT_PREFIX) and name not in RESERVED_VARIABLES
    }
