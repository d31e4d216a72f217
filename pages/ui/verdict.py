"""The answer first: found or not, how near, how complete, and why, in one line."""

from __future__ import annotations

import streamlit as st

from engine.contracts.codes import CompletenessLevel, RelevanceLevel
from engine.contracts.lookup import LookupResult
from pages.ui.palette import BadgeColor
from pages.ui.safe import markdown

RELEVANCE_COLORS: dict[RelevanceLevel, BadgeColor] = {
    RelevanceLevel.HIGH: "green",
    RelevanceLevel.MEDIUM: "blue",
    RelevanceLevel.LOW: "orange",
    RelevanceLevel.NONE: "gray",
}
COMPLETENESS_COLORS: dict[CompletenessLevel, BadgeColor] = {
    CompletenessLevel.COMPLETE: "green",
    CompletenessLevel.PARTIAL: "orange",
    CompletenessLevel.TRUNCATED: "orange",
    CompletenessLevel.NONE: "gray",
}
COMPLETENESS_WORDS = {
    CompletenessLevel.COMPLETE: "complete",
    CompletenessLevel.PARTIAL: "partial",
    CompletenessLevel.TRUNCATED: "truncated",
    CompletenessLevel.NONE: "nothing covered",
}


def verdict_banner(result: LookupResult) -> None:
    """Draw the verdict and, below it, what the evidence leaves open."""
    message = markdown(result.message)
    if not result.found:
        st.warning(message, title="No evidence found", icon=":material/search_off:")
    elif result.relevance_level is RelevanceLevel.LOW:
        st.info(message, title="Evidence found, of low relevance", icon=":material/help:")
    else:
        st.success(message, title=f"Evidence found, of {result.relevance_level} relevance", icon=":material/verified:")
    pack, hint = result.context_pack, result.completeness_hint
    with st.container(horizontal=True, gap="xsmall", key="ask_verdict_facts"):
        st.badge(f"Relevance: {result.relevance_level}", color=RELEVANCE_COLORS[result.relevance_level], icon=":material/target:")
        st.badge(f"Completeness: {COMPLETENESS_WORDS[hint.level]}", color=COMPLETENESS_COLORS[hint.level], icon=":material/checklist:")
        st.badge(f"Reason: {result.reason_code}", color="gray", icon=":material/tag:")
        st.badge(f"Blocks: {len(result.evidence_blocks)}", color="gray", icon=":material/article:")
        st.badge(f"Context: {pack.used_tokens:,} of {pack.budget_tokens:,} tokens", color="gray", icon=":material/inventory_2:")
    missing = f" Not in it: **{markdown(', '.join(hint.missing_terms))}**." if hint.missing_terms else ""
    st.caption(f"{markdown(hint.note)}{missing}")
