"""Five documents about lamps and gates, and a question for which every rule has a signal somewhere."""

from __future__ import annotations

from engine.contracts.lookup import LookupResult
from engine.contracts.lookup_trace import RerankEntry
from tests.knowledge_base import document

LAMPS = {
    "signals/lamp.md": document("# Signal lamp\n\nThe signal lamp of gate LMP-4711 is red at night.\n", keywords=["signal lamp", "red gate"]),
    "signals/horn.md": document("# Horn\n\nThe horn sounds when the signal lamp fails.\n", keywords=["horn"]),
    "gates/north.md": "# North gate\n\nThe red gate closes at night, lamp or no lamp.\n",
    "gates/south.md": "# Lamp of the south gate\n\nIt never closes.\n",
    "office.md": "# Office\n\nCoffee is in the kitchen.\n",
}
LAMP = "is the signal lamp of the red gate LMP-4711 on at night"


def entries(result: LookupResult) -> dict[str, RerankEntry]:
    """The way of each candidate through the rerank, by source."""
    return {entry.source: entry for entry in result.rerank_trace.entries}
