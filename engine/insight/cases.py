"""The golden questions of a knowledge base, kept in its `cases.yaml`."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from engine.contracts.reports import Case
from engine.errors import BadInput

CASES_FILE = "cases.yaml"


def read_cases(kb: Path) -> tuple[Case, ...]:
    """The cases in the order of the file; none where there is no file.

    Raises:
        BadInput: the file is not a list of cases, or two have one id.
    """
    path = kb / CASES_FILE
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        cases = tuple(Case.model_validate(entry) for entry in entries)
        for case in cases:
            case.model_dump_json()  # a lone surrogate, written as an escape, fails here and not on the page
    except FileNotFoundError:
        return ()
    except ValidationError as failure:
        first = failure.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "form"
        raise BadInput(f"{path.name} has a case whose {where} is wrong: {first['msg']}") from failure
    except (yaml.YAMLError, ValueError, TypeError, OSError, RecursionError) as failure:
        raise BadInput(f"{path.name} cannot be read: {failure}; repair it") from failure
    ids = [case.id for case in cases]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise BadInput(f"{path.name} has two cases with the id {twice[0]}; rename one")
    return cases
