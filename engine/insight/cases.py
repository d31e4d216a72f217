"""The golden questions of a knowledge base, kept in its `cases.yaml`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import yaml
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from engine.contracts.evaluation import Split
from engine.contracts.reports import Case
from engine.errors import BadInput
from engine.paths import is_folder

CASES_FILE = "cases.yaml"


def _explained(failure: ValidationError) -> str:
    """What is wrong with a case, with the nearest field where one has another name."""
    first = failure.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "form"
    shown = first["input"].get("question", "") if isinstance(first["input"], dict) else ""
    of = f" {shown[:60]!r}" if isinstance(shown, str) and shown else ""
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(field, Case.model_fields, n=1, cutoff=0.5)
        known = ", ".join(sorted(to_camel(name) for name in Case.model_fields))
        return f"a case has the field {field}, which there is not; {f'did you mean {near[0]}?' if near else f'known are {known}'}"
    if first["type"] == "missing":
        return f"the case{of} has no {field}; add it"
    return f"the {field} of a case is wrong: {first['msg'][0].lower()}{first['msg'][1:]}"


def read_cases(kb: Path, file: str | Path | None = None) -> tuple[Case, ...]:
    """The cases of a knowledge base, or of another file, in its order; none where the knowledge base has no cases.yaml.

    Raises:
        BadInput: the file is not a list of cases, or two have one id; the other file is missing or a folder.
    """
    path = kb / CASES_FILE if file is None else Path(file)
    if file is not None and is_folder(path):
        raise BadInput(f"{file} is a folder; give a file of golden questions here, and the folder of a knowledge base with --kb")
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        cases = tuple(Case.model_validate(entry) for entry in entries)
        for case in cases:
            case.model_dump_json()  # a lone surrogate, written as an escape, fails here and not on the page
    except FileNotFoundError as failure:
        if file is not None:
            raise BadInput(f"there is no file {file}; give a file of golden questions, or none for the cases.yaml of the knowledge base") from failure
        return ()
    except ValidationError as failure:
        raise BadInput(f"{path.name}: {_explained(failure)}") from failure
    except (yaml.YAMLError, ValueError, TypeError, OSError, RecursionError) as failure:
        raise BadInput(f"{path.name} cannot be read: {failure}; repair it") from failure
    ids = [case.id for case in cases]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise BadInput(f"{path.name} has two cases with the id {twice[0]}; rename one")
    return cases


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
