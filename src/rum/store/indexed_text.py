"""Which words of a memory are indexed, field by field; the same for every backend."""

from __future__ import annotations

from collections.abc import Iterable

from rum.model.memory import Memory
from rum.text.terms import terms


def indexed_text(memory: Memory) -> tuple[str, ...]:
    """The terms of a memory in the order of the index's fields, each as one string."""
    intent, outcome, reasoning, perception = (
        memory.intent,
        memory.outcome,
        memory.reasoning,
        memory.perception,
    )
    fields: tuple[Iterable[str | None], ...] = (
        (intent.goal,),
        (intent.context, *intent.constraints),
        (memory.result, outcome.failure_reason, outcome.failure_category, *_checked(memory)),
        (*outcome.learnings, *outcome.follow_up_needed),
        (
            reasoning.approach_chosen,
            reasoning.why_chosen,
            *(
                text
                for other in reasoning.alternatives_considered
                for text in (other.approach, other.why_rejected)
            ),
            *reasoning.assumptions,
            *reasoning.risks_identified,
        ),
        (
            *(text for seen in perception.observations for text in (seen.what, seen.significance)),
            *(text for file in perception.relevant_files for text in (file.relevance, file.state_summary)),
            *perception.patterns_noticed,
            *perception.anomalies,
        ),
        tuple(_action_texts(memory)),
        memory.tags,
        (file.path for file in memory.files),
    )
    return tuple(" ".join(terms(" \n ".join(filter(None, field)))) for field in fields)


def _checked(memory: Memory) -> tuple[str | None, ...]:
    verified = memory.outcome.verified_by
    return (verified.command, verified.result) if verified else ()


def _action_texts(memory: Memory) -> Iterable[str | None]:
    for action in memory.actions:
        details = action.details
        yield from (details.diff_summary, details.command, details.query)
        if action.result:
            yield from (action.result.output_summary, action.result.error)
