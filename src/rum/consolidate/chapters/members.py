"""The memories that a chapter or wisdom is made of: each once, in the order of time, and all their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rum.consolidate.days import day_of
from rum.model.memory import Memory
from rum.text.shorten import one_line

LONGEST_FIELD = 6000
"""Characters of a field that are looked at."""


def in_order(members: Iterable[Memory]) -> list[Memory]:
    """Each memory once, oldest first."""
    return sorted({memory.id: memory for memory in members}.values(), key=place)


def place(memory: Memory) -> tuple[int, str]:
    """Where a memory stands in time; inside a second ids tell."""
    return memory.created_at, memory.id


def in_force(members: Iterable[Memory]) -> list[Memory]:
    """Those that no other memory has superseded: what a superseded one says no longer counts."""
    return [memory for memory in members if not memory.superseded_by]


def texts_of(memory: Memory) -> list[str]:
    """All that a memory says in words, field by field."""
    intent, seen, thought, outcome = memory.intent, memory.perception, memory.reasoning, memory.outcome
    fields: Sequence[str | None] = (
        intent.goal,
        intent.context,
        *intent.constraints,
        *(text for one in seen.observations for text in (one.what, one.where, one.significance)),
        *seen.patterns_noticed,
        *seen.anomalies,
        thought.approach_chosen,
        thought.why_chosen,
        *(text for one in thought.alternatives_considered for text in (one.approach, one.why_rejected)),
        *thought.assumptions,
        *thought.risks_identified,
        outcome.summary,
        outcome.failure_reason,
        *outcome.learnings,
        *outcome.follow_up_needed,
        *memory.tags,
    )
    return [text[:LONGEST_FIELD] for text in fields if text]


def shortened(text: str, most: int) -> str:
    """A text on one line, cut at a word with a sign that it was; of a long one the beginning is looked at."""
    return one_line(text[: 4 * most], most)


def aim_of(memory: Memory, most: int) -> str:
    """What a memory's work was for, on one line; its kind where the goal cannot be seen."""
    return shortened(memory.intent.goal, most) or memory.intent.task_type.value


def day(seconds: int) -> str:
    """The day of a time, in UTC, as it is said."""
    return day_of(seconds).isoformat()
