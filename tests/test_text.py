"""The one tokeniser: folding, stems, identifiers, scripts without spaces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.knowledge.entities import entities
from engine.plain_text import clean, fold
from engine.text import pairs, phrase_key, search_terms, terms, tokenize
from engine.tokenizer import WordTokenizer


def test_case_width_and_accents_make_no_difference() -> None:
    assert fold("ÜBERPRÜFUNG") == fold("überprufung") == "uberprufung"
    assert fold("ＡＢＣ１２３") == "abc123"


def test_words_are_stemmed_on_both_sides() -> None:
    assert terms("draining the drained drains") == ["drain", "drain", "drain"]


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("payment-service", "payment-service", ["payment", "servic"]),
        ("ERR_SSL_4711", "err_ssl_4711", ["err", "ssl", "4711"]),
        ("v1.31.2", "v1.31.2", ["v1", "31", "2"]),
        ("KubePodCrashLooping", "kubepodcrashloop", ["kube", "pod", "crash", "loop"]),
        ("DNSFailover", "dnsfailov", ["dns", "failov"]),
        ("OAuth2Proxy", "oauth2proxy", ["o", "auth", "2", "proxi"]),
        ("std::vector", "std::vector", ["std", "vector"]),
        ("R&D", "r&d", ["r"]),
        ("etcd/raft", "etcd/raft", ["etcd", "raft"]),
        ("LDG-1077/LDG-1078", "ldg-1077/ldg-1078", ["ldg-1077", "ldg", "1077", "ldg-1078", "ldg", "1078"]),
        ("error:LDG-1042", "error:ldg-1042", ["error", "ldg-1042", "ldg", "1042"]),
        ("10.86.24.0/24", "10.86.24.0/24", ["10.86.24.0", "10", "86", "24", "0", "24"]),
    ],
)
def test_an_identifier_is_kept_whole_and_split(text: str, whole: str, parts: list[str]) -> None:
    assert terms(text) == [whole, *parts]


def test_c_plus_plus_is_not_c() -> None:
    assert terms("C++") == ["c++"]
    assert terms("C#") == ["c#"]


def test_a_name_has_one_term_however_its_case_is_written() -> None:
    assert terms("KubePodCrashLooping")[0] == terms("kubepodcrashlooping")[0] == entities("KubePodCrashLooping")[0].term


@pytest.mark.parametrize(
    ("written", "plainly"),
    [
        ("ＥＲＲ－４７１１", "ERR-4711"),
        ("Ｃ＋＋", "C++"),
        ("payment\u2011service", "payment-service"),
        ("Kuber\u00adnetes", "Kubernetes"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
    ],
)
def test_width_kind_of_hyphen_and_unseen_marks_make_no_difference(written: str, plainly: str) -> None:
    assert terms(written) == terms(plainly)
    assert terms(f"see {written} there") == terms(f"see {plainly} there")


ODD = st.sampled_from("aeC+-＋－.ｶﾞ\u0301\u200d\u00ad\u2011\u1100\u1161\u11a8각ﬁ½①")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(codec="utf-8"), ODD), max_size=12))
def test_a_text_has_the_same_terms_before_and_after_cleaning(text: str) -> None:
    assert terms(text) == terms(clean(text)) == [token.term for token in tokenize(text) if not token.stop]
    assert phrase_key(text) == phrase_key(clean(text))
    assert clean(clean(text)) == clean(text)


PIECES = st.sampled_from([*"-_./&# ", "::", "C++", "the ", "Backup", "pay", "4711", "KubePod", "é", "\u0301", "我们", "备份", "的"])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(alphabet=ODD, max_size=60)))
def test_one_pass_gives_the_terms_and_the_pairs_of_the_tokens(text: str) -> None:
    kept = [token for token in tokenize(text) if not token.stop]
    paired = [token.term for token in kept if token.kind in ("word", "part", "bigram")]
    assert search_terms(text) == ([token.term for token in kept], paired)
    assert (terms(text), pairs(text)) == ([token.term for token in kept], [" ".join(pair) for pair in pairwise(paired)])


def test_offsets_point_into_the_text_as_it_was_given() -> None:
    text = "ﬁnd Ｃ＋＋ and ｶﾞ in pay\u00adment"
    assert [text[token.start : token.end] for token in tokenize(text)] == ["ﬁnd", "Ｃ＋＋", "and", "ｶﾞ", "in", "pay\u00adment"]


def test_a_dropped_word_says_which_lists_drop_it() -> None:
    assert {token.term: token.stop_lists for token in tokenize("where in der Doku 吗")} == {
        "where": ("english",),
        "in": ("english",),
        "der": ("german",),
        "doku": (),
        "吗": ("chinese",),
    }


@pytest.mark.parametrize("text", ["这是什么", "你们的", "怎么了"])
def test_a_chinese_run_of_stop_words_alone_has_no_terms(text: str) -> None:
    assert terms(text) == []
    assert "目的" in terms("目的")


def test_chinese_gives_bigrams_and_unigrams_and_mixed_text_keeps_all_its_parts() -> None:
    found = terms("每日复盘 cron 备份")
    assert {"每日", "日复", "复盘", "cron", "备份", "备"} <= set(found)


def test_two_characters_inside_a_chinese_sentence_are_among_its_terms() -> None:
    assert "教材" in terms("如需修改教材请联系教务处办理")


@pytest.mark.parametrize("text", ["？？？", "的", "怎么办", "what is it", "...", "😀"])
def test_a_text_without_a_searchable_word_has_no_terms(text: str) -> None:
    assert terms(text) == []


def test_a_long_run_of_chinese_stop_words_is_read_at_once() -> None:
    assert terms("我们" * 5_000) == []
    assert "书" in terms("我们" * 5_000 + "书")


def test_a_phrase_key_keeps_stop_words_and_splits_identifiers() -> None:
    assert phrase_key("Time-To-Live of the Cache") == "time to live of the cache"
    assert phrase_key("修改教材") == "修改 改教 教材"


def test_ordered_pairs_skip_stop_words() -> None:
    assert pairs("restore of the backup") == ["restor backup"]


def test_offsets_point_into_the_text() -> None:
    text = "Restart payment-service, 备份!"
    cut = [text[token.start : token.end] for token in tokenize(text) if token.kind in ("word", "whole", "bigram")]
    assert cut == ["Restart", "payment-service", "备份"]


def test_cleaning_makes_one_space_of_any_white_space() -> None:
    assert clean("  a\u3000b\n\tc ") == "a b c"


def test_the_word_tokenizer_counts_words_marks_and_cjk_characters() -> None:
    assert WordTokenizer().count("Restart it, 备份") == 5


@pytest.mark.parametrize("text", ["ㅋㅋㅠㅠ payment-service", "ㅎㅏ payment-service", "ﾡￂ payment-service", "가ㄳ payment-service"])
def test_offsets_are_right_after_letters_that_compose(text: str) -> None:
    assert [text[token.start : token.end] for token in tokenize(text) if token.kind == "whole"] == ["payment-service"]


@pytest.mark.parametrize("unseen", ["\u200b", "\u200e", "\u202a", "\u2060", "\ufe0f", "\u00ad"])
def test_a_mark_that_nobody_sees_does_not_part_a_word(unseen: str) -> None:
    assert terms(f"data{unseen}bases and ERR{unseen}_SSL_4711") == terms("databases and ERR_SSL_4711")


def test_a_phrase_tells_languages_of_one_letter_apart() -> None:
    assert [phrase_key(name) for name in ("C", "C++", "C#", "learn C++ now")] == ["c", "c++", "c#", "learn c++ now"]
