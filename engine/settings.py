"""Every number that a user may turn: its sentence, its unit and its range."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from engine.digest import digest
from engine.errors import BadSettings

BUILD_SETTINGS = (
    *("title_fields", "category_fields", "keyword_fields", "alias_fields"),
    *("chunk_tokens", "embedding_model", "embedding_dtype", "vector_store"),
)
MACHINE_SETTINGS = {"index_dir", "vector_store", "embedding_dtype", "keep_snapshots"}  # the same answers whatever they are, so not in the fingerprint
THRESHOLDS = ("evidence_floor", "reference_threshold", "medium_threshold", "high_threshold")  # they rise
LEAST_CHUNK_TOKENS = 32  # a breadcrumb and a sentence

_PATH = r"^(?:[^\x00-\x1f~]|~(?:/|$))[^\x00-\x1f]*$|^$"  # no control characters; `~` is the own home only


def _number(default: Any, sentence: str, unit: str, low: float, high: float) -> Any:
    return Field(default=default, ge=low, le=high, description=sentence, json_schema_extra={"unit": unit})


def _weight(default: float, sentence: str) -> Any:
    return _number(default, sentence, "weight", 0, 5)


def _comma_separated(value: Any) -> Any:
    """A text as a list, as it stands in an environment variable; also one that is written as in TOML."""
    if not isinstance(value, str):
        return value
    if value.strip().startswith("[") is not value.strip().endswith("]"):
        return value
    parts = (part.strip().strip("\"'").strip() for part in value.strip().removeprefix("[").removesuffix("]").split(","))
    return [part for part in parts if part]


def _field_names(default: tuple[str, ...], sentence: str) -> Any:
    return Field(default=default, max_length=50, description=sentence)


FieldNames = Annotated[tuple[Annotated[str, Field(pattern=r"\S", max_length=200)], ...], BeforeValidator(_comma_separated)]


class _Turnable(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class RuleWeights(_Turnable):
    """Weight of each rerank rule, tuned on half of the queries of ten open English sets and on the development questions of `kb/`.

    On these sets nDCG@10 is 0.836 in the mean: dense alone has 0.770, BM25 0.774, their reciprocal rank fusion 0.811. Without a rule it
    is lower by 0.002 (lexical), 0.007 (phrase), 0.004 (title), 0.007 (document_words), 0.0015 (hint) and 0.0003 (category: 0.003 on the
    one set where authors gave keywords). Names and codes, and the nearest passage of the document, had rules too; they gained less than
    0.0002 and are gone.
    """

    lexical: float = _weight(0.8, "Words of the question in the passage, each by its rarity: BM25 as a count of words.")
    phrase: float = _weight(1.0, "Words of the question in the same order: the same on ordered pairs.")
    title: float = _weight(0.4, "Share of the question's words in title and headings.")
    document_words: float = _weight(1.2, "Words of the question in the whole document, its title once a passage: the same as for the passage.")
    hint: float = _weight(0.3, "An L0 entry of the question belongs to the document.")
    category: float = _weight(0.05, "Share of the L0 votes that a category of the document has.")


class Settings(_Turnable):
    """The settings of one engine view; thresholds belong to one embedding model.

    The defaults are for all-MiniLM-L6-v2, found as `evidence calibrate` finds them, on ten open English sets, of which the answerable
    questions count alike (2,794 answerable and 312 unanswerable ones): the floor refuses 0.4 % of the answerable ones, 10 % lie below the
    reference, 20 % of the unanswerable ones reach medium, and 4 % high.
    """

    evidence_floor: float = _number(0.32, "Below this similarity a candidate is no evidence.", "cosine", 0, 1)
    reference_threshold: float = _number(0.51, "A filtered attempt with a best similarity below this is retried without the filter.", "cosine", 0, 1)
    medium_threshold: float = _number(0.61, "From this similarity on, relevance is medium; below it, low.", "cosine", 0, 1)
    high_threshold: float = _number(0.71, "From this similarity on, relevance is high.", "cosine", 0, 1)
    minimum_readable: float = _number(0.5, "A query or passage of which the embedder reads a smaller share is no evidence.", "share of tokens", 0, 1)
    exact_terms_waive_floor: bool = Field(
        default=True, description="A passage with every error code of the question is evidence of low relevance, whatever its similarity."
    )
    candidate_count: int = _number(100, "How many passages a vector search returns.", "passages", 1, 1000)
    lexical_candidates: int = _number(
        0, "How many passages BM25 proposes by the words of the question; those that the vector search missed join it.", "passages", 0, 1000
    )
    trace_candidates: int = _number(20, "How many entries of each list the trace keeps.", "entries", 1, 200)
    max_blocks: int = _number(8, "How many evidence blocks a result has at most.", "blocks", 1, 50)
    max_blocks_per_document: int = _number(3, "How many of them may come from one document.", "blocks", 1, 50)
    budget_tokens: int = _number(1500, "How long the packed context may be, headers included.", "tokens", 1, 32000)
    filter_share: float = _number(1.0, "Share of the L0 votes that one category needs to become the filter.", "share of votes", 0.5, 1)
    use_l0_filter: bool = Field(default=True, description="Whether L0 may narrow the first attempt to one category.")
    use_l1: bool = Field(default=True, description="Whether the vector index is searched; without it nothing is evidence.")
    rule_weights: RuleWeights = Field(default_factory=RuleWeights, description="What each rerank rule may add to a similarity.")
    title_fields: FieldNames = _field_names(("title",), "Frontmatter fields that hold the title; without one, the first heading or the file name.")
    category_fields: FieldNames = _field_names(
        ("category", "categories", "domain", "section", "type", "ms.topic"),
        "Frontmatter fields that hold the category, the first with a value counts; without one, the folder.",
    )
    keyword_fields: FieldNames = _field_names(("keywords", "tags"), "Frontmatter fields that hold keywords for L0.")
    alias_fields: FieldNames = _field_names(("aliases", "alias"), "Frontmatter fields that hold other names of the document's topic for L0.")
    chunk_tokens: int = _number(0, "Longest passage, breadcrumb included; 0 is as long as the embedder reads.", "tokens", 0, 8192)
    embedding_model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        pattern=_PATH,
        description="The bundled all-MiniLM-L6-v2, another sentence-transformers model by name or folder, or `hash` (no model at all, for tests).",
    )
    embedding_dtype: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="Precision for documents; auto is bfloat16 where the CPU computes in it, which moves nDCG@10 by less than 0.002. "
        "Queries are always float32.",
    )
    vector_store: Literal["usearch"] = Field(default="usearch", description="Where the vectors are kept.")
    keep_snapshots: int = _number(2, "How many snapshots of the index stay on disk.", "snapshots", 1, 100)
    index_dir: str = Field(default="", pattern=_PATH, description="Folder of the index; empty is the user's cache folder.")

    @model_validator(mode="after")
    def _thresholds_rise(self) -> Settings:
        for lower, upper in pairwise(THRESHOLDS):
            if getattr(self, lower) > getattr(self, upper):
                raise ValueError(
                    f"thresholds out of order: {lower} is {getattr(self, lower)} and {upper} is {getattr(self, upper)}; "
                    "they must rise from evidence_floor over reference_threshold and medium_threshold to high_threshold"
                )
        if 0 < self.chunk_tokens < LEAST_CHUNK_TOKENS:
            raise ValueError(f"chunk_tokens is {self.chunk_tokens}; use 0 (as long as the embedder reads) or at least {LEAST_CHUNK_TOKENS}")
        return self

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits over every setting that can change an answer."""
        return digest(self.model_dump(mode="json", exclude=MACHINE_SETTINGS))

    @property
    def build_key(self) -> dict[str, Any]:
        """The settings that decide what a build contains."""
        return self.model_dump(mode="json", include=set(BUILD_SETTINGS))

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """A copy with some values changed; dotted names reach a rule weight. Raises BadSettings."""
        tree = self.model_dump()
        for name, value in values.items():
            put(tree, name, value)
        return validated(tree)


