"""For each code of the lint a knowledge base that has the fault, the place where it is found, and what repairs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.knowledge_base import document

Make = Callable[[Path], object]


class Fault(NamedTuple):
    """Files with a fault at `place`; the files of `repair` take the place of theirs, None takes one away."""

    files: Mapping[str, str]
    place: tuple[str, int]
    repair: Mapping[str, str | None]
    settings: Mapping[str, Any] = {}


class FileFault(NamedTuple):
    """A fault that is no text: `make` puts it into a folder as `source`."""

    source: str
    make: Make


_NETS = "router gateway subnet packet region tunnel bridge switch firewall proxy".split()
_MEALS = "soup bread cheese salad pasta curry stew rice dessert noodle".split()


def _about(words: list[str], at: int) -> str:
    """Seven of ten words, other ones for each number."""
    return " ".join(words[(at + i) % 10] for i in range(7)) + ".\n"


_SHELVES = {f"{name}/{at}.md": _about(words, at) for name, words in (("nets", _NETS), ("meals", _MEALS)) for at in range(5)}
_TEXT = "Rotate the journal, then remove the images that no pod uses, and call the storage team if the volume stays full."

FAULTS = {
    "broken_frontmatter": Fault({"a.md": "---\ntitle: [x\n---\nText.\n"}, ("a.md", 2), {"a.md": "---\ntitle: x\n---\nText.\n"}),
    "unclosed_frontmatter": Fault({"a.md": "---\ntitle: x\n\nText.\n"}, ("a.md", 1), {"a.md": "---\ntitle: x\n---\nText.\n"}),
    "unreadable_by_embedder": Fault(
        {"a.md": "# A\n\nText.\n\n## B\n\n手持扫描枪故障处理办法说明\n"}, ("a.md", 7), {"a.md": "# A\n\nText.\n\n## B\n\nScanner faults.\n"}
    ),
    "beyond_embedder_limit": Fault(
        {"a.md": "# A\n\n" + "word " * 300}, ("a.md", 3), {"a.md": "# A\n\n" + "word " * 200}, settings={"chunk_tokens": 400}
    ),
    "duplicate_field": Fault({"a.md": "---\ntitle: x\ntitle: y\n---\nText.\n"}, ("a.md", 3), {"a.md": "---\ntitle: x\n---\nText.\n"}),
    "long_title": Fault({"a.md": f"# {'x' * 201}\n\nText.\n"}, ("a.md", 1), {"a.md": f"# {'x' * 200}\n\nText.\n"}),
    "no_text": Fault({"a.md": "# A\n\n## B\n"}, ("a.md", 1), {"a.md": "# A\n\n## B\n\nText.\n"}),
    "twin_name": Fault({"A.md": "Text.", "a.md": "Words."}, ("a.md", 1), {"A.md": None}),
    "near_miss_field": Fault(
        {"a.md": "---\ntitle: x\ncatagories: [y]\n---\nText.\n"}, ("a.md", 3), {"a.md": "---\ntitle: x\ncategories: [y]\nsubtitle: z\n---\nText.\n"}
    ),
    "missing_category": Fault(
        {"a.md": document("Text.", category="x"), "b.md": "Words."}, ("b.md", 1), {"b.md": document("Words.", category="y")}
    ),
    "no_categories": Fault({"a.md": "Text.", "b.md": "Words."}, ("a.md", 1), {"a.md": document("Text.", category="x")}),
    "one_category": Fault(
        {"a.md": "---\ntitle: t\ncategory: x\n---\nText.", "b.md": document("Words.", category="x")},
        ("a.md", 3),
        {"b.md": document("Words.", category="y")},
    ),
    "category_typo": Fault(
        {f"a/{at}.md": document(f"Text {at}.", category=name) for at, name in enumerate(("runbooks", "runbooks", "runboks"), start=1)},
        ("a/3.md", 2),
        {"a/3.md": document("More.", category="policies")},
    ),
    "category_used_once": Fault(
        {"runbooks/1.md": "Text.", "runbooks/2.md": "Words.", "policies/1.md": "Rules."}, ("policies/1.md", 1), {"policies/2.md": "Law."}
    ),
    "misfiled": Fault(_SHELVES | {"meals/x.md": _about(_NETS, 2)}, ("meals/x.md", 1), {"meals/x.md": _about(_MEALS, 7)}),
    "ambiguous_keyword": Fault(
        {"a/1.md": "---\ntitle: t\nkeywords:\n- disk\n- root volume\n---\nText.", "b/1.md": document("Words.", keywords=["Root  Volume"])},
        ("a/1.md", 3),
        {"b/1.md": document("Words.", keywords=["volume"])},
    ),
    "keyword_named_elsewhere": Fault(
        {"a/1.md": document("Text.", keywords=["edge-envoy"]), "b/1.md": "Restart `edge-envoy`."}, ("a/1.md", 2), {"b/1.md": "Restart it."}
    ),
    "no_keywords": Fault(
        {"a.md": document("Text.", keywords=["x"]), "b.md": "Words."}, ("b.md", 1), {"b.md": document("Words.", aliases=["y"])}
    ),
    "duplicate_chunk": Fault(
        {"a.md": f"# A\n\n{_TEXT}\n", "b.md": f"# B\n\n{_TEXT}\n"}, ("a.md", 3), {"b.md": "# B\n\nBuy a larger disk.\n"}
    ),
    "near_duplicate_chunk": Fault(
        {"a.md": f"# A\n\n{_TEXT}\n", "b.md": f"# B\n\nFirst: {_TEXT}\n"},
        ("a.md", 3),
        {"b.md": f"# B\n\n{_TEXT} Then rest, and write a report of it.\n"},
    ),
    "same_section_title": Fault(
        {"a.md": "# A\n\n## Symptoms\n\nHeat.\n", "b.md": "# B\n\n## symptoms\n\nNoise.\n"}, ("a.md", 3), {"b.md": "# B\n\n## Noise\n\nLoud.\n"}
    ),
    "heading_without_text": Fault(
        {"a.md": "# A\n\n## B\n\n## C\n\n### D\n\nText.\n"}, ("a.md", 3), {"a.md": "# A\n\n## B\n\n- item\n\n## C\n\n### D\n\nText.\n"}
    ),
    "status_message": Fault(
        {"a.md": document("Error: file not found\n", title="x")},
        ("a.md", 4),
        {"a.md": document("Error: file not found\n\nThe mount is missing: run the agent again.\n", title="x")},
    ),
    "placeholder": Fault(
        {"a.md": "# A\n\nText.\n\n## B\n\n**TODO**\n"}, ("a.md", 7), {"a.md": "# A\n\nText.\n\n## B\n\nTODO: rotate the journal.\n"}
    ),
    "long_heading": Fault({"a.md": f"# A\n\nT.\n\n## {'x' * 200}\n\nText.\n"}, ("a.md", 5), {"a.md": f"# A\n\nT.\n\n## {'x' * 190}\n\nText.\n"}),
    "doubtful_frontmatter": Fault(
        {"a.md": "---\ntitle: x\n\n# Heading\n\nnote: y\n---\nText.\n"}, ("a.md", 4), {"a.md": "---\ntitle: x\n\n# of y\nnote: y\n---\nText.\n"}
    ),
    "cut_value": Fault(
        {"a.md": "---\nowner: x\ntitle: Ticket #4\n---\nText.\n"}, ("a.md", 3), {"a.md": "---\nowner: x # y\ntitle: 'a #4'\n---\nText.\n"}
    ),
    "broken_link": Fault({"a.md": "See\n[the\nplan](b.md).\n"}, ("a.md", 2), {"b.md": "Plan."}),
}


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20_000_001)


def _outside(path: Path) -> None:
    (path.parent.parent / "elsewhere.md").write_text("Text.")
    path.symlink_to(path.parent.parent / "elsewhere.md")


def _linked_folder(path: Path) -> None:
    (path.parent.parent / "elsewhere").mkdir()
    path.symlink_to(path.parent.parent / "elsewhere")


FILE_FAULTS = {
    "undecodable": FileFault("x.md", lambda path: path.write_bytes("Müll".encode("latin-1"))),
    "binary": FileFault("x.md", lambda path: path.write_bytes(b"a\0b")),
    "too_large": FileFault("x.md", _sparse),
    "unreadable": FileFault("x.md", lambda path: path.symlink_to("nowhere.md")),
    "outside": FileFault("x.md", _outside),
    "linked_folder": FileFault("x", _linked_folder),
    "not_markdown": FileFault("x.txt", lambda path: path.write_text("Text.")),
    "hidden": FileFault(".x.md", lambda path: path.write_text("Text.")),
}
