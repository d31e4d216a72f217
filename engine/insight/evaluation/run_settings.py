"""The settings of a saved run in words; one that is older than this version may have some that there are not any more."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from engine.settings import RuleWeights, Settings


def gone(settings: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Names, rule weights by dotted name, that are no settings any more."""
    known = {*Settings.model_fields, *(f"rule_weights.{rule}" for rule in RuleWeights.model_fields)}
    return tuple(name for name in settings if name not in known)


def written(settings: Mapping[str, JsonValue]) -> str:
    """Settings in one line, as `--set` takes them; those that it does not take any more stand last and are said to be so."""
    old = gone(settings)
    kept = [f"{name}={written_value(value)}" for name, value in settings.items() if name not in old]
    return ", ".join([*kept, *(f"{name}={written_value(settings[name])} (no setting any more)" for name in old)])


def written_value(value: JsonValue) -> str:
    """A value as `--set` takes it; None stands for a setting that a run does not have."""
    if value is None:
        return "no such setting"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
