"""The context that an agent receives, against its budget: what is in, what was cut, what was left out."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.contracts.lookup import LookupResult
from pages.ui.palette import AMBER, BLUE, CLEAR, GRAY, ROSE
from pages.ui.safe import markdown, plotly, shorten

PACKED, LEFT_OUT = 1, 0  # rows of the picture
HATCH = {"shape": "/", "size": 8, "solidity": 0.3, "fillmode": "overlay", "fgcolor": "rgba(255,255,255,0.75)"}


def pack_panel(result: LookupResult) -> None:
    """Draw the budget, the fate of every block, and the packed text itself."""
    pack = result.context_pack
    st.subheader("4. Packing the context", anchor="pack")
    if not pack.included and not pack.omitted:
        st.text(f"Nothing to pack. The budget is {pack.budget_tokens:,} tokens.")
        return
    cut = sum(item.truncated for item in pack.included)
    st.markdown(
        f":material/inventory_2: **{pack.used_tokens:,} of {pack.budget_tokens:,} tokens used.** "
        f"Blocks: {len(pack.included)} in, of these {cut} cut, and {len(pack.omitted)} left out. Counted by {markdown(pack.tokenizer)}."
    )
    st.plotly_chart(
        budget_figure(result),
        key="ask_budget",
        config={"displayModeBar": False},
        alt=f"{pack.used_tokens} of {pack.budget_tokens} tokens used by {len(pack.included)} blocks, {len(pack.omitted)} left out",
    )
    with st.expander("Every block of the context", key="ask_pack_blocks", icon=":material/table_rows:"):
        _table(result)
    with st.expander("The packed text, as an agent reads it", key="ask_pack_text", icon=":material/data_object:"):
        st.code(pack.text, language=None, wrap_lines=True, height=420)


def budget_figure(result: LookupResult) -> go.Figure:
    """One bar of packed blocks and free room up to the budget; below it, to the same scale, the blocks left out."""
    pack, numbers = result.context_pack, _numbers(result)
    figure = go.Figure()
    end = 0
    for item in pack.included:
        words = f"{'cut to fit' if item.truncated else 'whole'}<br>{_name(item.id)}"
        _segment(figure, PACKED, end, item.tokens, numbers[item.id], BLUE, hatched=item.truncated, words=words)
        end += item.tokens
    free = pack.budget_tokens - pack.used_tokens
    if free:
        _segment(figure, PACKED, pack.used_tokens, free, "", CLEAR, outline=GRAY, words="free room")
    end = 0
    for omitted in pack.omitted:
        words = f"left out: {plotly(omitted.reason)}<br>{_name(omitted.id)}"
        _segment(figure, LEFT_OUT, end, omitted.tokens, numbers[omitted.id], CLEAR, outline=ROSE, words=words)
        end += omitted.tokens
    figure.add_vline(x=pack.budget_tokens, line={"color": AMBER, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=pack.budget_tokens,
        y=1.0,
        yref="paper",
        text=f"budget {pack.budget_tokens:,}",
        xanchor="right",
        yanchor="bottom",
        showarrow=False,
        font={"color": AMBER, "size": 12},
    )
    _row_name(figure, PACKED, "Packed")
    if pack.omitted:
        _row_name(figure, LEFT_OUT, "Left out")
    lowest = LEFT_OUT if pack.omitted else PACKED
    figure.update_layout(
        barmode="overlay", height=250 if pack.omitted else 160, margin={"l": 8, "r": 16, "t": 30, "b": 36}, showlegend=False, bargap=0
    )
    longest = max(pack.budget_tokens, end)
    figure.update_xaxes(range=[-0.003 * longest, 1.005 * longest], showgrid=False, zeroline=False, title="tokens", fixedrange=True)
    figure.update_yaxes(range=[lowest - 0.35, PACKED + 0.6], visible=False, fixedrange=True)
    return figure


def _segment(
    figure: go.Figure,
    row: int,
    start: int,
    tokens: int,
    label: str,
    color: str,
    *,
    words: str,
    outline: str = "rgba(255,255,255,0.65)",
    hatched: bool = False,
) -> None:
    figure.add_bar(
        orientation="h",
        y=[row],
        base=[start],
        x=[tokens],
        width=0.5,
        text=[label],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "white" if row == PACKED else outline},
        marker={"color": color, "line": {"color": outline, "width": 1.5}, "pattern": HATCH if hatched else {}},
        hovertext=[f"<b>{tokens:,} tokens</b>, {words}"],
        hoverinfo="text",
    )


def _row_name(figure: go.Figure, row: int, text: str) -> None:
    figure.add_annotation(x=0, xref="paper", y=row, yshift=32, text=text, showarrow=False, xanchor="left", font={"size": 12, "color": GRAY})


def _name(block_id: str) -> str:
    return plotly(shorten(block_id, 64))


def _numbers(result: LookupResult) -> dict[str, str]:
    """The number under which the page shows each block."""
    return {block.id: str(number) for number, block in enumerate(result.evidence_blocks, start=1)}


def _table(result: LookupResult) -> None:
    numbers = _numbers(result)
    included = [
        {
            "Block": numbers[item.id],
            "In the context": "cut to fit" if item.truncated else "whole",
            "Tokens": item.tokens,
            "Lines": f"{item.lines.start}-{item.lines.end}",
            "Source": item.source,
            "Passage": item.id,
        }
        for item in result.context_pack.included
    ]
    omitted = [
        {
            "Block": numbers[item.id],
            "In the context": f"left out: {item.reason}",
            "Tokens": item.tokens,
            "Lines": "",
            "Source": item.source,
            "Passage": item.id,
        }
        for item in result.context_pack.omitted
    ]
    st.dataframe(
        pd.DataFrame([*included, *omitted]), key="ask_pack_table", hide_index=True, alt="Blocks in the context and blocks left out, with tokens"
    )
