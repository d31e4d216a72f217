"""The options that all commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import BadSettings
from engine.settings import RuleWeights, Settings

Kb = Annotated[Path, typer.Option("--kb", envvar="EVIDENCE_KB", help="Folder of the knowledge base.")]
KbArgument = Annotated[Path | None, typer.Argument(metavar="[KB]", help="Folder of the knowledge base, instead of --kb.", show_default=False)]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting; may be repeated.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Cases = Annotated[Path | None, typer.Argument(metavar="[CASES]", help="File of golden questions, instead of cases.yaml.", show_default=False)]
Part = Annotated[str | None, typer.Option("--split", metavar="SPLIT", help="Which part of the questions is asked: dev, test or all.")]
SyncFirst = Annotated[bool, typer.Option("--sync", help="Bring the index up to date first.")]


def overrides_of(assignments: list[str] | None) -> dict[str, Any]:
    """`--set` assignments as names and values; a name may be dotted."""
    values = {}
    for assignment in assignments or ():
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            known = ", ".join([*Settings.model_fields, *(f"rule_weights.{rule}" for rule in RuleWeights.model_fields)])
            raise BadSettings(f"--set {assignment!r} is no assignment; write NAME=VALUE, where NAME is one of {known}")
        values[name.strip()] = value
    return values
