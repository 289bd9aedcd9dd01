"""Wisdom by id, by tags, and by the question that it answers."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.context import Context
from rum.app.staleness import judged_wisdom
from rum.model.errors import NO_RESULTS
from rum.model.wisdom import Wisdom
from rum.model.wisdom_answers import RecallWisdomQuestion, RecallWisdomResult, wisdom_view
from rum.recall.knowledge import LEAST, ranked
from rum.store.chapters import Range

BY_CHAPTER = 0.8
"""How sure it is that wisdom answers what one of its chapters answers."""
NEAR = 0.4
"""The cosine from which on a memory speaks of what was asked."""
NEAREST = 20
_EVERY = 10**9


def recall(context: Context, question: RecallWisdomQuestion) -> RecallWisdomResult:
    """What was asked for: the surest answer first, without a question the newest."""
    fuzzy = False
    if question.wisdom_id:
        found = {known(context, question.wisdom_id).id: None}
    elif question.query and question.query.strip():
        sure = _by_words(context, question.query)
        fuzzy = not sure
        found = sure or _by_meaning(context, question.query)
    else:
        found = dict.fromkeys(context.store.wisdom.matching(question.tags, Range(), _EVERY)[0])
    wisdom = [one for one in context.store.wisdom.get(list(found)) if set(question.tags) <= set(one.tags)]
    shown = judged_wisdom(context, wisdom[: question.limit])
    return RecallWisdomResult(
        wisdom=[
            wisdom_view(one, chapters=question.include_chapters, confidence=found[one.id], fuzzy=fuzzy)
            for one in shown
        ],
        total=len(wisdom),
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _hint(context),
    )


def _by_words(context: Context, query: str) -> dict[str, float]:
    """Wisdom that holds the words, or of which a chapter does, the surest first."""
    found: dict[str, float] = {}
    for one in ranked(context.store, query):
        if one.kind == "wisdom":
            found[one.id] = max(one.confidence, found.get(one.id, 0.0))
        else:
            for built in context.store.wisdom.holding([one.id]):
                found[built] = max(round(BY_CHAPTER * one.confidence, 2), found.get(built, 0.0))
    return _surest({one: sure for one, sure in found.items() if sure >= LEAST})


def _by_meaning(context: Context, query: str) -> dict[str, float]:
    """Wisdom that rests on memories which mean what was asked; only looked for where words find nothing."""
    store = context.store
    if not store.wisdom.count():
        return {}
    near = {one: cosine for one, cosine in context.meaning.nearest(query, NEAREST) if cosine >= NEAR}
    found: dict[str, float] = {}
    for memory_id, cosine in near.items():
        for built in store.wisdom.holding(store.chapters.holding([memory_id])):
            found[built] = max(round(BY_CHAPTER * cosine, 2), found.get(built, 0.0))
    return _surest(found)


def _surest(found: dict[str, float]) -> dict[str, float]:
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _hint(context: Context) -> str:
    count = context.store.wisdom.count()
    if count:
        return f"None of the {count} there are is about this; ask with other words, or with fewer tags."
    return "There is no wisdom yet; synthesize makes it of chapters, create_chapter makes those of memories."


def known(context: Context, name: str) -> Wisdom:
    """The one wisdom that an id or a tail of one means."""
    kept = context.store.wisdom
    return kept.get([context.one("wisdom", name, kept.named(name))])[0]
