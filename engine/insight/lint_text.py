"""Documents that are a tool's status message instead of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.contracts.lint import Finding
from engine.insight.lint_codes import finding
from engine.insight.lint_material import Material

_MOST_CHARACTERS = 2000  # a traceback; whoever explains one writes more around it
_STATUS = re.compile(
    r"""(?:error|fatal|exception)\s*[:!-]\s*\S.{0,120}
    |(?:error\s+)?[45]\d\d\b[\s:-]*(?:error|(?:page\ )?not\ found|forbidden|unauthorized|bad\ (?:request|gateway)|internal\ server\ error|service\ unavailable
        |gateway\ time-?out|too\ many\ requests|gone)?
    |(?:file|page|document|resource|content)?\s*not\ found(?::.{0,120})?|no\ such\ file\ or\ directory.{0,80}|(?:the\ )?(?:requested\ )?(?:url|page|file|document|resource)\b
        .{0,80}\b(?:not\ found|does\ not\ exist|could\ not\ be\ found|was\ not\ found|cannot\ be\ found|no\ longer\ exists)(?:\ on\ this\ server)?
    |(?:access|permission|request)\ (?:to\ .{1,60}\ )?(?:is\ |was\ )?denied|(?:forbidden|unauthorized|internal\ server\ error|bad\ gateway|service\ unavailable)
    |(?:please\ |you\ (?:need|have)\ to\ )?enable\ (?:javascript|cookies)\b.{0,80}|javascript\ is\ (?:disabled|required)\b.{0,80}
    |(?:loading|please\ wait|redirecting|just\ a\ moment)(?:[\s,.…]*(?:please\ wait|(?:the\ )?(?:page|content)))?|(?:please\ )?(?:sign|log)\ in\ to\ (?:continue|view\b.{0,40})
    |(?:no|0)\ (?:results?|matches|documents?|content|data)\ (?:were\ |was\ )?(?:found|available|returned)\b.{0,60}
    |(?:the\ )?(?:tool|function|api|mcp)\ (?:call\ |request\ |execution\ )?(?:failed|timed\ out|returned\ an\ error)\b.{0,120}
    |(?:request|connection|operation)\ (?:failed|timed\ out|aborted)\b.{0,80}|rate\ limit(?:\ was)?\ exceeded\b.{0,80}|something\ went\ wrong
    |(?:i['’]?m\ |i\ am\ )?sorry\b.{0,20}\b(?:i\ )?(?:can(?:not|['’]?t)|(?:am\ |['’]?m\ )?unable\ to)\b.{0,160}|as\ an\ ai\ (?:language\ )?model\b.{0,160}
    |nginx(?:/[\d.]+)?|undefined|null|\[object\ object\]|zugriff\ verweigert|(?:seite|datei)\ nicht\ gefunden|加载中|访问被拒绝|(?:页面|文件)不存在|未找到.{0,12}
    |(?:please\ )?(?:try|check\ back)\ (?:again|later)\b.{0,40}|(?:please\ )?contact\ (?:the\ |your\ )?(?:administrator|support)\b.{0,40}""",
    re.IGNORECASE | re.VERBOSE,
)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t]+\S.*\n)+[\w.]+(?:Error|Exception|Interrupt|Exit)\b.*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_MARKUP = "#>*_`~- \t"


def status_messages(material: Material) -> Iterator[Finding]:
    """Documents every sentence of which reads like a status message."""
    for document in material.corpus.documents:
        lines = [line for line in document.lines if line.strip() and not line.lstrip().startswith(("```", "~~~"))]
        if lines and is_status("\n".join(lines)):
            first = next(at for at, line in enumerate(document.lines, start=1) if line.strip())
            yield finding("status_message", document.source, first, f"the whole text is “{lines[0].strip()[:100]}”")


def is_status(text: str) -> bool:
    """Whether a text says nothing but that something went wrong, or is not there yet."""
    if len(text) > _MOST_CHARACTERS:
        return False
    if _TRACEBACK.fullmatch(text.strip()):
        return True
    sentences = [sentence.strip(_MARKUP) for sentence in _SENTENCE_END.split(text)]
    return all(_STATUS.fullmatch(sentence.rstrip(".!?。！？… ")) for sentence in sentences if sentence)
