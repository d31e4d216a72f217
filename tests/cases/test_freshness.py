"""Reports about indexes that lagged behind their files; each number is the case's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import UnknownScope
from engine.index.embedding import HashEmbedder, unit
from engine.knowledge_engine import KnowledgeEngine
from tests.knowledge_base import document, hash_settings, open_bench, open_engine, write_files

PUMPS = {f"pumps/pump-{i}.md": f"# Pump {i}\n\nReplace the filter of pump {i} every {i + 3} weeks.\n" for i in range(30)}
FILTER = "When do I replace the filter of a pump?"


def test_case_54_an_edited_sentence_is_gone_after_the_sync_and_said_to_be_stale_before_it(tmp_path: Path) -> None:
    """pathreview#7, Termstory#239, PDF-Assistant-RAG#376."""
    text = document("# Valve\n\nThe valve opens at {} bar.\n", keywords=["{} bar"])
    with open_engine(tmp_path, {**PUMPS, "valve.md": text.replace("{}", "seventeen")}) as engine:
        before = engine.lookup_knowledge("At how many bar does the valve open?")
        write_files(tmp_path / "kb", {"valve.md": text.replace("{}", "forty")})
        assert engine.freshness().changed == ("valve.md",)
        assert engine.lookup_knowledge("At how many bar does the valve open?").canonical_json() == before.canonical_json()
        engine.sync()
        assert engine.freshness().fresh
        after = engine.lookup_knowledge("At how many bar does the valve open?")
        assert after.evidence_blocks[0].content == "The valve opens at forty bar."
        assert "seventeen" in before.canonical_json() and "seventeen" not in after.canonical_json()
        assert engine.lookup_knowledge("seventeen bar").retrieval_trace.hints.matched_keywords == ()
    with KnowledgeEngine.open(tmp_path / "kb", settings=engine.settings) as reopened:
        assert reopened.lookup_knowledge("At how many bar does the valve open?").canonical_json() == after.canonical_json()


def test_case_55_a_deleted_document_is_neither_hit_nor_cited_and_leaves_its_place_to_others(tmp_path: Path) -> None:
    """ragflow `_prune…`, meilisearch#1809, PDF-Assistant-RAG PR#403."""
    zebra = document(f"# Zebra pump\n\n{FILTER} On zebra days.\n", keywords=["zebra"], aliases=["striped horse"])
    with open_engine(tmp_path, {**PUMPS, "pumps/zebra.md": zebra}, candidate_count=10, max_blocks=8) as engine:
        before = engine.lookup_knowledge(FILTER)
        assert before.evidence_blocks[0].source == "pumps/zebra.md"
        (tmp_path / "kb/pumps/zebra.md").unlink()
        assert engine.freshness().deleted == ("pumps/zebra.md",)
        engine.sync()
        unique = engine.lookup_knowledge("zebra days of the striped horse")
        after = engine.lookup_knowledge(FILTER)
        with pytest.raises(UnknownScope):
            engine.lookup_knowledge(FILTER, scope={"source": "pumps/zebra.md"})
    hints = unique.retrieval_trace.hints
    assert (unique.found, hints.matched_keywords, hints.matched_titles) == (False, (), ())
    assert "pumps/zebra.md" not in unique.canonical_json() + after.canonical_json()
    shown = [(result.retrieval_trace.attempts[-1].candidate_count, len(result.evidence_blocks)) for result in (before, after)]
    assert shown == [(10, 8)] * 2
    assert {block.source for block in after.evidence_blocks} <= PUMPS.keys()


