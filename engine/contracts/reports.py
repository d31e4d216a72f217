"""What a sync reports: every file of the knowledge base is in one of its lists."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from engine.contracts.base import Contract
from engine.contracts.evaluation import Split

SkipCode = Literal["undecodable", "binary", "too_large", "unreadable", "outside", "linked_folder", "hidden", "not_markdown"]
FrontmatterCode = Literal["broken_frontmatter", "unclosed_frontmatter", "doubtful_frontmatter", "duplicate_field", "cut_value"]
DocumentCode = Literal["long_title", "long_heading", "no_text", "twin_name"]
EmbedderCode = Literal["unreadable_by_embedder", "beyond_embedder_limit"]
ProblemCode = FrontmatterCode | DocumentCode | EmbedderCode


class SkippedFile(Contract):
    """A file or folder that is not indexed, and why."""

    source: str
    code: SkipCode
    reason: str
    line: int | None = Field(default=None, ge=1, description="Where a file stops being text.")


class Problem(Contract):
    """A fault in a file that is indexed all the same."""

    source: str
    line: int = Field(ge=1)
    code: ProblemCode
    message: str


class SyncReport(Contract):
    """The outcome of one sync."""

    snapshot_id: str
    documents: int = Field(ge=0)
    chunks: int = Field(ge=0)
    categories: dict[str, int] = Field(description="How many documents each category has, the largest first.")
    indexed: tuple[str, ...]
    skipped: tuple[SkippedFile, ...]
    problems: tuple[Problem, ...]


class Freshness(Contract):
    """What changed on disk since the snapshot was built; shown beside a result, never in it."""

    snapshot_id: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def fresh(self) -> bool:
        """Whether the files and the snapshot agree."""
        return not self.by_kind

    @property
    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """The files under the word for their change; a word without a file is left out."""
        kinds = {"added": self.added, "changed": self.changed, "deleted": self.deleted}
        return {word: files for word, files in kinds.items() if files}

    @property
    def counted(self) -> str:
        """The change in short, as in `2 added, 1 deleted`."""
        return ", ".join(f"{len(files)} {word}" for word, files in self.by_kind.items())


class Case(Contract):
    """A golden question: what must come out, and with which settings it was pinned."""

    id: str
    question: str
    expected: tuple[str, ...] = Field(default=(), description="Documents or headings that answer, as `path` or `path#slug`.")
    must_not: tuple[str, ...] = Field(default=(), description="What would mislead: never to be trusted as evidence before what is expected.")
    answerable: bool = True
    split: Split = "dev"
    shows: str = Field(default="", description="What the case shows, in one sentence.")
    path: str = Field(default="", description="For a demo question: the code of the path through the pipeline that it shows.")
    scope: tuple[str, ...] = ()
    settings: dict[str, JsonValue] = Field(default_factory=dict, description="Pinned settings, dotted names.")
