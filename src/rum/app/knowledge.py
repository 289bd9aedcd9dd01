"""Chapters and wisdom that answer a question better than single memories do: beside them, never instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rum.app.context import Context
from rum.app.staleness import judged, judged_wisdom
from rum.model.answers import KnowledgeView
from rum.model.chapter import Chapter
from rum.model.questions import RecallQuestion, Strategy
from rum.model.times import seconds
from rum.model.wisdom import Wisdom
from rum.recall.inquiry import Inquiry
from rum.recall.knowledge import Known, ranked

SHARE = 0.6
"""The share of a question's words that a chapter must hold to answer by its words."""
HELD, HALF = 2, 0.5
"""How many of the memories that answer, and which share of them, a chapter must hold to tell their story."""
LONGEST = 400
"""Characters of what is said."""


def beside(context: Context, inquiry: Inquiry, confidences: Mapping[str, float]) -> list[KnowledgeView]:
    """The surest chapter and the surest wisdom beside memories, which come with how sure each of them is."""
    question = inquiry.question
    if not _asks_for_it(question):
        return []
    found = _by_words(context, inquiry.text) | _by_members(context, confidences)
    sure = sorted(found.values(), key=lambda one: (-one.confidence, one.kind, one.id))
    views: dict[str, KnowledgeView] = {}
    for one in sure:
        if one.kind not in views and one.confidence >= inquiry.threshold:
            views |= {view.kind: view for view in _views(context, one, question)}
    return list(views.values())


def _asks_for_it(question: RecallQuestion) -> bool:
    """Whether a question can be answered by a story: none that asks for particular memories."""
    particular = (question.memory_id, question.agent_id, question.session_id, question.task_type)
    only = question.success_only or question.failures_only
    return not any(particular) and not only and question.strategy is not Strategy.EXACT


def _by_words(context: Context, text: str) -> dict[str, Known]:
    return {one.id: one for one in ranked(context.store, text) if one.share >= SHARE}


def _by_members(context: Context, confidences: Mapping[str, float]) -> dict[str, Known]:
    """Chapters of which several of the memories that answer are members."""
    holding = context.store.chapters.holding(confidences) if len(confidences) >= HELD else {}
    least = max(HELD, HALF * len(confidences))
    enough = [one for one, count in holding.items() if count >= least]
    return {
        chapter.id: _known(chapter, [confidences[one] for one in chapter.memory_ids if one in confidences])
        for chapter in context.store.chapters.get(enough)
    }


def _known(chapter: Chapter, sure: Sequence[float]) -> Known:
    """As sure as the memories it holds are on average."""
    return Known("chapter", chapter.id, round(sum(sure) / len(sure), 2), 1.0)


def _views(context: Context, known: Known, question: RecallQuestion) -> list[KnowledgeView]:
    """What it says; nothing where the tags or the time asked for leave it out."""
    found: Sequence[Chapter | Wisdom]
    if known.kind == "chapter":
        found = judged(context, context.store.chapters.get([known.id]))
    else:
        found = judged_wisdom(context, context.store.wisdom.get([known.id]))
    return [
        KnowledgeView(known.kind, known.id, known.confidence, _told(one), bool(one.stale))
        for one in found
        if _passes(one, question)
    ]


def _passes(one: Chapter | Wisdom, question: RecallQuestion) -> bool:
    return (
        set(question.tags) <= set(one.tags)
        and (question.since is None or one.end_ts >= seconds(question.since))
        and (question.before is None or one.start_ts < seconds(question.before))
    )


def _told(one: Chapter | Wisdom) -> str:
    """What it says in short: the summary, then claims while there is room."""
    told = f"{one.title}: {one.summary}" if isinstance(one, Chapter) else one.summary
    claims = one.learnings if isinstance(one, Chapter) else one.claims
    for claim, rests_on in zip(claims, one.evidence, strict=True):
        line = f"{claim} ({rests_on.supporting})"
        if len(told) + len(line) + 1 > LONGEST:
            break
        told = f"{told} {line}"
    return told[:LONGEST]
