"""Documents that are a tool's status message instead of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint.codes import finding
from engine.insight.lint.material import Material

_MOST_CHARACTERS = 2000  # a traceback; whoever explains one writes more around it
_STATUS_SENTENCES = (
    r"(?:error|fatal|exception) ?[:!-] ?\S.{0,120}",
    r"(?:error )?[45]\d\d[ :-]*(?:error|(?:page )?not found|forbidden|unauthorized|bad request|bad gateway|gateway time-?out|gone)?",
    r"(?:error )?[45]\d\d[ :-]*(?:internal server error|service unavailable|too many requests)",
    r"(?:(?:file|page|document|resource|content) )?not found(?:: .{0,120})?",
    r"no such file or directory.{0,80}",
    r"(?:the )?(?:requested )?(?:url|page|file|document|resource)\b.{0,80}\b(?:not (?:be )?found|(?:does not|no longer) exists?)(?: on this server)?",
    r"(?:access|permission|request) (?:to .{1,60} )?(?:is |was )?denied",
    r"forbidden|unauthorized|internal server error|bad gateway|service unavailable|something went wrong",
    r"(?:please |you (?:need|have) to )?enable (?:javascript|cookies)\b.{0,80}",
    r"javascript is (?:disabled|required)\b.{0,80}",
    r"(?:loading|redirecting|please wait|just a moment)(?:[ ,.…]*(?:please wait|(?:the )?(?:page|content)))?",
    r"(?:please )?(?:sign|log) in to (?:continue|view\b.{0,40})",
    r"(?:no|0) (?:results?|matches|documents?|content|data) (?:were |was )?(?:found|available|returned)\b.{0,60}",
    r"(?:the )?(?:tool|function|api|mcp) (?:call |request |execution )?(?:failed|timed out|returned an error)\b.{0,120}",
    r"(?:request|connection|operation) (?:failed|timed out|aborted)\b.{0,80}",
    r"rate limit(?: was)? exceeded\b.{0,80}",
    r"(?:i['’]?m |i am )?sorry\b.{0,20}\b(?:i )?(?:can(?:not|['’]?t)|(?:am |['’]?m )?unable to)\b.{0,160}",
    r"as an ai (?:language )?model\b.{0,160}",
    r"undefined|null|\[object object\]|nginx(?:/[\d.]+)?",
    r"zugriff verweigert|(?:seite|datei) nicht gefunden|加载中|访问被拒绝|(?:页面|文件)不存在",
    r"(?:please )?(?:try|check back) (?:again|later)\b.{0,40}|(?:please )?contact (?:the |your )?(?:administrator|support)\b.{0,40}",
)
_STATUS = re.compile("|".join(_STATUS_SENTENCES), re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"to ?do|tb[cd]|wip|fixme|coming soon|work in progress|under construction|lorem ipsum\b.*"
    r"|(?:to be|not yet) (?:added|announced|completed|defined|determined|documented|done|written)|待补充|待完善",
    re.IGNORECASE | re.DOTALL,
)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t]+\S.*\n)+[\w.]+\b.*")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_MARKUP = "#>*_`~- \t"


def status_messages(material: Material) -> Iterator[Finding]:
    """Documents every sentence of which reads like a status message."""
    for document in material.corpus.documents:
        lines = [line for line in document.lines if line.strip() and not line.lstrip().startswith(("```", "~~~"))]
        if lines and is_status("\n".join(lines)):
            first = next(at for at, line in enumerate(document.lines, start=1) if line.strip())
            yield finding("status_message", document.source, first, f"the whole text is “{lines[0].strip()[:100]}”")


def placeholders(material: Material) -> Iterator[Finding]:
    """Passages that only say that they are not written yet."""
    for chunk in material.chunks:
        if is_placeholder(chunk.content):
            yield finding("placeholder", chunk.source, chunk.start_line, f"the whole passage is “{chunk.content.strip()[:100]}”")


def is_placeholder(text: str) -> bool:
    """Whether a text stands for one that is still to be written."""
    return bool(_PLACEHOLDER.fullmatch(text[:500].strip(f"{_MARKUP}.…:!()[]\n")))


def is_status(text: str) -> bool:
    """Whether a text says nothing but that something went wrong, or is not there yet."""
    if len(text) > _MOST_CHARACTERS:
        return False
    if _TRACEBACK.fullmatch(text.strip()):
        return True
    sentences = [" ".join(sentence.strip(_MARKUP).rstrip(".!?。！？… ").split()) for sentence in _SENTENCE_END.split(text)]
    return any(sentences) and all(_STATUS.fullmatch(sentence) for sentence in sentences if sentence)
