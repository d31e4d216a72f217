"""What the embedding model cannot read is in the report of a sync, whichever way it came about."""

from __future__ import annotations

from pathlib import Path

from engine.index.state import report
from tests.knowledge_base import WordVectorsModelTokens, open_bench, open_engine

LONG = "The depot closes at noon and opens again at one. " * 30


def test_a_chunk_longer_than_the_embedder_reads_is_a_problem_with_its_first_line(tmp_path: Path) -> None:
    with open_engine(tmp_path, {"hours.md": f"# Hours\n\n{LONG}\n", "short.md": "Text\n"}, chunk_tokens=400) as engine:
        [problem] = engine.report().problems
        assert (problem.source, problem.line, problem.code) == ("hours.md", 3, "beyond_embedder_limit")
        assert problem.message == "the embedding model reads 256 tokens and so not the end of 1 passage; set chunk_tokens to 0, or to 256 at most"


def test_the_default_length_leaves_nothing_unread(tmp_path: Path) -> None:
    with open_engine(tmp_path, {"hours.md": f"# Hours\n\n{LONG}\n"}) as engine:
        assert engine.report().problems == ()


def test_chinese_for_an_english_model_is_a_problem(tmp_path: Path) -> None:
    bench = open_bench(tmp_path, {"zh.md": "# 手册\n\n扫码失败时换一个包裹。\n\n## 电池\n\n电池低于两成时放回充电座。\n"}, WordVectorsModelTokens())
    [problem] = report(bench.snapshot, bench.settings).problems
    assert (problem.source, problem.line, problem.code) == ("zh.md", 3, "unreadable_by_embedder")
    assert "2 passages" in problem.message
