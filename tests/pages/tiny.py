"""A knowledge base of five small documents, in which each path of the page can be walked with the hash embedder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.knowledge_base import write_files

SETTINGS = """
evidence_floor = 0.25
reference_threshold = 0.4
medium_threshold = 0.5
high_threshold = 0.7
embedding_model = "hash"
"""

DIRECT = "How do I drain the queue backlog of the notify workers?"
RETRIED = "kafka topics: rewind the offsets of a group with a dry run"
UNKNOWN = "parental leave in winter"
HOSTILE = "magic spell for the unicorn printer"
MISSED = "**magic** spell :tada: for the <b>unicorn</b> printer"
ANSWERED = "drain the queue backlog of the notify workers in Iceland"
HOSTILE_TITLE = "<img src=x onerror=alert(1)> **Unicorn** :tada: printer"
HOSTILE_TEXT = '<script>alert("spell")</script> ![x](http://evil.example/x.png) :red[magic] spell for the unicorn printer $x$'

DOCUMENTS = {
    "runbooks/queue-backlog.md": """---
title: Queue backlog
category: runbooks
keywords: [queue backlog]
---
# Queue backlog

Drain the queue backlog of the notify workers: stop the publishers, then add two notify workers.

## Escalation

Call the platform team when the queue backlog still grows after an hour.
""",
    "databases/topics.md": """---
title: Topic retention
category: databases
keywords: [kafka topics]
---
# Topic retention

Seven days of retention for each of the kafka topics; change it with the config command.
""",
    "policies/rewind.md": """---
title: Replay approval
category: policies
keywords: [replay approval]
---
# Replay approval

Rewind the offsets of a group with a dry run first: the offsets of the group stand in the output of the dry run.
""",
    "runbooks/unicorn.md": f"""---
title: "{HOSTILE_TITLE}"
category: runbooks
---
# {HOSTILE_TITLE}

{HOSTILE_TEXT}
""",
    "depots/scanner-zh.md": """---
title: 手持扫描枪
category: depots
---
# 手持扫描枪

扫描枪无法连接到仓库网络时，先重启扫描枪。
""",
}

EXAMPLES = f"""
- id: direct
  question: "{DIRECT}"
  expected: [runbooks/queue-backlog.md]
  path: filtered_ok
  shows: "A filtered search that answers at once."
- id: pinned
  question: "{RETRIED}"
  expected: [policies/rewind.md]
  path: fallback
  shows: "The filter hides the answer, the retry finds it."
  settings: {{trace_candidates: 3, max_blocks: 8, rule_weights: {{title: 0.5}}}}
- id: missed
  question: "{MISSED}"
  expected: [policies/rewind.md]
- id: refused
  question: "{UNKNOWN}"
  answerable: false
- id: answered
  question: "{ANSWERED}"
  answerable: false
  split: test
"""


def write_tiny(folder: Path, more: Mapping[str, str] | None = None) -> Path:
    """Write the knowledge base, with some more files, and return its folder."""
    return write_files(folder, {**DOCUMENTS, "cases.yaml": EXAMPLES, "evidence.toml": SETTINGS, **(more or {})})


def tiny_environment(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a server needs to know to serve the knowledge base from a folder, without a model and with an index of its own."""
    return {
        "EVIDENCE_KB": str(write_tiny(folder / "kb", more)),
        "EVIDENCE_EMBEDDING_MODEL": "hash",
        "EVIDENCE_INDEX_DIR": str(folder / "index"),
    }
