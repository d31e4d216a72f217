"""The file of golden questions: what it may hold, and one sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import BadInput
from engine.contracts.reports import Case
from engine.insight.cases import read_cases

BOMB = "- id: x\n  question: q\n  settings:\n    a0: &b0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"    a{at}: &b{at} [{','.join([f'*b{at - 1}'] * 10)}]\n" for at in range(1, 10)
)


def read(folder: Path, text: str | bytes) -> tuple[Case, ...]:
    file = folder / "g.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_cases(folder, file)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "[]"])
def test_a_file_without_a_case_has_none(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ()


def test_one_text_stands_for_a_list_and_a_number_for_its_text(tmp_path: Path) -> None:
    [case] = read(tmp_path, "- {id: 5, question: 4711, expected: a.md, mustNot: b.md, scope: category=a}")
    assert (case.id, case.question, case.expected, case.must_not, case.scope) == ("5", "4711", ("a.md",), ("b.md",), ("category=a",))


def test_characters_that_json_escapes_in_halves_are_put_together(tmp_path: Path) -> None:
    [case] = read(tmp_path, '- {"id": "x", "question": "q", "expected": ["\\ud83d\\ude80 rocket.md"]}')
    assert case.expected == ("🚀 rocket.md",)


def test_anchors_and_merged_settings_are_followed(tmp_path: Path) -> None:
    first, second = read(
        tmp_path, "- {id: a, question: q, settings: &pin {max_blocks: 3}}\n- id: b\n  question: q\n  settings: {<<: *pin, max_blocks: 5}\n"
    )
    assert (first.settings, second.settings) == ({"max_blocks": 3}, {"max_blocks": 5})


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    [case] = read(tmp_path, "- {id: x, question: q}".encode("utf-8-sig"))
    assert case.id == "x"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, "g.yaml, line 1: the case has more than 2,000 values; write fewer"),
        ("- {id: x, question: q, expected: [a.md], expected: [b.md]}", "g.yaml, line 1: the field expected stands twice; keep one"),
        ("- id: x\n  question: a: b", "g.yaml, line 2: a value has a colon and a space in it; put the value in quotes"),
        ("- id: x\n\tquestion: y", "g.yaml, line 2: a tab stands before a value; write spaces"),
        ("- id: !!python/object x", "g.yaml, line 1: a tag with `!` stands before a value; put the value in quotes"),
        ("- id: *a\n", "g.yaml, line 1: found undefined alias 'a'; repair the line"),
        ("- &a\n  id: x\n  question: q\n  settings: *a", "g.yaml, line 1: found unconstructable recursive node; repair the line"),
        ("---\n- id: x\n---\n- id: y", "g.yaml, line 3: a second document begins with `---`; keep one list"),
        ("cases: [1]", "g.yaml is no list of cases; begin each case with `- id: ...`, at the left edge"),
        ("hello", "g.yaml is no list of cases; begin each case with `- id: ...`, at the left edge"),
        ("- hello", "g.yaml, line 1: a case is a set of fields; write `- id: ...` and `question: ...` below each other"),
        ("- {id: yes, question: q}", "g.yaml, line 1 ('True'): id is no text; put it in quotes"),
        ("- {id: x, question: q, expected: null}", "g.yaml, line 1 ('x'): expected is no list of texts; write `expected: [...]`, each in quotes"),
        ("- {id: x, question: q, expcted: [a]}", "g.yaml, line 1 ('x'): there is no field expcted; did you mean expected?"),
        ("- {id: x, question: q, must: [a]}", "g.yaml, line 1 ('x'): there is no field must; did you mean mustNot?"),
        ("- {id: x, question: q, split: prod}", "g.yaml, line 1 ('x'): split is wrong: input should be 'dev' or 'test'"),
        ("- question: what now", "g.yaml, line 1 ('what now'): it has no id; add it"),
        ("- id: only", "g.yaml, line 1 ('only'): it has no question; add it"),
        ('- {id: "", question: q}', "g.yaml, line 1 ('q'): the id is empty or has a character that is not seen; write a short name"),
        ('- {id: "a\\tb", question: q}', "g.yaml, line 1 ('a\\tb'): the id is empty or has a character that is not seen; write a short name"),
        ("- {id: x, question: q}\n\n- {id: x, question: r}", "g.yaml, line 3: there are two cases with the id x; rename one"),
        (
            "- {id: x, question: q, expected: a.md, mustNot: a.md}",
            "g.yaml, line 1 ('x'): 'a.md' is expected and must not come; leave it out of one of the two",
        ),
        (
            '- {id: x, question: "\\ud83d"}',
            "g.yaml, line 1: a text has half of a character, as \\ud83d without its second half; write the character itself",
        ),
        (f"- {{id: x, question: q, expected: [{'9' * 6000}]}}", "g.yaml has a number or date that cannot be one; put it in quotes"),
        ("- {id: x}".encode("utf-16"), "g.yaml is not in UTF-8; save it as UTF-8"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(BadInput) as failure:
        read(tmp_path, text)
    assert str(failure.value) == sentence
