"""What was found: the evidence blocks, or without evidence the closest candidates, named as what they are not."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.contracts.codes import ReasonCode
from engine.contracts.lookup import EvidenceBlock, LookupResult
from engine.contracts.lookup_trace import AttemptTrace
from pages.ui.safe import badge, markdown, shorten

NEXT_STEPS = {
    ReasonCode.EMPTY_KNOWLEDGE_BASE: "The knowledge base has no text yet: add Markdown files to its folder and sync.",
    ReasonCode.NO_SEARCHABLE_TEXT: "Nothing was searched: the question has no word in it that could be found. Name the thing, the code or the alert.",
    ReasonCode.L1_DISABLED: "Nothing was searched: switch the vector search on again (the setting use_l1).",
    ReasonCode.NO_CANDIDATES: "Nothing was searched: no passage lies inside the scope.",
    ReasonCode.BELOW_FLOOR: "None of these is near enough to count as evidence. If one of them is what you looked for, lower the evidence floor "
    "in the sidebar, or write the document in the words of the question.",
    ReasonCode.UNREADABLE_BY_EMBEDDER: "The embedding model cannot read this language, so these similarities mean nothing. Set embedding_model in "
    "the evidence.toml of the knowledge base to a multilingual sentence-transformers model.",
    ReasonCode.FOUND: "",
}
SCOPED = " Only the scope in the sidebar was searched; widen it to search more."
OPEN_BLOCKS = 2  # the first ones are read; the others are scanned by their headings
SCROLL_LINES = 18  # a longer text scrolls in its own box, so that the next heading stays in sight
SCROLL_PIXELS = 380


def evidence_list(result: LookupResult) -> None:
    """Draw every evidence block in rank order."""
    st.header("Evidence", anchor="evidence", divider=False)
    cut = {item.id for item in result.context_pack.included if item.truncated}
    left_out = {item.id for item in result.context_pack.omitted}
    for number, block in enumerate(result.evidence_blocks, start=1):
        note = ", cut in the context" if block.id in cut else ", left out of the context" if block.id in left_out else ""
        heading = markdown(shorten(block.breadcrumb or block.title or block.source, 110))
        label = f"**{number}** · {heading} :gray[· similarity {block.similarity:.3f}{note}]"
        with st.expander(label, expanded=number <= OPEN_BLOCKS, key=f"ask_block_{number}", icon=":material/article:"):
            _block(block)


def _block(block: EvidenceBlock) -> None:
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.markdown(f":material/description: **{markdown(block.source)}**, {_lines(block)}", width="content")
        for category in block.categories:
            st.badge(badge(category), color="blue")
    long = block.content.count("\n") >= SCROLL_LINES
    st.code(block.content, language=None, wrap_lines=True, height=SCROLL_PIXELS if long else "content")
    with st.container(gap=None):
        for reason in block.hit_reasons:
            points = f"**{reason.points:+.6f}** · " if reason.points else ""
            st.caption(f"{points}{markdown(reason.text)} `{reason.code}`")
        st.caption(
            f"Score **{block.score:.6f}** · similarity {block.similarity:.6f} · {block.tokens} tokens · layer {block.retrieval_layer}"
            f" · {block.attempt} attempt"
        )


def _lines(block: EvidenceBlock) -> str:
    start, end = block.lines.start, block.lines.end
    return f"line {start}" if start == end else f"lines {start} to {end}"


def closest_candidates(result: LookupResult) -> None:
    """Without evidence: what came closest, and that it is not evidence."""
    st.header("Closest candidates, not evidence", anchor="closest")
    attempts = result.retrieval_trace.attempts
    st.caption(NEXT_STEPS[result.reason_code] + (SCOPED if result.scope else ""))
    if not attempts or not attempts[-1].candidates:
        return
    last = attempts[-1]
    candidate_table(last, key="ask_closest", alt="Candidates closest to the question; none of them is evidence")


def candidate_table(attempt: AttemptTrace, key: str, alt: str) -> None:
    """Draw the candidates of one attempt as a table."""
    rows = [
        {
            "Rank": candidate.rank,
            "Similarity": candidate.similarity,
            "Score": candidate.score,
            "After rerank": candidate.final_rank,
            "Evidence": candidate.evidence,
            "Why not": candidate.code or "",
            "Heading": candidate.breadcrumb or "",
            "Source": candidate.source,
            "Lines": f"{candidate.lines.start}-{candidate.lines.end}",
        }
        for candidate in attempt.candidates
    ]
    numbers = {name: st.column_config.NumberColumn(format="%.6f") for name in ("Similarity", "Score")}
    st.dataframe(pd.DataFrame(rows), key=key, alt=alt, hide_index=True, column_config=numbers)
