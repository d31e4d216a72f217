"""Ten small documents, and questions that walk every path of the pipeline through them with the hash embedder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.lookup.scope import ScopeInput
from tests.knowledge_base import document

_TIMELINE = """## {name}

Write the postmortem timeline of the {topic} in universal time, one line an event, and name the source of each.

Whoever saw the {topic} first writes the first line of the timeline; the {topic} lead reads it against the chat log.

A postmortem timeline without the {topic} is sent back; a guess in it is marked as a guess, with the name of the author.
"""

DOCUMENTS = {
    "runbooks/disk-filling.md": document(
        """# Disk filling

The disk filling alert fires four hours before the root volume is full.

## Mitigation

Free the root volume: rotate the journal, then remove images that no pod uses.

## Escalation

Call the storage team when the root volume is above 98 percent.
""",
        keywords=["disk filling", "root volume", "handbook"],
        owner="platform",
    ),
    "runbooks/edge-errors.md": document(
        """# Edge errors

The gateway writes a code into its log.

## Codes

NET-4711 means that a certificate has expired; renew it and reload the gateway listener configuration without a restart.

## Further codes

NET-4712 means that the upstream closed early. LDG-1042 comes from the ledger.
""",
        keywords=["edge errors"],
        owner="edge",
    ),
    "databases/kafka-topics.md": document(
        """# Kafka topics

## Retention

Kafka topics keep seven days of scans; longer retention costs disks.

## Partitions

Twelve partitions a topic, three replicas each.
""",
        keywords=["consumer group", "failover", "handbook"],
        owner="platform",
    ),
    "policies/kafka-offsets.md": document(
        """# Kafka offsets

## Rewind

Rewind the offsets of a consumer with a dry run, then for real: the tool prints old and new offsets.

## Replay of scans

Replay scans from a time stamp, never from the earliest offset.
""",
        keywords=["signed permission", "handbook"],
        owner="delivery",
    ),
    "networking/dns-failover.md": document(
        """# Name server switch

## Switch

Switch the name server by lowering the time to live first.
""",
        keywords=["failover", "handbook"],
        owner="edge",
    ),
    "access/break-glass.md": document(
        """# Break glass accounts

## Use

Two people open a break glass account together, and security closes it within a day.

## Audit

Every command of such an account is recorded and read by security on the next working day.
""",
        keywords=["emergency login", "handbook"],
        aliases=["red envelope"],
    ),
    "access/envelope-printing.md": document(
        """# Printing of letters

## Paper

Letters need a red envelope with a window, paper of ninety grams and the depot stamp on the left side.
"""
    ),
    "policies/postmortems.md": document(
        "# Postmortems\n\n"
        + "\n".join(_TIMELINE.format(name=name, topic=topic) for name, topic in (("Outage", "outage"), ("Breach", "breach"), ("Delay", "delay"))),
        keywords=["blameless review"],
    ),
    "depots/handheld-scanner-zh.md": document(
        """# 手持扫描枪故障处理

## 扫码失败

条码扫不出来时，先换一个包裹试；如果别的包裹能扫，问题在标签。

## 电池更换

电池低于两成时，把手持扫描枪放回充电座。
""",
        keywords=["扫码失败", "扫描枪电池"],
        category="depots",
    ),
    "glossary.md": "# Words\n\n## Depot\n\nA depot is a building in which parcels are sorted.\n",
}


@dataclass(frozen=True)
class Situation:
    """A call of `lookup_knowledge`, and the settings that it needs."""

    query: str
    scope: ScopeInput = None
    settings: dict[str, Any] = field(default_factory=dict)


SITUATIONS = {
    "filtered_is_enough": Situation("How do I free the root volume when the disk filling alert fires?"),
    "filtered_finds_nothing": Situation("consumer group: rewind the offsets with a dry run"),
    "filtered_finds_little": Situation("Consumer group: rewind offsets of   kafka topics, dry run, old and new offsets"),
    "retry_is_worse": Situation(
        "red envelope rotation, procedure", settings={"evidence_floor": 0.15, "reference_threshold": 0.65, "medium_threshold": 0.7}
    ),
    "retry_finds_nothing": Situation(
        "red envelope rotation", scope=["source!=access/envelope-printing.md"], settings={"reference_threshold": 0.7, "medium_threshold": 0.7}
    ),
    "both_attempts_fail": Situation("signed permission"),
    "no_l0_match": Situation("replay from a time stamp"),
    "one_l0_match": Situation("emergency login"),
    "ambiguous": Situation("failover of the name server"),
    "covers_everything": Situation("handbook of parcels in a depot building"),
    "filter_disabled": Situation("free the root volume", settings={"use_l0_filter": False}),
    "alias": Situation("red envelope account"),
    "exact_code": Situation(
        "NET-4711 showed up on several screens yesterday during lunch, customers complained loudly, whom should colleagues inform quickly"
    ),
    "tight_budget": Situation(
        "How do I write a postmortem timeline of an outage, a breach and a delay?", settings={"budget_tokens": 310, "rule_weights.phrase": 0.4}
    ),
    "budget_of_nothing": Situation("free the root volume", settings={"budget_tokens": 5}),
    "scoped": Situation("rewind the offsets with a dry run", scope=["category=policies", "category=databases", "owner!=edge"]),
    "scope_leaves_nothing": Situation("free the root volume", scope=["category=runbooks", "source=glossary.md"]),
    "scope_against_filter": Situation("consumer group offsets", scope={"category": "policies"}),
    "no_searchable_text": Situation("？？？"),
    "stop_words_only": Situation("what is it"),
    "l1_disabled": Situation("free the root volume", settings={"use_l1": False}),
    "below_floor": Situation("parental leave in winter"),
    "chinese": Situation("扫码失败怎么办"),
    "narrow": Situation("free the root volume of the disk", settings={"max_blocks": 2, "max_blocks_per_document": 1, "trace_candidates": 2}),
}
