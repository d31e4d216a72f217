"""Counting tokens: as the model does, and by length where a vocabulary stops."""

from __future__ import annotations

import pytest

from engine.tokenizer import Tokenizer, WordTokenizer
from tests.knowledge_base import WordVectorsModelTokens

TOKENIZERS = [WordTokenizer(), WordVectorsModelTokens().tokenizer]


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda one: one.name)
def test_a_word_of_any_length_costs_by_its_length(tokenizer: Tokenizer) -> None:
    assert tokenizer.count("deadbeef" * 40_000) == 80_000
    assert tokenizer.count("a" + " " * 64_000 + "b") > 900
    assert (tokenizer.count(""), tokenizer.count("hello world")) == (0, 2)


def test_a_word_that_the_model_does_not_know_is_unreadable_whatever_its_length() -> None:
    tokens = TOKENIZERS[1].map("deadbeef" * 40_000)
    assert tokens.readable(0, 320_000) == 0.0
