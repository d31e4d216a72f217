"""The address of a run: question, scope and changed settings, whose only home is the URL.

Widgets write here through their callbacks and are drawn from here, so a link, the back button and a slider take one way.
`bind="query-params"` does not fit: it hides a bad value, and it knows only settings that have a widget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from engine.contracts.reports import Case
from engine.errors import BadSettings
from engine.settings import BUILD_SETTINGS, Settings
from pages.ui.safe import shorten

QUESTION = "q"
SCOPE = "scope"
VIEW = ("run", "split", "first", "second")  # what the Evaluate page shows
Parameters = dict[str, str | list[str]]
# A link may turn what a lookup does, never what the machine loads or where it writes.
LOCAL_SETTINGS = frozenset({*BUILD_SETTINGS, "index_dir", "keep_snapshots"})


@dataclass(frozen=True, slots=True)
class Address:
    """What a URL asks for, as it is written there."""

    question: str | None
    scope: tuple[str, ...]
    values: Mapping[str, str]
    view: Mapping[str, str]

    def settings(self, base: Settings) -> Settings:
        """The settings of the knowledge base with the changes of the address; raises BadSettings."""
        for name in sorted(LOCAL_SETTINGS & self.values.keys()):
            raise BadSettings(f"{name} cannot be set by a link; set it in evidence.toml of the knowledge base and reset the settings here")
        try:
            return base.changed(self.values)
        except BadSettings as failure:
            raise BadSettings(f"{shorten(str(failure), 300)}; correct it in the sidebar or in the address, or reset the settings") from failure

    def link(self) -> str:
        """The full URL of this run."""
        page = (st.context.url or "").partition("?")[0].rstrip("/")
        pairs = [(QUESTION, self.question or ""), *((SCOPE, term) for term in self.scope), *self.values.items()]
        return f"{page}/?{urlencode(pairs)}"


def read() -> Address:
    """The address that the browser shows."""
    return Address(
        question=st.query_params.get(QUESTION),
        scope=tuple(st.query_params.get_all(SCOPE)),
        values={name: st.query_params[name] for name in st.query_params if name not in (QUESTION, SCOPE, *VIEW)},
        view={name: st.query_params[name] for name in VIEW if name in st.query_params},
    )


def put_question(question: str) -> None:
    """Write the question into the URL; an empty one leaves it."""
    _change({QUESTION: question or None})


def put_scope(terms: list[str]) -> None:
    """Write the scope into the URL, one parameter a term."""
    _change({SCOPE: terms or None})


def put_setting(name: str, value: Any, base: Settings) -> None:
    """Write a setting into the URL where it differs from the knowledge base's own, else leave it out."""
    _change({name: _where_it_differs(name, value, base)})


def put_case(case: Case, base: Settings) -> None:
    """Write an example into the URL: its question, its scope and its pinned settings."""
    _replace(question_parameters(case.question, case.scope, case.settings, base))


def question_parameters(question: str, scope: Iterable[str], settings: Mapping[str, Any], base: Settings) -> Parameters:
    """The parameters that ask a question on the Ask page: its scope, and the settings where they differ from the knowledge base's own."""
    written = {name: _where_it_differs(name, value, base) for name, value in _dotted(settings)}
    changed: Parameters = {name: value for name, value in written.items() if value is not None}
    terms = list(scope)
    return {QUESTION: question, **({SCOPE: terms} if terms else {}), **changed}


def put_view(**parts: str | None) -> None:
    """Write what the Evaluate page shows into the URL; None leaves a part out."""
    _change(parts)


def drop_settings(*names: str) -> None:
    """Take these settings out of the URL, without names every one; the rest stays."""
    here = read()
    for_good = set(names) or here.values.keys()
    _change(dict.fromkeys(for_good))


def drop_everything() -> None:
    """Back to the start page."""
    _replace({})


def _change(parameters: Mapping[str, str | list[str] | None]) -> None:
    now: Parameters = {name: st.query_params.get_all(name) for name in st.query_params}
    _replace({**now, **parameters})


def _replace(parameters: Mapping[str, str | list[str] | None]) -> None:
    """Write all parameters at once, so that one click is one step of the back button; None leaves one out."""
    st.query_params.from_dict({name: value for name, value in parameters.items() if value is not None})


def _where_it_differs(name: str, value: Any, base: Settings) -> str | None:
    return None if value == own_value(name, base) else _written(value)


def own_value(name: str, base: Settings) -> Any:
    """The knowledge base's own value of a setting with a dotted name; None where there is no such setting."""
    owner: Any = base
    for part in name.split("."):
        owner = getattr(owner, part, None)
    return owner


def _dotted(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, float) else str(value)
