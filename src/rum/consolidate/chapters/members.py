"""The memories of a chapter or of wisdom: their order, and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rum.model.memory import Memory
from rum.text.shorten import one_line

LONGEST_FIELD = 6000  # Characters of a field that are read


def by_time(members: Iterable[Memory]) -> list[Memory]:
    """Each memory once, oldest first."""
    return sorted({memory.id: memory for memory in members}.values(), key=time_key)


def time_key(memory: Memory) -> tuple[int, str]:
    """Sorts memories by time; within a second by id."""
    return memory.created_at, memory.id


def in_force(members: Iterable[Memory]) -> list[Memory]:
    """Those that are not superseded: what a superseded memory claims no longer counts."""
    return [memory for memory in members if not memory.superseded_by]


def texts_of(memory: Memory) -> list[str]:
    """The texts of a memory, field by field; the goal first."""
    intent, perception = memory.intent, memory.perception
    reasoning, outcome = memory.reasoning, memory.outcome
    fields: Sequence[str | None] = (
        intent.goal,
        intent.context,
        *intent.constraints,
        *(text for one in perception.observations for text in (one.what, one.where, one.significance)),
        *perception.patterns_noticed,
        *perception.anomalies,
        reasoning.approach_chosen,
        reasoning.why_chosen,
        *(text for one in reasoning.alternatives_considered for text in (one.approach, one.why_rejected)),
        *reasoning.assumptions,
        *reasoning.risks_identified,
        memory.full_summary,
        outcome.failure_reason,
        *outcome.learnings,
        *outcome.follow_up_needed,
        *memory.tags,
    )
    return [text[:LONGEST_FIELD] for text in fields if text]


def short_line(text: str, most: int) -> str:
    """A text on one line, cut at a word and marked if it is longer than `most` characters."""
    return one_line(text[: 4 * most], most)


def goal_line(memory: Memory, most: int) -> str:
    """A memory's goal on one line; its task type where the goal has no visible characters."""
    return short_line(memory.intent.goal, most) or memory.intent.task_type.value
