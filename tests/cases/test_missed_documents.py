"""Public reports of documents that exist and were missed, retold on the real engine with the hash embedder."""

from __future__ import annotations

from pathlib import Path

from engine.contracts.codes import CompletenessLevel, DropCode, OmitReason, ReasonCode
from engine.contracts.lookup import LookupResult
from tests.knowledge_base import THRESHOLDS, document, open_engine

FILLERS = {f"notes/note-{i:03}.md": f"# Note {i}\n\nReplace filter number {i} of pump {i * 7} every {i + 3} weeks.\n" for i in range(200)}


def codes(result: LookupResult, at: int = 0) -> set[str]:
    return {reason.code for reason in result.evidence_blocks[at].hit_reasons}


def test_one_note_among_two_hundred_is_found_with_and_without_a_scope(tmp_path: Path) -> None:
    """Case 1, ragflow#10593: a query that finds a note only when it is limited to that note."""
    with open_engine(tmp_path, {**FILLERS, "notes/relay.md": "# Relays\n\nAX-7 relay torque 14 Nm\n"}) as engine:
        everywhere = engine.lookup_knowledge("AX-7 relay torque 14 Nm")
        inside = engine.lookup_knowledge("AX-7 relay torque 14 Nm", scope=["source=notes/relay.md"])
    assert [result.evidence_blocks[0].source for result in (everywhere, inside)] == ["notes/relay.md"] * 2
    assert everywhere.evidence_blocks[0].similarity == inside.evidence_blocks[0].similarity
    assert [result.rerank_trace.entries[0].base_rank for result in (everywhere, inside)] == [1, 1]


def test_four_characters_inside_a_chinese_sentence_give_a_lexical_hit(tmp_path: Path) -> None:
    """Case 2, dify#35526: the keywords of the sentence are not those of the question."""
    files = {"teaching/books.md": "# 通知\n\n如需修改教材请联系教务处\n", "teaching/rooms.md": "# 教室\n\n教室钥匙在门卫处领取\n"}
    with open_engine(tmp_path, files) as engine:
        result = engine.lookup_knowledge("修改教材")
    assert result.evidence_blocks[0].source == "teaching/books.md"
    assert "has in this order: 修改 改教, 改教 教材" in {reason.text for reason in result.evidence_blocks[0].hit_reasons}
    assert {"lexical", "phrase"} <= codes(result)


def test_a_chinese_keyword_in_the_middle_of_a_question_is_an_l0_hint(tmp_path: Path) -> None:
    """Case 2, dify#35526: the author's keyword, asked for inside a longer sentence."""
    with open_engine(tmp_path, {"teaching/books.md": document("# 通知\n\n如需修改教材请联系教务处\n", keywords=["修改教材"])}) as engine:
        result = engine.lookup_knowledge("怎么修改教材")
    assert [match.text for match in result.retrieval_trace.hints.matched_keywords] == ["修改教材"]
    assert result.found and "hint" in codes(result)


def test_a_question_of_which_half_stands_in_the_document_is_a_partial_match_that_names_the_missing_word(tmp_path: Path) -> None:
    """Case 4, qmd#976: every word had to match, so a synonym for one of them emptied the result."""
    files = {"offers/students.md": "# 学生\n\n云工开物 300 元学生券\n", "offers/rooms.md": "# 机房\n\n机房温度不超过 27 度\n"}
    with open_engine(tmp_path, files) as engine:
        result = engine.lookup_knowledge("云工开物 优惠券")
    assert result.evidence_blocks[0].source == "offers/students.md"
    assert result.completeness_hint.level is CompletenessLevel.PARTIAL
    assert result.completeness_hint.missing_terms == ("优惠券",)


def test_an_error_code_in_the_body_is_the_top_hit_by_its_name(tmp_path: Path) -> None:
    """Case 5, community-agent#362: an exact code is found by its words, without the exception for exact codes."""
    numbers = [number for number in range(4700, 4720) if number != 4711]
    others = {f"errors/{i}.md": f"# Error {i}\n\nThe gateway logs ERR_SSL_{i} when a certificate is too old.\n" for i in numbers}
    wanted = "# Handshake\n\nThe balancer logs ERR_SSL_4711 when the handshake ends early.\n"
    with open_engine(tmp_path, {**others, "errors/handshake.md": wanted}, exact_terms_waive_floor=False) as engine:
        result = engine.lookup_knowledge("ERR_SSL_4711")
    assert result.evidence_blocks[0].source == "errors/handshake.md"
    assert {"lexical", "document_words"} <= codes(result)
    assert [(entity.text, entity.known) for entity in result.retrieval_trace.hints.entity_terms] == [("ERR_SSL_4711", True)]


