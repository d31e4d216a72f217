"""What reads like a tool's status message, and what only speaks of one."""

from __future__ import annotations

import pytest

from engine.insight.lint.text import is_status

TRACEBACK = """```
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    open("x")
FileNotFoundError: [Errno 2] No such file or directory: 'x'
```"""


@pytest.mark.parametrize(
    "text",
    [
        "Error: file not found",
        "Error: ENOENT: no such file or directory, open '/docs/x.md'",
        "# 404 Not Found\n\nThe requested URL was not found on this server.",
        "404 Not Found\n\n---\n\nnginx/1.18.0",
        "Access denied.",
        "**Access to the folder is denied**",
        "Please enable JavaScript to continue.",
        "You need to enable JavaScript to run this app.",
        "Loading...",
        "Loading, please wait…",
        "No results found for your query.",
        "Tool call failed: timeout after 30 s",
        "I'm sorry, I cannot help with that request.",
        "I’m sorry, but I can’t assist with that.",
        "503 Service Unavailable. Please try again later.",
        "Request timed out",
        "null",
        "页面不存在",
        "\n".join(TRACEBACK.split("\n")[1:-1]),
    ],
)
def test_a_status_message_is_none_of_our_documents(text: str) -> None:
    assert is_status(text)


@pytest.mark.parametrize(
    "text",
    [
        "# 404 Not Found\n\nThe gateway answers 404 when no route matches. Check the route table.",
        "# Error NTF-5102\n\nThe queue is full. Restart the consumer.",
        "Error: file not found. The mount is missing; mount it again.",
        "Access denied means that the role is missing; ask for it.",
        "# Loading data\n\nRun the loader.",
        "# Loading dashboards",
        "Text.",
        "",
        "# Enable JavaScript\n\nOpen the settings of the browser.",
        "Errors are written to the log.",
        "No results found? Widen the time range.",
        TRACEBACK.strip("`\n") + "\n\nThe file is missing: create it.",
        "503 means that no pod is ready",
    ],
)
def test_a_document_that_explains_a_message_is_a_document(text: str) -> None:
    assert not is_status(text)
