"""Settings: sources in rising order, ranges, one sentence for every mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadSettings
from engine.lookup.rules import RULES
from engine.settings import RuleWeights, Settings
from engine.settings_sources import load_settings


def test_later_sources_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evidence.toml").write_text("max_blocks = 3\nbudget_tokens = 100\n[rule_weights]\ntitle = 0.5\nphrase = 0.4\n")
    monkeypatch.setenv("EVIDENCE_BUDGET_TOKENS", "200")
    monkeypatch.setenv("EVIDENCE_RULE_WEIGHTS__TITLE", "0.6")
    settings = load_settings(tmp_path, {"rule_weights.title": "0.7"})
    assert (settings.max_blocks, settings.budget_tokens) == (3, 200)
    assert (settings.rule_weights.title, settings.rule_weights.phrase, settings.rule_weights.lexical) == (0.7, 0.4, 0.8)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"max_block": 3}, "unknown setting max_block; did you mean max_blocks?"),
        ({"rule_weights.titel": 1}, "unknown setting rule_weights.titel; did you mean rule_weights.title?"),
        ({"budget_tokens": 0}, "setting budget_tokens is 0: input should be greater than or equal to 1"),
        ({"filter_share": "half"}, "setting filter_share is 'half': input should be a valid number"),
        ({"evidence_floor": "nan"}, "setting evidence_floor is 'nan': input should be a finite number"),
        ({"evidence_floor": 0.55}, "thresholds out of order: evidence_floor is 0.55 and reference_threshold is 0.51"),
        ({"chunk_tokens": 8}, "chunk_tokens is 8; use 0"),
        ({"budget_tokens.x": 1}, "budget_tokens is one value"),
        ({"rule_weights": 3}, "rule_weights"),
    ],
)
def test_a_mistake_is_one_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadSettings) as caught:
        Settings().changed(values)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_variable_and_a_broken_file_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evidence.toml").write_text("max_blocks = = 3")
    with pytest.raises(BadSettings, match=r"evidence\.toml cannot be read"):
        load_settings(tmp_path)
    (tmp_path / "evidence.toml").unlink()
    monkeypatch.setenv("EVIDENCE_MAX_BLOKS", "3")
    with pytest.raises(BadSettings, match="did you mean max_blocks"):
        load_settings(tmp_path)


def test_the_fingerprint_is_the_same_on_any_machine() -> None:
    same = [Settings(index_dir="elsewhere"), Settings(embedding_dtype="bfloat16"), Settings()]
    assert len({settings.fingerprint for settings in same}) == 1
    assert Settings(max_blocks=3).fingerprint != Settings().fingerprint


def test_every_setting_has_a_sentence_and_every_number_a_unit_and_a_range() -> None:
    for owner in (Settings, RuleWeights):
        for name, field in owner.model_fields.items():
            assert field.description, name
            if field.annotation in (int, float):
                assert isinstance(field.json_schema_extra, dict) and field.json_schema_extra["unit"], name
                assert len(field.metadata) == 2, name


def test_every_rule_has_its_weight() -> None:
    assert [rule.code for rule in RULES] == list(RuleWeights.model_fields)


def test_a_settings_file_that_is_no_file_is_a_sentence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "evidence.toml")
    with pytest.raises(BadSettings, match="is no regular file; remove it"):
        load_settings(tmp_path)


@pytest.mark.parametrize("written", [f"max_blocks = {'1' * 5_000}", ".".join("a" * 3_000) + " = 1", "max_blocks = "])
def test_a_settings_file_that_cannot_be_read_is_a_sentence_with_its_path(tmp_path: Path, written: str) -> None:
    (tmp_path / "evidence.toml").write_text(written)
    with pytest.raises(BadSettings) as failure:
        load_settings(tmp_path)
    assert str(tmp_path / "evidence.toml") in str(failure.value) and len(str(failure.value)) < 400


def test_an_error_says_where_the_setting_came_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evidence.toml").write_text("categroy_fields = ['x']")
    with pytest.raises(BadSettings, match=r"evidence\.toml: unknown setting categroy_fields; did you mean category_fields\?"):
        load_settings(tmp_path)
    (tmp_path / "evidence.toml").unlink()
    monkeypatch.setenv("EVIDENCE_MAX_BLOCKS", "x")
    with pytest.raises(BadSettings, match=r"^EVIDENCE_MAX_BLOCKS: setting max_blocks is 'x'"):
        load_settings(tmp_path)


@pytest.mark.parametrize("written", ["a, b.c", '["a", "b.c"]', ["a", "b.c"]])
def test_field_names_are_a_list_or_a_text_with_commas(tmp_path: Path, written: object) -> None:
    assert load_settings(tmp_path, {"category_fields": written}).category_fields == ("a", "b.c")


@pytest.mark.parametrize("written", [["  "], 5, [""], "[", True])
def test_field_names_that_are_none_are_refused(tmp_path: Path, written: object) -> None:
    with pytest.raises(BadSettings, match="setting category_fields is"):
        load_settings(tmp_path, {"category_fields": written})


@pytest.mark.parametrize("name", ["max_blocks", "evidence_floor"])
def test_true_is_no_number(tmp_path: Path, name: str) -> None:
    (tmp_path / "evidence.toml").write_text(f"{name} = true")
    with pytest.raises(BadSettings, match=rf"evidence\.toml: setting {name} is true, which is no value of it"):
        load_settings(tmp_path)
