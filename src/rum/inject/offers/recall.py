"""Find memories similar to a prompt with `recall`; slow to load, so `similar_work` tests first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rum.model.errors import StorageError
from rum.model.memory import OriginKind, has_worked
from rum.model.requests import RecallRequest
from rum.recall import cascade
from rum.recall.query import RecallQuery
from rum.store.base import ReadMode
from rum.text.sentences import is_prose, prose_sentences, split_sentences
from rum.text.terms import content_words

if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext, Similar
    from rum.model.memory import Memory

MIN_CONFIDENCE = 0.3  # To offer several memories together: if three match equally well, each has a third
_LIMIT = 6


def _result(memory: Memory) -> str:
    """How work went, as far as that is known, and what reverted it."""
    result = "failed" if not memory.outcome.success else "worked" if has_worked(memory) else "unverified"
    if not (link := memory.reverted_by):
        return result
    return (
        f"{result}, reverted{' in part' if link.in_part else ''}{f' by {link.label}' if link.commit else ''}"
    )


def _said(memory: Memory) -> str:
    """The first sentence of why work failed, or of why a commit was made; else the summary.

    The summary of an imported commit is only its author and size.
    """
    outcome = memory.outcome
    if not outcome.success and (why := split_sentences(outcome.failure_reason or "")):
        return why[0]
    if memory.origin.kind is OriginKind.COMMIT:
        known = set(content_words(memory.intent.goal))
        for one in prose_sentences(memory.intent.context):
            if is_prose(one) and not one.endswith(":") and set(content_words(one)) - known:
                return one
    return outcome.summary


def recall_similar(context: OfferContext, text: str) -> list[Similar]:
    """Find memories by words only, as vectors are too slow for a hook; none of this session."""
    store: Any = context.store.recall_store()
    request = RecallRequest(intent=text, limit=_LIMIT, min_confidence=MIN_CONFIDENCE)
    try:
        with store.errors():
            answer = cascade.run(RecallQuery(request, store, session=context.event["session"]))
            confidences = {match.memory_id: match.confidence for match in answer.matches}
            memories = store.memories.get(list(confidences), ReadMode.BEST_EFFORT)
    except StorageError:  # busy, damaged, or gone
        return []
    own = context.event["session"]
    return [
        (
            memory.id,
            confidences[memory.id],
            memory.created_at,
            memory.intent.goal,
            memory.intent.task_type.value,
            _result(memory),
            _said(memory),
            next(iter(memory.outcome.learnings), None),
        )
        for memory in memories
        if memory.session_id != own
    ]
