"""Earlier work like what a prompt asks for, as `recall` finds it; slow to load, so a quick look is first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rum.model.errors import StorageError
from rum.model.questions import RecallQuestion
from rum.recall import cascade
from rum.recall.inquiry import Inquiry

if TYPE_CHECKING:
    from rum.inject.offers.situation import Moment, Similar
    from rum.model.memory import Memory

LIKELY = 0.3  # The minimum confidence to offer several memories together: of three alike each has a third
_FOUND = 6


def recall_similar(moment: Moment, text: str) -> list[Similar]:
    """What is found by words alone, as vectors take longer than a hook may; nothing of this session."""
    store: Any = moment.store.recall_store()
    question = RecallQuestion(intent=text, limit=_FOUND, min_confidence=LIKELY)
    try:
        with store.errors():
            answer = cascade.run(Inquiry(question, store, session=moment.event["session"]))
            sure = {match.memory_id: match.confidence for match in answer.matches}
            memories = store.memories.get(list(sure))
    except StorageError:  # busy, damaged, or gone
        return []
    others = [memory for memory in memories if memory.session_id != moment.event["session"]]
    return [_values(memory, sure[memory.id]) for memory in others]


def _values(memory: Memory, confidence: float) -> Similar:
    intent, outcome = memory.intent, memory.outcome
    learned = next(iter(outcome.learnings), None)
    kind = intent.task_type.value
    return (
        memory.id,
        confidence,
        memory.created_at,
        intent.goal,
        kind,
        outcome.success,
        memory.result,
        learned,
    )
