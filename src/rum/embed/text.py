"""Which words of a memory its vector stands for."""

from __future__ import annotations

from rum.model.memory import Memory

TEXT_VERSION = 1
"""Part of every stamp: with another choice of words, vectors have to be made again."""

_LONGEST = 2000
"""Somewhat more than models of 256 or 512 tokens take in."""
_LONGEST_PART = 1000
"""Half of it: a long context must not keep out what came of the work."""


def embedded_text(memory: Memory) -> str:
    """What was wanted and what came of it, each text once, a line each, cut to what a model takes in."""
    intent, outcome, reasoning = memory.intent, memory.outcome, memory.reasoning
    parts = (
        intent.goal,
        intent.context,
        memory.result,
        outcome.failure_reason or "",
        *outcome.learnings,
        reasoning.approach_chosen,
        reasoning.why_chosen,
    )
    said: dict[str, str] = {}
    for part in parts:
        plain = " ".join(part.split())
        said.setdefault(plain.casefold(), plain[:_LONGEST_PART])
    return "\n".join(filter(None, said.values()))[:_LONGEST]
