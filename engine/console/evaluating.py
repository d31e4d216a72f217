"""`evidence evaluate`: golden questions measured, held against gates, kept, and compared."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.console.asking import ask, questions_of, split_of
from engine.console.options import AsJson, Cases, Kb, Part, Set, SyncFirst, overrides_of
from engine.errors import BadInput, EnvironmentProblem
from engine.settings import Settings
from engine.settings_sources import load_settings

if TYPE_CHECKING:
    from engine.contracts.evaluation import EvaluationRun


def evaluate(
    cases: Cases = None,
    kb: Kb = Path("kb"),
    split: Part = None,
    settings: Set = None,
    demands: Annotated[list[str] | None, typer.Option("--gate", metavar="DEMAND", help="As in nDCG@10>=0.80; may be repeated.")] = None,
    runs: Annotated[tuple[str, str] | None, typer.Option("--compare", metavar="A B", help="Ask nothing; compare two saved evaluations.")] = None,
    sync_first: SyncFirst = False,
    save: Annotated[bool, typer.Option("--save/--no-save", help="Keep the evaluation for later comparison.")] = True,
    as_json: AsJson = False,
) -> None:
    """Ask the golden questions with the settings in force, and measure what is found, packed and refused."""
    from engine.console.evaluation_text import evaluation_text, gates_text
    from engine.console.terminal import complain
    from engine.insight.evaluation.gates import held_against, read_demands, require_judgeable

    chosen, part, wanted = load_settings(kb, overrides_of(settings)), split_of(split), read_demands(demands or ())
    if runs is not None:
        if demands or cases or split:
            raise BadInput("--compare takes two saved evaluations and asks nothing; leave CASES, --split and --gate out")
        _compare(kb, chosen, runs, as_json)
        return
    questions = questions_of(kb, cases, part)
    require_judgeable(wanted, questions)
    run = ask(kb, chosen, sync_first, "an evaluation", lambda engine, progress: engine.evaluate(part, questions, progress))
    print(run.model_dump_json() if as_json else evaluation_text(run), flush=True)
    if save:
        _save(kb, chosen, run, as_json)
    gates = held_against(run, wanted)
    if gates and not as_json:
        print("\nGates")
    for line in gates_text(gates):
        (complain if as_json else print)(line)
    raise typer.Exit(0 if all(gate.passed for gate in gates) else 1)


def _save(kb: Path, settings: Settings, run: EvaluationRun, as_json: bool) -> None:
    """Keep the run; where that cannot be, say so and let the gates decide."""
    from engine.console.terminal import complain
    from engine.index.home import runs_home
    from engine.insight.evaluation.runs import save_run, saved_runs

    home = runs_home(kb, settings)
    try:
        save_run(home, run)
        several = len(saved_runs(home)) > 1
    except EnvironmentProblem as failure:
        complain(f"warning: the evaluation is not saved ({failure}); --no-save leaves it out")
        return
    if not as_json:
        compare = f" Compare: evidence evaluate --compare previous latest --kb {shlex.quote(str(kb))}" if several else ""
        print(f"\nSaved as {run.run_id}.{compare}", flush=True)


def _compare(kb: Path, settings: Settings, runs: tuple[str, str], as_json: bool) -> None:
    from engine.console.comparison_text import comparison_text
    from engine.index.home import runs_home
    from engine.insight.evaluation.compare import compare
    from engine.insight.evaluation.runs import find_run

    home = runs_home(kb, settings)
    compared = compare(find_run(home, runs[0]), find_run(home, runs[1]))
    print(compared.model_dump_json() if as_json else comparison_text(compared))