BULLETS = [
    "Lock the depot gate before the night shift leaves the yard",
    "Weigh each pallet twice and note both weights on the sheet",
    "Store batteries away from sprinklers and heating pipes",
    "Call the customs desk when a seal number is not readable",
    "Sweep the loading ramp after rain and put out the mats",
    "Test the fire door magnets on the first Monday of a month",
    "Return empty crates to the northern hall, never to the ramp",
    "Charge forklifts at noon, when the electricity is cheapest",
    "Quarantined parcels wait under the mezzanine for the veterinarian",
    "Hang the keys of the vans on the board beside the office",
    "Report a broken conveyor belt to the technician on duty",
    "Archive delivery notes for ten years in the cellar",
]


def test_the_ninth_bullet_of_a_long_list_is_found(tmp_path: Path) -> None:
    """Case 7, Reviu-Agent#32: the answer stands late in a list that is longer than a passage."""
    bullets = "".join(f"- {bullet}.\n" for bullet in BULLETS)
    with open_engine(tmp_path, {"handbook/yard.md": f"# Yard rules\n\n{bullets}"}, chunk_tokens=64) as engine:
        result = engine.lookup_knowledge("Where do quarantined parcels wait for the veterinarian?")
        strict = engine.with_settings(engine.settings.changed(dict.fromkeys(THRESHOLDS, 0.9)))
        missed = strict.lookup_knowledge("Where do quarantined parcels wait for the veterinarian?")
    best = result.evidence_blocks[0].id
    assert BULLETS[8] in result.evidence_blocks[0].content
    assert BULLETS[0] not in result.evidence_blocks[0].content
    assert not missed.found and missed.reason_code is ReasonCode.BELOW_FLOOR
    assert missed.retrieval_trace.attempts[-1].candidates[0].chunk_id == best
    assert best in {one.chunk_id for one in missed.rerank_trace.dropped if one.code is DropCode.BELOW_FLOOR}


POINTS = "".join(f"## Point {i}\n\nThe merger moves team {i} of the harbour office to floor {i}.\n\n" for i in range(12))
UNCERTAIN = {
    "memos/merger.md": document(f"# Merger\n\n{POINTS}", status="uncertain"),
    "memos/canteen.md": document("# Canteen\n\nThe canteen opens at noon.\n", status="certain"),
}
MERGER = "Which team of the harbour office does the merger move?"


def test_a_scope_that_leaves_a_found_document_out_says_so_in_the_result(tmp_path: Path) -> None:
    """Case 8, memo PR#259: the search finds all twelve pieces, and a rule about the parent document leaves them out."""
    with open_engine(tmp_path, UNCERTAIN) as engine:
        anywhere = engine.lookup_knowledge(MERGER)
        certain = engine.lookup_knowledge(MERGER, scope=["status!=uncertain"])
    assert {block.source for block in anywhere.evidence_blocks} == {"memos/merger.md"}
    assert not certain.found
    assert [(term.field, term.operator, term.values) for term in certain.scope] == [("status", "!=", ("uncertain",))]
    assert certain.retrieval_trace.attempts[-1].candidate_count == 1


def test_every_found_piece_that_is_not_in_the_pack_is_listed_with_the_reason(tmp_path: Path) -> None:
    """Case 8, memo PR#259: nothing that was found disappears between the search and the pack."""
    with open_engine(tmp_path, UNCERTAIN, budget_tokens=150) as engine:
        result = engine.lookup_knowledge(MERGER)
    pack = result.context_pack
    assert {item.id for item in pack.included} | {item.id for item in pack.omitted} == {block.id for block in result.evidence_blocks}
    assert pack.included and pack.omitted and all(item.reason in OmitReason for item in pack.omitted)
    assert result.rerank_trace.dropped_counts[DropCode.MAX_BLOCKS_PER_DOCUMENT] == 12 - len(result.evidence_blocks)
