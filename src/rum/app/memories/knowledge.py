"""Chapters and wisdom that answer a question by what they say: beside memories, never instead of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rum.app.chapters.staleness import with_staleness
from rum.app.project import Project
from rum.model.answers import KnowledgeView
from rum.model.chapters import Chapter, Wisdom
from rum.model.fields import seconds
from rum.model.requests import RecallRequest, Strategy
from rum.recall.knowledge import MatchingLines, ranked
from rum.recall.query import RecallQuery
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten

SHARE = 0.6  # The share of a question's words that a chapter must hold to answer by its words
LONGEST = 240  # Characters of what is said: two lines


def beside(project: Project, query: RecallQuery) -> list[KnowledgeView]:
    """The surest chapter and the surest wisdom that say most of what was asked for in one place."""
    request = query.request
    # No story answers a question that asks for particular memories.
    particular = (request.memory_id, request.agent_id, request.session_id, request.task_type)
    only = request.success_only or request.failures_only or request.strategy is Strategy.EXACT
    if not query.text or any(particular) or only:
        return []
    found, views = ranked(project.store, query.text), list[KnowledgeView]()
    for kind in ("chapter", "wisdom"):
        table = project.store.chapters if kind == "chapter" else project.store.wisdom
        known = {one.id: one for one in table.get([one.id for one in found if one.kind == kind])}
        fitting = [_answer(query, one) for one in known.values() if _passes(one, request)]
        sure = [one for one in fitting if one and one[0] >= query.threshold]
        if sure:
            confidence, one_id, text = min(sure, key=lambda answer: (-answer[0], answer[1]))
            stale = with_staleness(project, [known[one_id]])[0].stale
            views.append(KnowledgeView(kind, one_id, confidence, text, bool(stale)))
    return sorted(views, key=lambda view: (-view.confidence, view.kind))


def _answer(query: RecallQuery, one: Chapter | Wisdom) -> tuple[float, str, str] | None:
    """How surely a chapter or wisdom answers, its id, and what of it does; None if nothing does."""
    weights = dict(zip(query.words.terms, query.words.rarity, strict=True))
    title = one.title if isinstance(one, Chapter) else ""
    said = MatchingLines(weights, title, one.tags, SHARE)
    summary = split_sentences(one.summary, semicolons=True)
    lines = said.telling([*_supported_claims(one)]) or said.telling(summary) or summary[: said.titled()]
    return (said.confidence(lines[0]), one.id, _shortened(title, lines)) if lines else None


def _supported_claims(one: Chapter | Wisdom) -> Iterator[str]:
    """The claims that memories support, each with their number; claims without evidence are left out."""
    for claim, rests_on in zip(one.claims, one.evidence, strict=True):
        if rests_on.supporting:
            yield f"{claim} ({rests_on.supporting})"


def _shortened(title: str, lines: Sequence[str]) -> str:
    """The title and as many lines as there is room for; one is always there, if only its beginning."""
    told = lines[0] if lines[0].startswith(title) else f"{title}: {lines[0]}"
    for line in lines[1:]:
        if len(told) + len(line) + 2 <= LONGEST:
            told = f"{told}; {line}"
    return shorten(told, LONGEST)


def _passes(one: Chapter | Wisdom, request: RecallRequest) -> bool:
    return (
        set(request.tags) <= set(one.tags)
        and (request.since is None or one.end_ts >= seconds(request.since))
        and (request.before is None or one.start_ts < seconds(request.before))
    )
