"""The settings that matter, as widgets; ranges, units and sentences come from the settings themselves."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import streamlit as st
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from engine.settings import RuleWeights, Settings, unit_and_range
from pages.ui.address import Address, drop_everything, drop_settings, own_value, put_scope, put_setting
from pages.ui.safe import markdown

LISTED_VALUES = 200  # the browser gets the whole list on every run


class Control(NamedTuple):
    """A setting with its label and the step of its widget."""

    name: str
    label: str
    step: float


SEARCH = (
    Control("use_l0_filter", "L0 category filter", 1),
    Control("candidate_count", "Candidates", 10),
    Control("lexical_candidates", "Candidates by words", 10),
)
THRESHOLDS = (
    Control("evidence_floor", "Evidence floor", 0.01),
    Control("reference_threshold", "Reference threshold", 0.01),
    Control("medium_threshold", "Medium relevance from", 0.01),
    Control("high_threshold", "High relevance from", 0.01),
)
PACK = (
    Control("max_blocks", "Evidence blocks", 1),
    Control("max_blocks_per_document", "Blocks per document", 1),
    Control("budget_tokens", "Context budget", 100),
)
WEIGHTS = (
    Control("rule_weights.lexical", "Words in the text", 0.05),
    Control("rule_weights.phrase", "Word order", 0.05),
    Control("rule_weights.title", "Title and headings", 0.05),
    Control("rule_weights.document_words", "Words in the document", 0.05),
    Control("rule_weights.hint", "L0 hint", 0.05),
    Control("rule_weights.category", "Category", 0.01),
)


def settings_panel(page: str, address: Address, base: Settings) -> None:
    """Draw the widgets of the settings and the way back to the knowledge base's own; their keys begin with the page's name."""
    st.subheader("Settings", anchor=False)
    for control in (*SEARCH, *PACK):
        _widget(page, control, address, base)
    with st.expander("Thresholds", icon=":material/straighten:", key=f"{page}_thresholds", expanded=True):
        for control in THRESHOLDS:
            _widget(page, control, address, base)
    with st.expander("Rerank weights", icon=":material/balance:", key=f"{page}_weights"):
        for control in WEIGHTS:
            _widget(page, control, address, base)
    if address.values:
        st.caption(f"Changed by this page: {markdown(', '.join(address.values))}")
    st.button(
        "Reset settings",
        key=f"{page}_reset",
        icon=":material/restart_alt:",
        on_click=drop_settings,
        disabled=not address.values,
        width="stretch",
        help="Go back to the settings of the knowledge base (its evidence.toml, then the defaults).",
    )


def start_button(address: Address) -> None:
    """Draw the way back to the start page."""
    st.button(
        "Example questions",
        key="ask_start",
        icon=":material/home:",
        on_click=drop_everything,
        disabled=address.question is None and not address.values,
        width="stretch",
        help="Leave this run and go back to the start page.",
    )


def scope_picker(address: Address, fields: dict[str, tuple[str, ...]]) -> None:
    """Draw the filter that the caller sets, with the known fields and values to choose from; others can be typed."""
    first = sorted(fields.items(), key=lambda item: item[0] != "category")  # what people narrow by
    known = [f"{field}={value}" for field, values in first if len(values) <= LISTED_VALUES for value in values]
    seed("ask_scope", list(address.scope))
    st.multiselect(
        "Scope",
        [*known, *(term for term in address.scope if term not in known)],
        key="ask_scope",
        on_change=lambda: put_scope(st.session_state.ask_scope),
        accept_new_options=True,
        filter_mode="contains",
        placeholder="Whole knowledge base",
        help=markdown("Search only where this holds; never relaxed. Several values of one field: any of them. Type field!=value to leave one out."),
    )


def _widget(page: str, control: Control, address: Address, base: Settings) -> None:
    key = f"{page}_{control.name}"
    field = _field(control.name)
    own = own_value(control.name, base)
    seed(key, _shown(address.values.get(control.name), own, field))
    common: dict[str, Any] = {"key": key, "help": _help(field), "on_change": _write, "args": (control.name, key, base)}
    if isinstance(own, bool):
        st.toggle(control.label, **common)
    elif isinstance(own, int):
        low, high = _range(field)
        st.number_input(control.label, int(low), int(high), step=int(control.step), value="min", **common)
    else:
        low, high = _range(field)
        st.slider(control.label, float(low), float(high), step=control.step, **common)


def _write(name: str, key: str, base: Settings) -> None:
    put_setting(name, st.session_state[key], base)


def seed(key: str, value: Any) -> None:
    """Let a widget show what the address says, without touching it when it already does."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _shown(written: str | None, own: Any, field: FieldInfo) -> Any:
    """The value of the address where a widget can show it; a value that it cannot is named by the error on the page."""
    if written is None:
        return own
    kind: Any = Annotated[field.annotation, field]  # the type with its range
    try:
        return TypeAdapter(kind).validate_python(written)
    except ValidationError:
        return own


def _field(name: str) -> FieldInfo:
    owner, _, leaf = name.rpartition(".")
    return (RuleWeights if owner else Settings).model_fields[leaf]


def _range(field: FieldInfo) -> tuple[float, float]:
    known = unit_and_range(field)
    assert known is not None  # only numbers have a widget with a range
    return known[1], known[2]


def _help(field: FieldInfo) -> str:
    known = unit_and_range(field)
    return markdown(f"{field.description} In {known[0]}, {known[1]:,} to {known[2]:,}." if known else str(field.description))
