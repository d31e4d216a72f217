"""Every code of the lint, with its severity, what it means and what to do: one row a code."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from engine.contracts.lint import Finding, Severity
from engine.errors import BadInput


class Meaning(NamedTuple):
    """What a code stands for; the finding itself says the particulars."""

    severity: Severity
    sentence: str
    next_step: str


CODES = {
    code: Meaning(severity, sentence, next_step)
    for severity, rows in {
        Severity.ERROR: (
            ("undecodable", "The file is no UTF-8 text, so it is not indexed.", "Save it as UTF-8."),
            ("binary", "The file is no text, so it is not indexed.", "Remove it, or give it the suffix that it should have."),
            ("too_large", "The file is too large, so it is not indexed.", "Split it."),
            ("unreadable", "The file cannot be read, so it is not indexed.", "Make it a readable, regular file."),
            ("outside", "The file leads outside of the knowledge base, so it is not indexed.", "Copy the file into the knowledge base."),
            ("broken_frontmatter", "The frontmatter cannot be read, so title, category and keywords in it are lost.", "Repair the line."),
            ("unclosed_frontmatter", "The frontmatter has no end, so where the text begins is a guess.", "Add the line that ends it."),
            ("unreadable_by_embedder", "The model cannot read the text: it is never evidence.", "Set embedding_model to a model for this language."),
            ("beyond_embedder_limit", "The embedding model does not see the end of a passage.", "Set chunk_tokens to 0, or to what the model reads."),
        ),
        Severity.WARNING: (
            ("linked_folder", "A link to a folder is not followed.", "Copy the folder into the knowledge base."),
            ("no_text", "The document has no text, so it has no passage.", "Write it or remove it."),
            ("twin_name", "Two file names differ only by case or Unicode form.", "Rename one: on other machines they are one file."),
            ("near_miss_field", "A frontmatter field is almost the name of a field that is read, so it is not read.", "Correct the name."),
            ("doubtful_frontmatter", "Lines among the fields may be text.", "End the frontmatter where the text begins."),
            ("duplicate_field", "A frontmatter field stands twice; the first one is used.", "Remove the other."),
            ("long_title", "The title is too long and is cut.", "Shorten it."),
            ("long_heading", "The title and a heading are too long for a breadcrumb.", "Shorten one of them."),
            ("cut_value", "A value ends where YAML sees a comment.", "Quote the value."),
            ("missing_category", "The document has no category while others have one, so no category filter finds it.", "Give it a category."),
            ("category_typo", "The category is almost the name of another one.", "Use one name for both, if they mean the same."),
            ("misfiled", "The words of the document are those of another category.", "Move it, or give it both categories."),
            ("ambiguous_keyword", "A keyword, alias or title of several categories cannot tell one from the other.", "Make it more particular."),
            ("duplicate_chunk", "A passage stands in several places, and only one of them can be evidence.", "Keep one, and link to it."),
            ("near_duplicate_chunk", "Passages are nearly the same, and each takes room.", "Merge them, or say in each what it is about."),
            ("placeholder", "A passage only says that it is not written yet.", "Write it, or remove the section."),
            ("heading_without_text", "The heading has no text.", "Write the section, or remove the heading."),
            ("status_message", "The text reads like the status message of a tool.", "Write the document that was meant, or remove the file."),
            ("broken_link", "The link leads to no file.", "Correct the target."),
        ),
        Severity.INFO: (
            ("not_markdown", "The file is not Markdown, so it is not indexed.", "Write it as .md where its text is to be found."),
            ("hidden", "The file is hidden, so it is not indexed.", "Rename it where its text is to be found."),
            ("no_categories", "No document has a category, so none narrows a search.", "Use folders, or the field category."),
            ("one_category", "Nearly all documents have one category, so it never narrows a search.", "Divide them into categories."),
            ("category_used_once", "Only one document has the category.", "Give it the name of another one where that is meant."),
            ("no_keywords", "The document has no keywords, so L0 knows it by its title and names only.", "Add the words that people ask with."),
            ("keyword_named_elsewhere", "Documents of other categories name it, too, which divides the vote.", "Add a keyword of its own."),
            ("same_section_title", "Several documents have a section of this title.", "Say more in it where the documents' titles do not."),
        ),
    }.items()
    for code, sentence, next_step in rows
}


def known_codes(names: Iterable[str]) -> frozenset[str]:
    """Names as codes. Raises BadInput for one that is none."""
    for name in names:
        if name not in CODES:
            near = difflib.get_close_matches(name, CODES, n=1)
            raise BadInput(f"there is no lint code {name}; {f'did you mean {near[0]}?' if near else 'known are ' + ', '.join(CODES)}")
    return frozenset(names)


def known_severity(name: str) -> Severity:
    """A name as a severity. Raises BadInput."""
    if name not in set(Severity):
        raise BadInput(f"there is no severity {name}; write error, warning or info")
    return Severity(name)


def meaning(code: str) -> Meaning:
    """The row of a code."""
    return CODES[code]


def finding(code: str, source: str, line: int, message: str) -> Finding:
    """A finding of a code at a line, counted from 1."""
    known = meaning(code)
    return Finding(code=code, severity=known.severity, source=source, line=line, message=message, next_step=known.next_step)
