"""The text of a memory that is embedded."""

from __future__ import annotations

from rum.model.memory import Memory

# Part of every model name: when the choice of fields changes, vectors must be computed again.
TEXT_VERSION = 1

_MAX_TEXT = 2000  # Characters; somewhat more than models with 256 or 512 tokens read
_MAX_PART = 1000  # Half of it: a long context must not crowd out the outcome


def embedded_text(memory: Memory) -> str:
    """Intent, outcome and reasoning, one line for each distinct text, cut to what a model reads."""
    intent, outcome, reasoning = memory.intent, memory.outcome, memory.reasoning
    parts = (
        intent.goal,
        intent.context,
        memory.full_summary,
        outcome.failure_reason or "",
        *outcome.learnings,
        reasoning.approach_chosen,
        reasoning.why_chosen,
    )
    lines: dict[str, str] = {}
    for part in parts:
        plain = " ".join(part.split())
        lines.setdefault(plain.casefold(), plain[:_MAX_PART])
    return "\n".join(filter(None, lines.values()))[:_MAX_TEXT]
