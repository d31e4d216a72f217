"""A labelled retrieval set in the BEIR layout, read and written out as a knowledge base."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_measures
import yaml

_TITLE_WORDS = 8


@dataclass(frozen=True)
class RetrievalSet:
    """Documents, queries and their grades."""

    name: str
    documents: tuple[dict[str, Any], ...]
    queries: tuple[dict[str, Any], ...]
    qrels: tuple[ir_measures.Qrel, ...]

    @cached_property
    def relevant(self) -> dict[str, dict[str, int]]:
        """The grades above zero, by query and document; a query without one is unanswerable."""
        grades: dict[str, dict[str, int]] = {}
        for qrel in self.qrels:
            if qrel.relevance > 0:
                grades.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
        return grades

    @property
    def judged(self) -> list[dict[str, Any]]:
        """The queries that ask something and have at least one relevant document, in the order of the file."""
        return [query for query in self.queries if query["_id"] in self.relevant and query["text"].strip()]

    @property
    def has_categories(self) -> bool:
        """Whether any document has a category that a filter could choose."""
        return any(document.get("category") for document in self.documents)


def read_set(folder: Path) -> RetrievalSet:
    """A set from `corpus.jsonl`, `queries.jsonl` and `qrels.trec`."""
    qrels = tuple(ir_measures.read_trec_qrels(str(folder / "qrels.trec")))  # type: ignore[no-untyped-call]
    return RetrievalSet(folder.name, tuple(json_lines(folder / "corpus.jsonl")), tuple(json_lines(folder / "queries.jsonl")), qrels)


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    lines = path.read_text(encoding="utf-8").split("\n")  # not splitlines: a text may have U+2028 or U+0085 in it
    return [json.loads(line) for line in lines if line.strip()]


def write_knowledge_base(one: RetrievalSet, target: Path) -> dict[str, str]:
    """Write a Markdown file a document, with title, category and keywords as frontmatter; the id of the document of each file."""
    target.mkdir(parents=True)
    ids = {}
    for number, document in enumerate(one.documents):
        source = f"{number:06}.md"
        (target / source).write_text(_frontmatter(document) + document["text"] + "\n", encoding="utf-8", newline="\n")
        ids[source] = document["_id"]
    return ids


def _frontmatter(document: Mapping[str, Any]) -> str:
    """The fields that a set has; a document without a title is called by its first words, as a person would call it."""
    title = document.get("title") or " ".join(document["text"].split()[:_TITLE_WORDS])
    fields = {"title": title, "category": document.get("category"), "keywords": document.get("keywords")}
    given = {name: value for name, value in fields.items() if value}
    return f"---\n{yaml.safe_dump(given, allow_unicode=True, sort_keys=False)}---\n" if given else ""
