"""The history of evaluations of a knowledge base: one JSON file a run, the last ones kept."""

from __future__ import annotations

import logging
import re
from codecs import BOM_UTF8
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from engine.contracts.evaluation import EvaluationRun, SavedRun
from engine.errors import BadInput, EnvironmentProblem
from engine.index.disk import delete, make_way, replace_text, writing_to

MOST_KEPT = 100
_RUN_ID = re.compile(r"[0-9a-f]{12}")
_PREFIX = re.compile(r"[0-9a-f]{1,12}")
_LOG = logging.getLogger("engine")


def save_run(home: Path, run: EvaluationRun) -> SavedRun:
    """Put a run at the front of the history; an equal one that is in it moves there. Raises EnvironmentProblem."""
    saved = SavedRun(saved_at=datetime.now(UTC).isoformat(timespec="microseconds"), run=run)
    with writing_to(home):
        home.mkdir(parents=True, exist_ok=True)
        file = home / f"{run.run_id}.json"
        make_way(file)
        replace_text(file, saved.model_dump_json() + "\n")
    if len(_files(home)) > MOST_KEPT:  # else none of them need be read
        for surplus in saved_runs(home)[MOST_KEPT:]:
            delete(home / f"{surplus.run.run_id}.json")
    return saved


def saved_runs(home: Path) -> tuple[SavedRun, ...]:
    """The history, newest first; a file that is no saved run is left out with a warning. Raises EnvironmentProblem."""
    found = [saved for file in _files(home) if (saved := _saved(file))]
    return tuple(sorted(found, key=lambda saved: (saved.saved_at, saved.run.run_id), reverse=True))


def _files(home: Path) -> list[Path]:
    try:
        return sorted(path for path in home.iterdir() if path.suffix == ".json" and not path.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as failure:
        raise EnvironmentProblem(f"the saved evaluations in {home} cannot be read: {failure.strerror}; make the folder readable") from failure


def _saved(file: Path) -> SavedRun | None:
    try:
        state = file.stat()
        saved = _loaded(file, state.st_mtime_ns, state.st_size)
    except (OSError, ValidationError):
        saved = None
    if saved is None or not _RUN_ID.fullmatch(saved.run.run_id) or file.stem != saved.run.run_id:
        _LOG.warning("%s is no saved evaluation and is left out; remove it", file)
        return None
    return saved


@lru_cache(maxsize=2 * MOST_KEPT)  # the page asks for the history at every click, and a run of 1,000 questions takes 20 ms to read
def _loaded(file: Path, _changed_ns: int, _size: int) -> SavedRun:
    """A file as it was at that time; runs are immutable, so whoever asks may share them."""
    return SavedRun.model_validate_json(file.read_bytes())


def find_run(home: Path, name: str) -> EvaluationRun:
    """A run by `latest`, `previous`, the begin of its id, or the path of a JSON file. Raises BadInput, EnvironmentProblem."""
    history = saved_runs(home)
    if name in ("latest", "previous"):
        place = ("latest", "previous").index(name)
        if len(history) <= place:
            again = "evaluate once more, with another setting or after a change" if history else "run: evidence evaluate"
            raise BadInput(f"there is no {name} evaluation, {len(history)} saved; {again}")
        return history[place].run
    fitting = [saved.run for saved in history if saved.run.run_id.startswith(name)] if _PREFIX.fullmatch(name) else []
    if len(fitting) == 1:
        return fitting[0]
    if len(fitting) > 1:
        raise BadInput(f"several evaluations begin with {name}: {', '.join(run.run_id for run in fitting)}; write more of the id")
    return _from_file(Path(name), history)


def _from_file(path: Path, history: tuple[SavedRun, ...]) -> EvaluationRun:
    """The run that `--json` printed into a file, or one of a history."""
    try:
        text = path.read_bytes().removeprefix(BOM_UTF8)
    except (OSError, ValueError) as failure:
        known = ", ".join(saved.run.run_id for saved in history[:5]) or "none"
        raise BadInput(f"there is no evaluation {path}; write latest, previous, a file of --json, or an id: {known}") from failure
    try:
        return EvaluationRun.model_validate_json(text)
    except ValidationError:
        pass
    try:
        return SavedRun.model_validate_json(text).run
    except ValidationError as failure:
        raise BadInput(f"{path} is no evaluation; give a file that evidence evaluate --json has written") from failure
