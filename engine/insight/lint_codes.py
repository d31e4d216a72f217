"""Every code of the lint, with its severity, what it means and what to do: one row a code."""

from __future__ import annotations

from typing import NamedTuple

from engine.contracts.lint import Finding, Severity


class Meaning(NamedTuple):
    """What a code stands for; the finding itself says the particulars."""

    severity: Severity
    sentence: str
    next_step: str


_UNKNOWN = Meaning(Severity.WARNING, "The file has a fault.", "Do what the finding says.")

CODES = {
    code: Meaning(severity, sentence, next_step)
    for severity, rows in {
        Severity.ERROR: (
            ("undecodable", "The file is no UTF-8 text, so it is not indexed.", "Save it as UTF-8."),
            ("binary", "The file is no text, so it is not indexed.", "Remove it, or give it the suffix that it should have."),
            ("too_large", "The file is too large, so it is not indexed.", "Split it."),
            ("unreadable", "The file cannot be read, so it is not indexed.", "Make it a readable, regular file."),
            ("outside", "The file leads outside of the knowledge base, so it is not indexed.", "Copy the file into the knowledge base."),
            ("broken_frontmatter", "The frontmatter is not YAML, so title, category and keywords in it are lost.", "Repair the line."),
            ("unclosed_frontmatter", "The frontmatter has no end, so its fields are read as text.", "Add the closing ---."),
            ("unreadable_by_embedder", "The embedding model cannot read the text, so it is never evidence.", "Choose a model for this language."),
            ("beyond_embedder_limit", "The embedding model does not see the end of a passage.", "Set chunk_tokens to 0, or to what the model reads."),
        ),
        Severity.WARNING: (
            ("folder", "A folder is not read.", "Make it readable; copy a linked folder into the knowledge base."),
            ("no_text", "The document has no text, so it has no passage.", "Write it or remove it."),
            ("twin_name", "Two file names differ only by case or Unicode form.", "Rename one: on other machines they are one file."),
            ("near_miss_field", "A frontmatter field is almost the name of a field that is read, so it is not read.", "Correct the name."),
            ("duplicate_field", "A frontmatter field stands twice; the first one is used.", "Remove the other."),
            ("long_title", "The title is too long and is cut.", "Shorten it."),
            ("missing_category", "The document has no category while others have one, so no category filter finds it.", "Give it a category."),
            ("category_typo", "The category is almost the name of another one.", "Use one name for both, if they mean the same."),
            ("misfiled", "The words of the document are those of another category.", "Move it, or give it both categories."),
            ("ambiguous_keyword", "An L0 entry of several categories divides the vote.", "Make it more particular, or keep it in one category."),
            ("duplicate_chunk", "The passage stands twice, and only one can be evidence.", "Keep one, and link to it."),
            ("near_duplicate_chunk", "The passage stands nearly twice and takes room twice.", "Merge the two, or say in each what it is about."),
            ("heading_without_text", "The heading has no text.", "Write the section, or remove the heading."),
            ("status_message", "The text reads like the status message of a tool.", "Write the document that was meant, or remove the file."),
            ("broken_link", "The link leads to no file.", "Correct the target."),
        ),
        Severity.INFO: (
            ("not_markdown", "The file is not Markdown, so it is not indexed.", "Nothing, unless its text is to be found: then write it as .md."),
            ("hidden", "The file is hidden, so it is not indexed.", "Nothing, unless its text is to be found: then rename it."),
            ("no_categories", "No document has a category, so L0 never narrows a search.", "Use folders, or the field category."),
            ("one_category", "All documents have one category, so L0 never narrows a search.", "Divide the documents into categories."),
            ("category_used_once", "Only one document has the category.", "Nothing, unless another category is meant."),
            ("no_keywords", "The document has no keywords, so L0 knows it by its title and names only.", "Add the words that people ask with."),
            ("keyword_named_elsewhere", "Documents of other categories name it, too, which divides the vote.", "Add a keyword of its own."),
            ("same_section_title", "Several documents have a section of this title.", "Nothing, where the documents' titles tell them apart."),
        ),
    }.items()
    for code, sentence, next_step in rows
}


def meaning(code: str) -> Meaning:
    """The row of a code; one that is not listed is a warning."""
    return CODES.get(code, _UNKNOWN)


def finding(code: str, source: str, line: int, message: str) -> Finding:
    """A finding of a code at a line, counted from 1."""
    known = meaning(code)
    return Finding(code=code, severity=known.severity, source=source, line=line, message=message, next_step=known.next_step)
