"""What the README says exists, and what exists is in the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.cli import app
from engine.contracts.evaluation import RANKED, RANKED_MEANINGS, SHARES
from engine.contracts.lint import Severity
from engine.contracts.reports import Case
from engine.insight.lint.codes import CODES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOP_LEVEL = {"pyproject.toml", "app.py", "engine", "pages", "tests", "kb", "README.md", "LICENSE", "CHANGELOG.md"}


def test_every_command_is_in_the_readme() -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    assert names
    for name in names:
        assert f"evidence {name}" in README, name


def test_the_two_commands_do_all_the_set_up() -> None:
    assert "\npip install -e . && evidence serve\n" in README
    assert '\npip install -e ".[test]" && pytest\n' in README


def test_links_and_pictures_in_the_readme_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert all((ROOT / target).exists() for target in targets if not target.startswith("http"))


def test_nothing_else_lies_at_the_top_level() -> None:
    ignored = {"build", "dist", "__pycache__", "venv", "evidence_explorer.egg-info"}
    assert {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - ignored == TOP_LEVEL


@pytest.mark.parametrize("severity", list(Severity))
def test_the_codes_of_the_lint_are_those_in_the_readme(severity: Severity) -> None:
    (listed,) = re.findall(rf"^- \*\*{severity.value}\*\*: ((?:.+\n)(?:  .+\n)*)", README, re.MULTILINE)
    assert re.findall(r"`(\w+)`", listed) == [code for code, known in CODES.items() if known.severity is severity]


def test_every_measure_and_every_field_of_a_case_is_in_the_readme() -> None:
    section = README.partition("\n## Golden questions\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named == {*RANKED, *SHARES, *(field.alias or name for name, field in Case.model_fields.items())}
    assert tuple(RANKED_MEANINGS) == RANKED


def test_no_placeholder_is_left_in_the_documents() -> None:
    for name in ("README.md", "CHANGELOG.md"):
        text = re.sub(r"```.*?```|`[^`]*`", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        assert re.findall(r"\b[A-Z]{8,}\b|TODO|@@", text) == [], name
