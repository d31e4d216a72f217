"""A result of a lookup for reading."""

from __future__ import annotations

from engine.console.terminal import printable
from engine.contracts.lookup import LookupResult


def lookup_text(result: LookupResult) -> str:
    """A result for reading: verdict, evidence, attempts, pack."""
    trace, pack, hint = result.retrieval_trace, result.context_pack, result.completeness_hint
    missing = f" Missing: {', '.join(hint.missing_terms)}." if hint.missing_terms else ""
    lines = [result.message, f"Completeness: {hint.level.value}. {hint.note}{missing}"]
    for i, block in enumerate(result.evidence_blocks, start=1):
        lines += ["", f"{i}. {block.source}:{block.lines.start}-{block.lines.end}  {block.breadcrumb or ''}"]
        reasons = "; ".join(reason.text for reason in block.hit_reasons[1:])
        lines += [f"   similarity {block.similarity:.3f}, score {block.score:.3f}" + (f": {reasons}" if reasons else "")]
        lines += [f"   | {line}" for line in block.content.split("\n")]
    if not result.found and trace.attempts:
        lines += ["", "The closest candidates, which are not evidence:"]
        lines += [f"   {one.similarity:.3f}  {one.chunk_id}" for one in trace.attempts[-1].candidates[:5]]
    lines += ["", f"L0 filter: {trace.filter_decision.code.value}. {trace.filter_decision.note}"]
    for attempt in trace.attempts:
        top = "none" if attempt.top_similarity is None else f"{attempt.top_similarity:.3f}"
        by_words = f" ({attempt.lexical_count} by words)" if attempt.lexical_count else ""
        within = f" in {attempt.filter}" if attempt.filter else ""
        lines += [
            f"Attempt {attempt.name.value}{within}: {attempt.candidate_count} candidates{by_words}, top similarity {top} "
            f"(reference {attempt.reference_threshold}): {attempt.verdict.value}"
        ]
    lines += [trace.selection_reason]
    cut = sum(item.truncated for item in pack.included)
    lines += [f"Pack: {pack.used_tokens} of {pack.budget_tokens} tokens; {len(pack.included)} blocks in it, {cut} cut, {len(pack.omitted)} left out."]
    return printable(lines)
