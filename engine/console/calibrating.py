"""`evidence calibrate`: thresholds for the model and the knowledge base at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.console.asking import ask, questions_of, split_of
from engine.console.options import AsJson, Cases, Kb, Part, Set, SyncFirst, overrides_of
from engine.errors import BadInput
from engine.settings_sources import load_settings, overruling_variables


def calibrate(
    cases: Cases = None,
    kb: Kb = Path("kb"),
    split: Part = "dev",
    settings: Set = None,
    sync_first: SyncFirst = False,
    write: Annotated[bool, typer.Option("--write", help="Set the thresholds in the evidence.toml of the knowledge base.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the four thresholds with answerable and unanswerable golden questions: those for tuning, so that the test questions stay for judging."""
    from engine.console.calibration_text import calibration_text
    from engine.console.terminal import complain
    from engine.insight.calibration.evidence_toml import write_thresholds

    chosen, part = load_settings(kb, overrides_of(settings)), split_of(split)
    questions = questions_of(kb, cases, part)
    found = ask(kb, chosen, sync_first, "a calibration", lambda engine, progress: engine.calibrate(questions, progress, split=part))
    print(found.model_dump_json() if as_json else calibration_text(found, part), flush=True)
    if write and not found.separates:
        raise BadInput("nothing was written: no threshold tells these answerable and unanswerable questions apart; write more of both")
    if write:
        complain(f"written to {write_thresholds(kb, found.thresholds)}")
        if deciding := overruling_variables(found.thresholds):
            complain(f"warning: {', '.join(deciding)} of the environment still decide; unset them to use what was written")
    elif not as_json:
        print(f"Set them in {kb / 'evidence.toml'}: the same command with --write")
