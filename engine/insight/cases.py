"""The golden questions of a knowledge base, kept in its `cases.yaml`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from engine.contracts.evaluation import Split
from engine.contracts.reports import Case
from engine.errors import BadInput
from engine.insight.cases_yaml import Entry, read_entries
from engine.paths import is_folder

CASES_FILE = "cases.yaml"
_LISTS = ("expected", "mustNot", "must_not", "scope")
_TEXTS = ("id", "question")


def read_cases(kb: Path, file: str | Path | None = None) -> tuple[Case, ...]:
    """The cases of a knowledge base, or of another file, in its order; none where the knowledge base has no cases.yaml.

    Raises:
        BadInput: the file is not a list of cases, or two have one id; the other file is missing or a folder.
    """
    path = kb / CASES_FILE if file is None else Path(file)
    if file is not None and is_folder(path):
        raise BadInput(f"{file} is a folder; give a file of golden questions here, and the folder of a knowledge base with --kb")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as failure:
        if file is not None:
            raise BadInput(f"there is no file {file}; give a file of golden questions, or none for the cases.yaml of the knowledge base") from failure
        return ()
    except UnicodeDecodeError as failure:
        raise BadInput(f"{path.name} is not in UTF-8; save it as UTF-8") from failure
    except OSError as failure:
        raise BadInput(f"{path.name} cannot be read: {failure.strerror or failure}; repair it") from failure
    cases: dict[str, Case] = {}
    for entry in read_entries(text, path.name):
        case = _case(entry, f"{path.name}, line {entry.line}")
        if case.id in cases:
            raise BadInput(f"{path.name}, line {entry.line}: there are two cases with the id {case.id}; rename one")
        cases[case.id] = case
    return tuple(cases.values())


def _case(entry: Entry, place: str) -> Case:
    """A case from its entry; one text stands for a list of one, and a number for its text. Raises BadInput."""
    if not isinstance(entry.value, dict):
        raise BadInput(f"{place}: a case is a set of fields; write `- id: ...` and `question: ...` below each other")
    shown = str(entry.value.get("id") or entry.value.get("question") or "")[:60]
    place = f"{place} ({shown!r})" if shown else place
    try:
        case = Case.model_validate({name: _meant(name, value) for name, value in entry.value.items()})
    except ValidationError as failure:
        raise BadInput(f"{place}: {_explained(failure)}") from failure
    if not case.id.strip() or not case.id.isprintable():
        raise BadInput(f"{place}: the id is empty or has a character that is not seen; write a short name")
    if both := sorted(set(case.expected) & set(case.must_not)):
        raise BadInput(f"{place}: {both[0]!r} is expected and must not come; leave it out of one of the two")
    return case


def _meant(name: str, value: Any) -> Any:
    if name in _LISTS and isinstance(value, str):
        return [value]
    return str(value) if name in _TEXTS and isinstance(value, int | float) and not isinstance(value, bool) else value


def _explained(failure: ValidationError) -> str:
    """What is wrong with a case, with the nearest field where one has another name."""
    first = failure.errors(include_url=False)[0]
    field = to_camel(str(first["loc"][0])) if first["loc"] else "case"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(field, [to_camel(name) for name in Case.model_fields], n=1, cutoff=0.5)
        known = ", ".join(sorted(to_camel(name) for name in Case.model_fields))
        return f"there is no field {field}; {f'did you mean {near[0]}?' if near else f'known are {known}'}"
    if first["type"] == "missing":
        return f"it has no {field}; add it"
    if field in _LISTS:
        return f"{field} is no list of texts; write `{field}: [...]`, each in quotes"
    if field in _TEXTS:
        return f"{field} is no text; put it in quotes"
    return f"{field} is wrong: {first['msg'][0].lower()}{first['msg'][1:]}"


def cases_of(cases: Sequence[Case], split: Split | None, file: str | Path | None = None) -> list[Case]:
    """The cases of a split (None: all). Raises BadInput, naming the file that they were read from, where there is none."""
    where = f"{CASES_FILE} beside the documents" if file is None else str(file)
    if not cases:
        raise BadInput(f"there are no golden questions to ask; write some into {where}")
    found = [case for case in cases if split in (None, case.split)]
    if not found:
        of_file = "" if file is None else f" of {file}"
        raise BadInput(f"none of the {len(cases)} golden questions{of_file} is in the split {split}; mark some with `split: {split}`, or ask all")
    return found
