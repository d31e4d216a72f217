"""Names and codes: recognised by their form, in any text, in time that grows with its length."""

from __future__ import annotations

import pytest

from engine.knowledge.entities import document_entities, entities, query_entities

TEXT = "error:LDG-1042 or LDG-1077/LDG-1078, ERR_TLS_CERT_4711, E1234; KubePodCrashLooping on payment-service v1.31.2 with foo_bar at 10.0.0.1; AX-7"


def test_each_kind_is_recognised_by_its_form() -> None:
    found = {entity.text: entity.kind for entity in entities(TEXT)}
    assert found == {
        **dict.fromkeys(("LDG-1042", "LDG-1077", "LDG-1078", "ERR_TLS_CERT_4711", "E1234"), "error_code"),
        "KubePodCrashLooping": "alert_name",
        "payment-service": "service_name",
        **dict.fromkeys(("v1.31.2", "foo_bar", "10.0.0.1"), "identifier"),
    }


def test_a_service_name_in_a_question_has_to_be_known() -> None:
    assert [entity.text for entity in query_entities("is the read-only payment-service up", ["payment-service"])] == ["payment-service"]


def test_a_lower_case_name_in_a_document_counts_where_it_is_set_as_code() -> None:
    assert set(document_entities("The `payment-service` is up-to-date: LDG-1042.")) == {"payment-service", "ldg-1042"}


@pytest.mark.parametrize("piece", ["A-", "A1-", "A_1", "a-", "Ab", "E_", "1."])
def test_a_long_line_of_one_piece_is_read_at_once(piece: str) -> None:
    assert len(entities(piece * 100_000)) <= 100_000
