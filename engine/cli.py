"""The command line: one JSON document or readable text on stdout, everything else on stderr.

Exit codes: 0 found or clean, 1 nothing found, a lint error or a failed gate, 2 bad input, 3 the environment, 130 or 143 stopped by Ctrl-C or SIGTERM.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.console.calibrating import calibrate
from engine.console.evaluating import evaluate
from engine.console.options import AsJson, Kb, KbArgument, Set, SyncFirst, overrides_of
from engine.errors import EvidenceError, Stopped
from engine.interrupts import stoppable
from engine.settings_sources import load_settings

if TYPE_CHECKING:
    from engine.contracts.reports import SyncReport

app = typer.Typer(
    help="Find out why a knowledge lookup missed: checkable evidence from Markdown, with a trace of every decision.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

def main() -> None:
    """Run a command; an error of ours is one sentence on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    logging.getLogger("engine").addHandler(_Warnings())
    try:
        with stoppable(lambda: Stopped("stopped before the end; run the same command again")):
            app()
    except EvidenceError as failure:
        from engine.console.terminal import complain

        complain(f"evidence: {failure}")
        sys.exit(failure.exit_code)


class _Warnings(logging.Handler):
    """What was damaged and is built anew, on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        from engine.console.terminal import complain

        complain(f"warning: {record.getMessage()}")


@app.command()
def sync(
    positional: KbArgument = None,
    kb: Kb = Path("kb"),
    settings: Set = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the folder: sync again after each change, until Ctrl-C.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document; with --watch one a line.")] = False,
) -> None:
    """Build the index of the files as they are now."""
    from engine.console.progress_display import progress_display
    from engine.console.reports_text import sync_text
    from engine.knowledge_engine import KnowledgeEngine

    def say(report: SyncReport, text: str) -> None:
        print(report.model_dump_json() if as_json else text, flush=True)

    folder = positional or kb
    chosen = load_settings(folder, overrides_of(settings))
    if watch:
        from engine.console.following import sync_and_follow

        sync_and_follow(folder, chosen, say)
    with progress_display() as progress, KnowledgeEngine.open(folder, settings=chosen, progress=progress, sync_first=True) as engine:
        done = engine.report()
    say(done, sync_text(done, folder))


@app.command()
def lookup(
    query: Annotated[str, typer.Argument(help="The question.")],
    kb: Kb = Path("kb"),
    scope: Annotated[list[str] | None, typer.Option("--scope", metavar="FIELD=VALUE", help="Search only there; may be repeated.")] = None,
    settings: Set = None,
    sync_first: SyncFirst = False,
    as_json: AsJson = False,
) -> None:
    """Look a question up and print the evidence, or the reason why there is none."""
    from engine.console.lookup_text import lookup_text
    from engine.console.progress_display import progress_display
    from engine.console.reports_text import freshness_text
    from engine.knowledge_engine import KnowledgeEngine
    from engine.lookup.transform import cleaned_query

    cleaned_query(query)  # a blank question builds no index
    with progress_display() as progress:
        engine = KnowledgeEngine.open(kb, settings=load_settings(kb, overrides_of(settings)), progress=progress, sync_first=sync_first)
    with engine:
        result = engine.lookup_knowledge(query, scope=scope)
        stale = freshness_text(engine.freshness())
    if stale:
        print(stale, file=sys.stderr)
    print(result.canonical_json() if as_json else lookup_text(result))
    raise typer.Exit(0 if result.found else 1)


@app.command("lint")
def lint_files(
    positional: KbArgument = None,
    kb: Kb = Path("kb"),
    settings: Set = None,
    ignored: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODE", help="Leave findings of a code out; may be repeated.")] = None,
    fail_on: Annotated[str, typer.Option("--fail-on", metavar="SEVERITY", help="Exit code 1 from here on: error, warning or info.")] = "error",
    as_json: AsJson = False,
) -> None:
    """Check the files: what cannot be found, what weakens retrieval, and what to do about it. Needs no index."""
    from engine.console.progress_display import progress_display
    from engine.console.reports_text import lint_text
    from engine.index.embedders import make_embedder
    from engine.insight.lint.codes import known_codes, known_severity
    from engine.insight.lint.rules import lint

    folder = positional or kb
    chosen = load_settings(folder, overrides_of(settings))
    ignored_codes, least = known_codes(ignored or ()), known_severity(fail_on)
    with progress_display(lambda _: Stopped("stopped; a check changes nothing, run it again")) as progress:
        found = lint(folder, chosen, make_embedder(chosen), progress, ignored_codes)
    print(found.model_dump_json() if as_json else lint_text(found))
    raise typer.Exit(1 if found.has(least) else 0)


app.command("evaluate")(evaluate)
app.command("calibrate")(calibrate)


@app.command()
def tokens(
    text: Annotated[str, typer.Argument(help="The text, as it stands in a document or a question.")],
    kb: Kb = Path("kb"),
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Show how a text is cut: search terms, stop words, names, and the embedding model's tokens."""
    from engine.console.tokens_text import tokens_text
    from engine.index.embedders import make_embedder
    from engine.insight.tokens import token_report

    chosen = load_settings(kb, overrides_of(settings))
    report = token_report(text, make_embedder(chosen), chosen)
    print(report.model_dump_json() if as_json else tokens_text(report))


@app.command("settings")
def show_settings(positional: KbArgument = None, kb: Kb = Path("kb"), settings: Set = None, as_json: AsJson = False) -> None:
    """Print the settings in force, each with its unit, its range and its sentence."""
    from engine.console.reports_text import settings_text

    chosen = load_settings(positional or kb, overrides_of(settings))
    print(chosen.model_dump_json() if as_json else settings_text(chosen))


@app.command()
def serve(
    positional: KbArgument = None,
    kb: Kb = Path("kb"),
    settings: Set = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on localhost.")] = 8501,
    as_json: AsJson = False,
) -> None:
    """Build the index where it is missing, and serve the explorer on localhost."""
    from engine.console.progress_display import progress_display
    from engine.knowledge_engine import KnowledgeEngine
    from engine.server import become_server, expect_free, find_app

    page = find_app()
    folder = (positional or kb).resolve()
    overrides = overrides_of(settings)
    chosen = load_settings(folder, overrides)
    expect_free(port)
    with progress_display() as progress, KnowledgeEngine.open(folder, settings=chosen, progress=progress) as engine:
        counts = engine.report()
    url = f"http://localhost:{port}"
    if as_json:
        print(json.dumps({"url": url, "documents": counts.documents, "chunks": counts.chunks, "snapshotId": counts.snapshot_id}), flush=True)
    else:
        print(f"{counts.documents} documents, {counts.chunks} chunks. The explorer is at {url} (stop it with Ctrl-C).", flush=True)
    raise typer.Exit(become_server(page, port, folder, overrides, chosen))
