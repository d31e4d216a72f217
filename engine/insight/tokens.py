"""How a text is cut, shown with the very functions that cut documents and questions."""

from __future__ import annotations

from itertools import pairwise

from engine.contracts.tokens import EmbedderTokens, RecognisedName, TextToken, TokenReport
from engine.errors import BlankQuery
from engine.index.embedding import Embedder
from engine.knowledge.entities import entities
from engine.plain_text import fold, plain, valid_unicode
from engine.settings import Settings
from engine.text import Token, pairs, phrase_key, terms, tokenize
from engine.tokenizer import TokenMap


def token_report(text: str, embedder: Embedder, settings: Settings) -> TokenReport:
    """How a text is cut, as part of a document or as a question; no model is loaded.

    Raises:
        BlankQuery: the text has no character but white space.
    """
    text = valid_unicode(text)
    if not text.strip():
        raise BlankQuery("the text is blank; give the words whose cut you want to see")
    return TokenReport(
        text=text,
        tokens=tuple(_text_token(text, token) for token in tokenize(text)),
        terms=tuple(terms(text)),
        pairs=tuple(pairs(text)),
        phrase=phrase_key(text),
        names=tuple(RecognisedName(text=one.text, kind=one.kind, term=one.term, only_if_known=one.kind == "service_name") for one in entities(text)),
        embedder=_embedder_tokens(text, embedder, settings),
    )


def _text_token(text: str, token: Token) -> TextToken:
    written = text[token.start : token.end]
    folded = fold(plain(written))
    return TextToken(
        written=written,
        kind=token.kind,
        folded=folded,
        term=token.term,
        stemmed=token.term != folded,
        stop_lists=token.stop_lists,
        start=token.start,
        end=token.end,
    )


def _embedder_tokens(text: str, embedder: Embedder, settings: Settings) -> EmbedderTokens:
    tokenizer = embedder.tokenizer
    token_map = tokenizer.map(text)
    starts = [*token_map.starts.tolist(), len(text)]
    pieces = tuple(text[start:end].rstrip() for start, end in pairwise(starts))
    return EmbedderTokens(
        tokenizer=tokenizer.name,
        tokens=len(pieces),
        reserved=tokenizer.reserved,
        limit=embedder.max_tokens,
        fits=len(pieces) + tokenizer.reserved <= embedder.max_tokens,
        readable=round(token_map.readable(0, len(text)), 6),
        minimum_readable=settings.minimum_readable,
        pieces=pieces,
        unknown=_unknown(text, token_map, starts),
    )


def _unknown(text: str, token_map: TokenMap, starts: list[int]) -> tuple[str, ...]:
    """The stretches of tokens that the model does not know, without the white space that parts them."""
    flags = (token_map.unknown[1:] > token_map.unknown[:-1]).tolist()
    stretches = "".join(text[start:end] if flag else " " for flag, (start, end) in zip(flags, pairwise(starts), strict=True))
    return tuple(dict.fromkeys(stretches.split()))