def test_case_57_other_rule_weights_score_anew_and_the_old_ones_as_before(tmp_path: Path) -> None:
    """qmd#764: scores that were cached for other weights."""
    with open_engine(tmp_path, PUMPS) as engine:
        first = engine.lookup_knowledge(FILTER)
        other = engine.with_settings(engine.settings.changed({"rule_weights.title": 0.9})).lookup_knowledge(FILTER)
        assert engine.lookup_knowledge(FILTER).canonical_json() == first.canonical_json()
    assert [rule.weight for rule in other.rerank_trace.rules if rule.code == "title"] == [0.9]
    fresh = hash_settings(tmp_path / "fresh").changed({"rule_weights.title": 0.9})
    with KnowledgeEngine.open(tmp_path / "kb", settings=fresh) as anew:
        assert anew.lookup_knowledge(FILTER).canonical_json() == other.canonical_json()
    assert other.rerank_trace.entries[0].score > first.rerank_trace.entries[0].score


class Retrained(HashEmbedder):
    """Another model of the same name: every vector is turned round."""

    fingerprint = "hash-retrained"

    def embed_query(self, text: str) -> np.ndarray:
        return unit(np.roll(super().embed_query(text), 5) + np.float32(0.01))


def test_case_57_another_model_scores_anew_and_the_old_one_as_before(tmp_path: Path) -> None:
    """qmd#764: vectors and scores that were cached for another model."""
    first = open_bench(tmp_path, PUMPS).look_up(FILTER)
    other = open_bench(tmp_path, PUMPS, Retrained()).look_up(FILTER)
    anew = open_bench(tmp_path / "fresh", PUMPS, Retrained()).look_up(FILTER)
    again = open_bench(tmp_path, PUMPS).look_up(FILTER)
    assert other.canonical_json() == anew.canonical_json()
    assert again.canonical_json() == first.canonical_json()
    assert other.evidence_blocks[0].similarity != first.evidence_blocks[0].similarity


def test_case_57_a_name_that_meant_nothing_is_replaced_once_a_document_has_it(tmp_path: Path) -> None:
    """qmd#818: an expansion that was cached while it was empty."""
    with open_engine(tmp_path, {**PUMPS, "valve.md": document("# Safety valve\n\nIt opens at nine bar.\n")}) as engine:
        before = engine.lookup_knowledge("red nozzle")
        write_files(tmp_path / "kb", {"valve.md": document("# Safety valve\n\nIt opens at nine bar.\n", aliases=["red nozzle"])})
        engine.sync()
        after = engine.lookup_knowledge("red nozzle")
    assert (before.retrieval_trace.transformed_query, before.retrieval_trace.hints.matched_keywords) == ("red nozzle", ())
    assert after.retrieval_trace.transformed_query == "Safety valve"
    assert [match.canonical for match in after.retrieval_trace.hints.matched_keywords] == ["Safety valve"]


@pytest.mark.parametrize(
    ("scope", "halls"),
    [(None, "0123456"), (["hall=3"], "3"), (["hall=1", "hall=5"], "15"), (["hall!=2"], "013456")],
    ids=["no filter", "one hall", "two halls", "all but one"],
)
def test_case_58_a_saved_index_finds_with_a_filter_what_the_vectors_in_memory_say(tmp_path: Path, scope: list[str] | None, halls: str) -> None:
    """USearch#447: other hits after saving and viewing, when a filter was set."""
    in_hall = {source: str(i % 7) for i, source in enumerate(PUMPS)}
    open_engine(tmp_path, {source: document(text, hall=in_hall[source]) for source, text in PUMPS.items()}).close()
    question = HashEmbedder().embed_query(FILTER)
    inside = {source: HashEmbedder().embed_query(text) for source, text in PUMPS.items() if in_hall[source] in halls}
    with KnowledgeEngine.open(tmp_path / "kb", settings=hash_settings(tmp_path / "index", trace_candidates=100)) as engine:
        attempt = engine.lookup_knowledge(FILTER, scope=scope).retrieval_trace.attempts[-1]
    found = {one.source: one.similarity for one in attempt.candidates}
    assert found == pytest.approx({source: float(vector @ question) for source, vector in inside.items()}, abs=2e-6)
    assert list(found.values()) == sorted(found.values(), reverse=True)
