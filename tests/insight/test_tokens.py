"""The token view: what it shows is what the index stores and what a question is searched by."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine import BadInput, TokenReport
from engine.console.tokens_text import tokens_text
from engine.contracts.tokens import TextToken
from engine.index.embedding import HashEmbedder
from engine.index.search_terms import TEXT
from engine.insight.tokens import token_report
from engine.settings import Settings
from tests.knowledge_base import WordVectorsModelTokens, hash_settings, open_bench, open_engine

TEXTS = [
    "Where do I restart payment-service after ERR_SSL_4711 on KubePodCrashLooping?",
    "C++ a/b v1.31.2 R&D std::vector café naïve draining drained",
    "每日复盘 cron 备份，错误：ＥＲＲ－４７１１ 是什么",
    "Kuber\u00adnetes payment\u2011service ｶﾞｲﾄﾞ ﬁle 😀",
]


def report(text: str) -> TokenReport:
    return token_report(text, WordVectorsModelTokens(), Settings())


def row(text: str, written: str) -> TextToken:
    return next(token for token in report(text).tokens if token.written == written)


@pytest.mark.parametrize("text", TEXTS)
def test_the_terms_of_a_question_are_those_that_the_index_stores_for_the_same_text(tmp_path: Path, text: str) -> None:
    bench = open_bench(tmp_path, {"notes/one.md": f"# T\n\n{text}\n"})
    shown = report(text).terms
    question = bench.question(text)
    stored = bench.snapshot.terms.counts_in(TEXT, shown, [0])[0]
    assert Counter(shown) == Counter(report(question.text).terms)
    assert {term: stored[term] for term in shown} == Counter(shown)


@pytest.mark.parametrize("text", TEXTS)
def test_the_engine_shows_the_same_report_and_it_survives_json(tmp_path: Path, text: str) -> None:
    with open_engine(tmp_path, {"one.md": "# One\n\nText.\n"}) as engine:
        found = engine.tokens(text)
    assert found.tokens == report(text).tokens
    assert TokenReport.model_validate_json(found.model_dump_json()) == found
    assert found.terms == tuple(token.term for token in found.tokens if not token.stop_lists)


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        report("one").text = "two"  # type: ignore[misc]


def test_a_stem_is_named_with_the_word_that_it_comes_from() -> None:
    found = row("the draining node", "draining")
    assert (found.folded, found.term, found.stemmed) == ("draining", "drain", True)
    assert not row("the draining node", "node").stemmed


def test_a_stop_word_is_named_with_its_list() -> None:
    assert row("where is the node", "where").stop_lists == ("english",)
    assert row("wann ist es", "ist").stop_lists == ("german",)
    assert row("备份是什么", "什么").stop_lists == ("chinese",)


def test_chinese_is_shown_as_unigrams_and_bigrams() -> None:
    assert [(token.written, token.kind) for token in report("修改教材").tokens] == [
        *(("修", "unigram"), ("修改", "bigram"), ("改", "unigram"), ("改教", "bigram")),
        *(("教", "unigram"), ("教材", "bigram"), ("材", "unigram")),
    ]


def test_names_are_shown_with_their_kind() -> None:
    found = {name.text: (name.kind, name.only_if_known) for name in report(TEXTS[0]).names}
    assert found == {
        "payment-service": ("service_name", True),
        "ERR_SSL_4711": ("error_code", False),
        "KubePodCrashLooping": ("alert_name", False),
    }


def test_the_model_says_how_it_counts_and_what_it_does_not_know() -> None:
    counted = report("备份 of the tokenizer 😀").embedder
    assert (counted.tokenizer, counted.tokens, counted.reserved, counted.limit, counted.fits) == ("all-MiniLM-L6-v2", 7, 2, 256, True)
    assert counted.pieces == ("备", "份", "of", "the", "token", "izer", "😀")
    assert (counted.unknown, counted.readable) == (("备份", "😀"), 0.571429)


def test_a_text_that_the_model_does_not_read_to_the_end_says_so() -> None:
    assert report("word " * 254).embedder.fits
    assert not report("word " * 255).embedder.fits


@pytest.mark.parametrize("text", ["", "  \n\u3000"])
def test_a_blank_text_is_bad_input(tmp_path: Path, text: str) -> None:
    with open_engine(tmp_path, {"one.md": "# One\n\nText.\n"}) as engine, pytest.raises(BadInput, match="the text is blank"):
        engine.tokens(text)


def test_a_lone_surrogate_is_shown_as_a_replacement_mark(tmp_path: Path) -> None:
    assert token_report("a\ud800b", WordVectorsModelTokens(), hash_settings(tmp_path)).text == "a\ufffdb"


def test_one_long_identifier_does_not_widen_the_column_of_all(tmp_path: Path) -> None:
    text = "a-" * 2_000 + "b"
    printed = tokens_text(token_report(text, HashEmbedder(), hash_settings(tmp_path)))
    assert len(printed) < 100 * len(text)
