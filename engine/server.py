"""From the command line to the explorer: the app, a free port, and the process that serves the pages."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from engine.errors import EnvironmentProblem
from engine.paths import is_folder
from engine.settings import Settings
from engine.settings_sources import ENVIRONMENT_PREFIX


def find_app() -> Path:
    """The explorer's app.py. Raises EnvironmentProblem outside of a source checkout."""
    page = Path(__file__).resolve().parents[1] / "app.py"
    if not page.exists():
        raise EnvironmentProblem("the explorer's app.py lives in the source checkout; clone the project and run evidence serve there")
    return page


def expect_free(port: int) -> None:
    """Raise EnvironmentProblem where something listens on a port of this machine already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as failure:
            raise EnvironmentProblem(f"port {port} is taken ({failure.strerror}); give another one with --port") from failure


def become_server(page: Path, port: int, kb: Path, overrides: dict[str, Any], chosen: Settings) -> int:
    """Go on as the server of the pages; what the build has loaded is left behind, and signals reach the server itself."""
    environment = {**os.environ, **_as_variables(overrides, chosen), "EVIDENCE_KB": str(kb)}
    command = [sys.executable, "-m", "streamlit", "run", page.name, f"--server.port={port}", "--server.headless=true"]
    os.chdir(page.parent)
    if os.name == "posix":
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # stdout has had its one document
        os.execve(command[0], command, environment)
    return subprocess.call(command, env=environment, stdout=sys.stderr)


def _as_variables(overrides: dict[str, Any], chosen: Settings) -> dict[str, str]:
    """What `--set` said, for a process in another folder: relative paths, wherever they came from, are made absolute."""
    named = {name.replace(".", "__"): str(value) for name, value in overrides.items()}
    for name, value in (("index_dir", chosen.index_dir), ("embedding_model", chosen.embedding_model)):
        folder = Path(value).expanduser()
        if value and is_folder(folder):
            named[name] = str(folder.resolve())
    return {ENVIRONMENT_PREFIX + name.upper(): value for name, value in named.items()}