def unit_and_range(field: FieldInfo) -> tuple[str, float, float] | None:
    """Unit, least and greatest value of a setting that is a number; None for any other."""
    if not isinstance(field.json_schema_extra, dict):
        return None
    bounds = {name: getattr(mark, name) for mark in field.metadata for name in ("ge", "le") if hasattr(mark, name)}
    return str(field.json_schema_extra["unit"]), bounds["ge"], bounds["le"]


def put(tree: dict[str, Any], name: str, value: Any, *, below: str = "") -> None:
    """Set a possibly dotted name in a tree of plain dicts."""
    head, _, rest = name.partition(".")
    if "." in rest or (below and (rest or isinstance(value, Mapping))):
        raise BadSettings(f"there is no setting {(below + '.' + name if below else name)[:80]}; run: evidence settings")
    if rest or isinstance(value, Mapping):
        branch = tree.setdefault(head, {})
        if not isinstance(branch, dict):
            raise BadSettings(f"{head} is one value, so {name} does not exist; write {head}=VALUE")
        for key, inner in ({rest: value} if rest else value).items():
            put(branch, key, inner, below=head)
    else:
        tree[head] = value


def validated(tree: dict[str, Any]) -> Settings:
    """Settings from a tree of plain values. Raises BadSettings."""
    for name, value in tree.items():
        field = Settings.model_fields.get(name)
        if isinstance(value, bool) and field is not None and field.annotation is not bool:
            raise BadSettings(f"setting {name} is {str(value).lower()}, which is no value of it ({field.description})")
    try:
        return Settings.model_validate(tree)
    except ValidationError as failure:
        raise BadSettings(_one_sentence(failure)) from failure


def _one_sentence(failure: ValidationError) -> str:
    first = failure.errors(include_url=False)[0]
    name = ".".join(part for part in first["loc"] if isinstance(part, str))
    if first["type"] == "extra_forbidden":
        known = RuleWeights.model_fields if name.startswith("rule_weights.") else Settings.model_fields
        prefix, _, leaf = name.rpartition(".")
        near = difflib.get_close_matches(leaf, known, n=1)
        meant = f"did you mean {prefix + '.' if prefix else ''}{near[0]}?" if near else "run evidence settings to see all"
        return f"unknown setting {name[:80]}; {meant}"
    if first["type"] == "value_error":
        return first["msg"].removeprefix("Value error, ")
    field = (RuleWeights.model_fields if name.startswith("rule_weights.") else Settings.model_fields).get(name.rpartition(".")[2])
    sentence = f" ({field.description})" if field is not None else ""
    return f"setting {name} is {_short(first['input'])}: {first['msg'][0].lower()}{first['msg'][1:]}{sentence}"


def _short(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 80 else f"{written[:80]}..."
