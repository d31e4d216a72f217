"""Public reports about words, scripts and tokens, retold on the real engine with the hash embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contracts.codes import ReasonCode
from engine.knowledge.chunking import chunk_document
from engine.knowledge.document import read_document
from engine.tokenizer import Tokenizer, WordTokenizer
from tests.knowledge_base import WordVectorsModelTokens, open_bench, open_engine

SENTENCE = "如需修改教材请联系教务处"
BACKUP = "# 每日复盘\n\n每日复盘 cron 备份\n"
HELLO = {"greetings/hello.md": "# Greeting\n\nHello, World!\n", "greetings/morning.md": "# Morning\n\nGood morning, dear colleagues.\n"}
CHINESE = {f"zh/{i}.md": f"# 文档{i}\n\n第{i}号仓库的世界地图放在{i}楼。\n" for i in range(20)}


def test_two_characters_inside_a_chinese_sentence_are_found_and_the_token_view_shows_the_cut(tmp_path: Path) -> None:
    """Case 34, claude-obsidian#120 and haystack's word pattern: a sentence without spaces was one word."""
    assert len(SENTENCE) == 12
    with open_engine(tmp_path, {"zh/books.md": f"# 通知\n\n{SENTENCE}\n", "zh/rooms.md": "# 教室\n\n门卫处领取钥匙\n"}) as engine:
        result = engine.lookup_knowledge("教材")
        shown = engine.tokens(SENTENCE)
    assert result.evidence_blocks[0].source == "zh/books.md"
    assert [token.written for token in shown.tokens if token.kind == "bigram"] == [SENTENCE[i : i + 2] for i in range(11)]
    assert "教材" in shown.terms


def test_a_model_that_cannot_read_chinese_says_so_instead_of_guessing(tmp_path: Path) -> None:
    """Case 34, with the tokenizer of the bundled model: the same sentence is no evidence, and the reason is named."""
    result = open_bench(tmp_path, {"zh/books.md": f"# 通知\n\n{SENTENCE}\n"}, WordVectorsModelTokens()).look_up("修改教材")
    assert (result.found, result.reason_code) == (False, ReasonCode.UNREADABLE_BY_EMBEDDER)


@pytest.mark.parametrize("part", ["每日复盘", "cron", "备份"])
def test_each_part_of_a_mixed_text_counts(tmp_path: Path, part: str) -> None:
    """Case 35, mempalace PR#1338: in `每日复盘 cron 备份` only one of the scripts was searched for."""
    with open_engine(tmp_path, {"jobs/backup.md": BACKUP, "jobs/mail.md": "# 邮件\n\n邮件 queue 清理\n"}, evidence_floor=0.1) as engine:
        alone = engine.lookup_knowledge(part)
        whole = engine.lookup_knowledge("每日复盘 cron 备份")
        without = engine.lookup_knowledge(" ".join({"每日复盘", "cron", "备份"} - {part}))
    assert alone.evidence_blocks[0].source == whole.evidence_blocks[0].source == "jobs/backup.md"
    assert whole.completeness_hint.missing_terms == ()
    assert whole.evidence_blocks[0].similarity > without.evidence_blocks[0].similarity


@pytest.mark.parametrize("question", ["？？？", "的", "你的", "这是什么", "😀 …", "what is it"])
def test_a_question_without_a_word_to_search_for_finds_nothing_and_says_why(tmp_path: Path, question: str) -> None:
    """Case 36, Bamboo PR#243, zoty#21, typesense PR#2914: a question without usable tokens returned every document."""
    with open_engine(tmp_path, {**HELLO, **CHINESE}) as engine:
        result = engine.lookup_knowledge(question)
    assert (result.found, result.reason_code) == (False, ReasonCode.NO_SEARCHABLE_TEXT)
    assert "has no word to search for" in result.message
    assert result.retrieval_trace.attempts == ()


def test_documents_in_another_script_do_not_move_an_english_one(tmp_path: Path) -> None:
    """Case 38, duckdb#6544: with Chinese documents beside it, `Hello, World!` was not found by `world` any more."""
    found = []
    for name, files in (("alone", HELLO), ("beside", {**HELLO, **CHINESE})):
        with open_engine(tmp_path / name, files) as engine:
            found.append(engine.lookup_knowledge("world"))
    alone, beside = (result.rerank_trace.entries[0] for result in found)
    assert (alone.source, alone.base_rank, alone.final_rank) == ("greetings/hello.md", 1, 1)
    assert (beside.source, beside.base_rank, beside.final_rank, beside.base_score) == (alone.source, 1, 1, alone.base_score)


@pytest.mark.parametrize("tokenizer", [WordTokenizer(), WordVectorsModelTokens().tokenizer], ids=lambda one: str(one.name))
@pytest.mark.parametrize("emoji", ["👩🏽‍🚀", "👨‍👩‍👧", "👍🏽", "❤️", "🇩🇪", "！\ufe0f", "e\u0301", "𠮷"])
def test_a_chunk_border_never_falls_inside_an_emoji(tokenizer: Tokenizer, emoji: str) -> None:
    """Case 40, qmd#777: a text cut by bytes or code units had broken characters at its ends."""
    chunks = chunk_document(read_document("d.md", emoji * 300, ""), tokenizer, 40)
    assert len(chunks) > 1
    assert "".join(chunk.content for chunk in chunks) == emoji * 300
    assert all(chunk.content.replace(emoji, "") == "" for chunk in chunks)


@pytest.mark.parametrize("budget", [130, 150, 200])
@pytest.mark.parametrize("between", [" ", ""])
def test_a_pack_cut_inside_a_line_of_emoji_has_no_broken_character(tmp_path: Path, between: str, budget: int) -> None:
    """Case 40, qmd#777: the budget cuts, too."""
    body = "# Party\n\nparty hats and cake " + f"👩🏽‍🚀{between}👨‍👩‍👧{between}🇩🇪{between}" * 30
    with open_engine(tmp_path, {"party.md": body}, budget_tokens=budget) as engine:
        pack = engine.lookup_knowledge("party hats and cake").context_pack
    rest = pack.text.replace("👩🏽‍🚀", "").replace("👨‍👩‍👧", "").replace("🇩🇪", "")
    assert pack.included[0].truncated and pack.used_tokens <= budget
    assert rest != pack.text and not set("👩🏽‍🚀👨‍👧🇩🇪\ufffd") & set(rest)
