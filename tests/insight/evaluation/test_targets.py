"""What a case may name, in any spelling, and what is said of what it may not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import BadInput, KnowledgeEngine
from engine.insight.evaluation.targets import Place, Target, place_of, read_questions
from tests.insight.evaluation.golden import FILES, case
from tests.knowledge_base import open_engine

ODD = "policies/100%~#1.md"
ODD_ID = "policies/100%25%7E%231.md"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeEngine]:
    with open_engine(tmp_path_factory.mktemp("targets"), FILES) as opened:
        yield opened


def target(engine: KnowledgeEngine, written: str) -> Target:
    [question] = read_questions([case("q", written)], engine._snapshot.catalog)
    return question.expected[0]


@pytest.mark.parametrize(
    ("written", "source", "section", "piece"),
    [
        ("runbooks/disk.md", "runbooks/disk.md", None, None),
        ("runbooks/disk.md#disk/cause", "runbooks/disk.md", "disk/cause", None),
        ("runbooks/disk.md#disk", "runbooks/disk.md", "disk", None),
        ("runbooks/disk.md#disk/cause~1", "runbooks/disk.md", "disk/cause", 1),
        (ODD, ODD, None, None),
        (ODD_ID, ODD, None, None),
        (f"{ODD}#odd-name", ODD, "odd-name", None),
        (f"{ODD_ID}#odd-name", ODD, "odd-name", None),
        (f"{ODD_ID}#odd-name~1", ODD, "odd-name", 1),
    ],
)
def test_a_document_a_section_and_a_chunk_are_found_by_name(
    engine: KnowledgeEngine, written: str, source: str, section: str | None, piece: int | None
) -> None:
    assert target(engine, written) == Target(written, source, section, piece)


def test_the_id_of_a_chunk_says_where_it_stands(engine: KnowledgeEngine) -> None:
    result = engine.lookup_knowledge("zebra crossing paint")
    assert result.evidence_blocks[0].id == f"{ODD_ID}#odd-name~1"
    assert place_of(result.evidence_blocks[0].id, ODD) == Place(ODD, "odd-name", 1)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("runbooks/dsk.md", "did you mean runbooks/disk.md?"),
        ("runbooks/disk.md#disk/couse", "did you mean runbooks/disk.md#disk/cause?"),
        ("runbooks/disk.md#dis", "did you mean runbooks/disk.md#disk/cause?"),
        ("runbooks/disk.md#disk/cause~2", "did you mean runbooks/disk.md#disk/cause?"),
        ("runbook/dsk.md#disk/cause", "did you mean runbooks/disk.md#disk/cause?"),
        ("policies/100%25~#1.md#od-name", "did you mean policies/100%25%7E%231.md#odd-name?"),
        ("nothing", "write the path of a document, or path#slug of one of its sections, and sync if it is new"),
    ],
)
def test_what_is_not_in_the_index_is_named_with_the_nearest_name(engine: KnowledgeEngine, written: str, meant: str) -> None:
    for wrong, verb in ((case("q", written), "expects"), (case("q", must_not=[written]), "has the mustNot")):
        with pytest.raises(BadInput) as failure:
            read_questions([wrong], engine._snapshot.catalog)
        assert str(failure.value) == f"case q {verb} {written!r}, which is not in the index; {meant}"


def test_a_document_without_text_is_known_by_its_path(tmp_path: Path) -> None:
    with open_engine(tmp_path, {**FILES, "empty.md": ""}) as opened:
        assert target(opened, "empty.md") == Target("empty.md", "empty.md")
        with pytest.raises(BadInput, match=r"case q expects 'empty\.md#any', which is not in the index; did you mean empty\.md\?"):
            target(opened, "empty.md#any")


def test_of_a_large_knowledge_base_only_the_documents_that_are_named_are_read(engine: KnowledgeEngine) -> None:
    catalog = engine._snapshot.catalog
    assert catalog.pieces(["runbooks/disk.md", "none.md"]) == {
        "runbooks/disk.md": {"disk/cause": frozenset({1}), "disk/mitigation": frozenset({1})}
    }
    assert catalog.sources_like("runbooks/dsk.md", 2) == ["runbooks/disk.md", "runbooks/queue.md"]


def test_an_unanswerable_question_expects_nothing(engine: KnowledgeEngine) -> None:
    with pytest.raises(BadInput, match=r"case q expects runbooks/disk.md and is not answerable; remove one of the two"):
        read_questions([case("q", "runbooks/disk.md", answerable=False)], engine._snapshot.catalog)
