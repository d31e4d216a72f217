"""How a text is cut, for reading."""

from __future__ import annotations

from engine.console.terminal import aligned, printable
from engine.contracts.tokens import EmbedderTokens, TextToken, TokenReport


def tokens_text(report: TokenReport) -> str:
    """How a text is cut, for reading."""
    rows = [("  " * (token.kind == "part") + token.written, token.kind, *_term_and_note(token)) for token in report.tokens]
    names = [(name.text, name.kind.replace("_", " "), "in a question only where a document has it" * name.only_if_known) for name in report.names]
    lines = ["The same function cuts documents and questions.", ""]
    lines += aligned([("written", "cut as", "search term", ""), *rows]) if rows else ["There is no word in it."]
    count = str(len(report.terms)) if report.terms else "none; a question of this alone is not searched for in texts"
    lines += ["", f"Search terms: {count}", f"L0 compares: {report.phrase or 'nothing'}"]
    lines += ["Names: none recognised"] if not names else ["Names:", *(f"  {line}" for line in aligned(names))]
    return printable([*lines, "", *_embedder_lines(report.embedder)])


def _term_and_note(token: TextToken) -> tuple[str, str]:
    if token.stop_lists:
        return "-", f"stop word ({', '.join(token.stop_lists)})"
    return token.term, f"stem of {token.folded}" if token.stemmed else ""


def _embedder_lines(counted: EmbedderTokens) -> list[str]:
    room = "" if counted.fits else "; the rest is not read"
    unreadable = counted.readable < counted.minimum_readable
    too_little = f", less than the least share of {counted.minimum_readable:.0%}, so it is no evidence" if unreadable else ""
    tokens = f"{counted.tokens} tokens and {counted.reserved} special ones of at most {counted.limit}{room}"
    return [
        f"Embedding model: tokenizer {counted.tokenizer}, {tokens}",
        f"  it reads {counted.readable:.0%}{too_little}",
        f"  unknown to it: {'  '.join(counted.unknown) or 'nothing'}",
        f"  its tokens: {' | '.join(counted.pieces) or 'none'}",
    ]
