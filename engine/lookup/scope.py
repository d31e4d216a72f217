"""The caller's own filter: any frontmatter field, never relaxed; an unknown name is an error, never an unfiltered result."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from engine.contracts.lookup import ScopeTerm
from engine.errors import UnknownScope
from engine.index.catalog import Catalog

ScopeValue = str | int | float | date  # compared with the author's text, so 2024 is "2024"
ScopeInput = Mapping[str, ScopeValue | Sequence[ScopeValue]] | Sequence[str] | None
_MOST_NAMED = 12


def read_scope(scope: ScopeInput, catalog: Catalog) -> tuple[ScopeTerm, ...]:
    """Conditions from `{"category": "runbooks", "year": 2024}` or `["category=runbooks", "owner!=edge", "updated="]`.

    The same field twice is OR, fields are AND, `field=` is "empty", `field!=x` is "not x".

    Raises:
        UnknownScope: a condition is malformed, or names a field or value that no document has.
    """
    values: dict[tuple[str, str], list[str]] = {}
    for field, operator, value in _conditions(scope):
        values.setdefault((field, operator), []).append(value)
    if not values:
        return ()
    known = catalog.scope_fields()
    for (field, _), wanted in values.items():
        if field not in known:
            raise UnknownScope(f"unknown scope field {field!r}; {_known(field, known)}")
        for value in wanted:
            if value and value not in known[field]:
                raise UnknownScope(f"no document has {field}={value!r}; {_known(value, known[field])}")
    return tuple(ScopeTerm(field=field, operator=operator, values=tuple(sorted(set(found)))) for (field, operator), found in sorted(values.items()))


def _conditions(scope: ScopeInput) -> Iterable[tuple[str, str, str]]:
    if isinstance(scope, str):
        scope = [scope]
    if isinstance(scope, Mapping):
        for field, value in scope.items():
            values = [value] if isinstance(value, ScopeValue | bytes) else value
            if not isinstance(values, Sequence) or not values:
                raise UnknownScope(f"the scope {field} has no values; name one, or leave the field out")
            for one in values:
                yield _text(field), "=", _value_text(field, one)
        return
    for condition in scope or ():
        name, equals, value = _text(condition).partition("=")
        field = name.removesuffix("!").strip()
        if not equals or not field:
            raise UnknownScope(f"scope {condition!r} is no condition; write field=value, field!=value or field=")
        yield field, "!=" if name.endswith("!") else "=", value.strip()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise UnknownScope(f"the scope holds {value!r}, which is no text; write field=value")
    return value


def _value_text(field: str, value: object) -> str:
    if not isinstance(value, ScopeValue) or isinstance(value, bool):  # the author may have written yes, on or 1
        raise UnknownScope(f"the scope {field} holds {value!r}; give a text, number or date as it stands in the files")
    return str(value)


def _known(wanted: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(wanted, names, n=3)
    listed = ", ".join(names[:_MOST_NAMED]) + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")
    return (f"did you mean {' or '.join(near)}? " if near else "") + f"known: {listed}"
