"""Chapters and wisdom that answer a question by what they say: beside memories, never instead of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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


class Answering(NamedTuple):
    """A chapter or wisdom, how surely it answers, and what of it does."""

    one: Chapter | Wisdom
    confidence: float
    text: str


def beside(project: Project, query: RecallQuery) -> list[KnowledgeView]:
    """The surest chapter and the surest wisdom that say most of what was asked for in one place."""
    if not query.text or not _can_answer(query.question):
        return []
    found = ranked(project.store, query.text)
    ids = {kind: [one.id for one in found if one.kind == kind] for kind in ("chapter", "wisdom")}
    chapters, wisdom = project.store.chapters.get(ids["chapter"]), project.store.wisdom.get(ids["wisdom"])
    best = [_surest(query, chapters), _surest(query, wisdom)]
    views = [_view(project, one) for one in best if one is not None]
    return sorted(views, key=lambda view: (-view.confidence, view.kind))


def _can_answer(question: RecallRequest) -> bool:
    """Whether a question can be answered by a story: none that asks for particular memories."""
    particular = (question.memory_id, question.agent_id, question.session_id, question.task_type)
    only = question.success_only or question.failures_only
    return not any(particular) and not only and question.strategy is not Strategy.EXACT


def _surest(query: RecallQuery, known: Sequence[Chapter | Wisdom]) -> Answering | None:
    fitting = (one for one in known if _passes(one, query.question))
    sure = [one for one in _answers(query, fitting) if one.confidence >= query.threshold]
    return min(sure, key=lambda found: (-found.confidence, found.one.id), default=None)


def _answers(query: RecallQuery, known: Iterator[Chapter | Wisdom]) -> Iterator[Answering]:
    weights = dict(zip(query.words.terms, query.words.rarity, strict=True))
    for one in known:
        title = one.title if isinstance(one, Chapter) else ""
        said = MatchingLines(weights, title, one.tags, SHARE)
        summary = split_sentences(one.summary, semicolons=True)
        lines = said.telling([*_supported_claims(one)]) or said.telling(summary) or summary[: said.titled()]
        if lines:
            yield Answering(one, said.confidence(lines[0]), _shortened(title, lines))


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


def _view(project: Project, found: Answering) -> KnowledgeView:
    one = found.one
    kind = "chapter" if isinstance(one, Chapter) else "wisdom"
    stale = with_staleness(project, [one])[0].stale
    return KnowledgeView(kind, one.id, found.confidence, found.text, bool(stale))


def _passes(one: Chapter | Wisdom, question: RecallRequest) -> bool:
    return (
        set(question.tags) <= set(one.tags)
        and (question.since is None or one.end_ts >= seconds(question.since))
        and (question.before is None or one.start_ts < seconds(question.before))
    )
