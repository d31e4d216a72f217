"""How a text is cut: what is searched for, what is dropped, which names are in it, and how the embedding model counts it."""

from __future__ import annotations

from pydantic import Field

from engine.contracts.base import Contract


class TextToken(Contract):
    """A piece of the text and the term that stands for it in the index and in a question."""

    written: str = Field(description="The piece as it stands in the text.")
    kind: str = Field(description="`word`, `whole` (an identifier), `part` (of an identifier), `bigram` or `unigram` (scripts without spaces).")
    folded: str = Field(description="Without differences of case, width and accents.")
    term: str = Field(description="What is searched for: the folded form, and its English stem where it is plain Latin letters.")
    stemmed: bool = Field(description="Whether the stem differs from the folded form.")
    stop_lists: tuple[str, ...] = Field(description="The lists of stop words that drop it; empty: it is searched for.")
    start: int = Field(ge=0, description="First character in the text.")
    end: int = Field(ge=0, description="Character after the last one.")


class RecognisedName(Contract):
    """A name or code that is recognised by its form."""

    text: str
    kind: str = Field(description="`error_code`, `alert_name`, `identifier` or `service_name`.")
    term: str = Field(description="The search term of the whole name.")
    only_if_known: bool = Field(description="Whether a question counts it only where a document of the knowledge base has the name.")


class EmbedderTokens(Contract):
    """How the embedding model counts the text."""

    tokenizer: str
    tokens: int = Field(ge=0, description="Tokens of the text, special ones left out.")
    reserved: int = Field(ge=0, description="Special tokens that the model adds.")
    limit: int = Field(ge=1, description="The most tokens that the model reads, special ones included.")
    fits: bool = Field(description="Whether the text with the special tokens stays within the limit.")
    readable: float = Field(ge=0, le=1, description="Share of the tokens that the model knows, six decimals.")
    minimum_readable: float = Field(ge=0, le=1, description="Below this share a question or passage is no evidence.")
    pieces: tuple[str, ...] = Field(description="The text at the borders of the model's tokens.")
    unknown: tuple[str, ...] = Field(description="Words and characters that the model does not know, each once.")


class TokenReport(Contract):
    """How one text is cut. The same function cuts documents and questions."""

    text: str
    tokens: tuple[TextToken, ...] = Field(description="In the order of the text, an identifier before its parts.")
    terms: tuple[str, ...] = Field(description="What is searched for, as often as it occurs; equal to what the index stores for the text.")
    pairs: tuple[str, ...] = Field(description="Neighbours among the terms, for the rule about the order of words.")
    phrase: str = Field(description="The words that L0 compares with titles, keywords, aliases and names.")
    names: tuple[RecognisedName, ...]
    embedder: EmbedderTokens
