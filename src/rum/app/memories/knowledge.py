"""Find the chapter and the wisdom that answer a recall. They are returned beside the memories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rum.app.chapters.staleness import with_staleness
from rum.app.project import Project
from rum.model.answers import KnowledgeView, RetrievedMemory
from rum.model.chapters import Chapter, TextSource, Wisdom
from rum.model.fields import seconds
from rum.model.requests import RecallRequest, Strategy
from rum.recall.knowledge import MatchingLines, ranked
from rum.recall.query import RecallQuery
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten
from rum.text.word_weights import telling_words

MIN_WORD_SHARE = 0.6  # The weighted share of the query's words that a chapter or wisdom must contain
MAX_NEW_SHARE = 0.2  # Of a chapter's words that the memory above it lacks, for a mere repetition
MAX_TEXT = 240  # Characters of an answer's text: about two lines


_COUNT = re.compile(r" \(\d+\)(?=;|\Z)")  # How many memories support a claim


class _Answer(NamedTuple):
    confidence: float
    id: str
    text: str
    said: tuple[str, ...]  # The lines of the text that may be new; the counts in a drawn summary are not


def matching_knowledge(
    project: Project, query: RecallQuery, memories: Sequence[RetrievedMemory] = ()
) -> list[KnowledgeView]:
    """Return at most one chapter and one wisdom: of each kind the answer with the highest confidence.

    What only repeats lines of the `memories`, which are shown above it, is left out.
    """
    if not query.text or _selects_memories(query.request):
        return []
    found, views = ranked(project.store, query.text), list[KnowledgeView]()
    for kind in ("chapter", "wisdom"):
        table = project.store.chapters if kind == "chapter" else project.store.wisdom
        groups = {group.id: group for group in table.get([one.id for one in found if one.kind == kind])}
        passing = [group for group in groups.values() if _passes(group, query.request)]
        answers = [answer for group in passing if (answer := _answer(query, group))]
        answers = [answer for answer in answers if answer.confidence >= query.threshold]
        answers = [answer for answer in answers if not _repeats(answer.said, memories)]
        if answers:
            best = min(answers, key=lambda answer: (-answer.confidence, answer.id))
            is_stale = bool(with_staleness(project, [groups[best.id]])[0].stale)
            views.append(KnowledgeView(kind, best.id, best.confidence, best.text, is_stale))
    return sorted(views, key=lambda view: (-view.confidence, view.kind))


def _repeats(lines: Sequence[str], memories: Sequence[RetrievedMemory]) -> bool:
    """Whether each line is nearly all said by some memory, as it is shown."""
    shown = [
        telling_words(
            "\n".join((one.intent.goal, outcome.summary, outcome.failure_reason or "", *outcome.learnings))
        )
        for one in memories
        if (outcome := one.outcome)
    ]
    wanted = [telling_words(_COUNT.sub("", line)) for line in lines]
    return all(any(len(line - words) <= MAX_NEW_SHARE * len(line) for words in shown) for line in wanted)


def _selects_memories(request: RecallRequest) -> bool:
    """Whether a request has a filter that applies to memories only."""
    is_filtered = request.success_only or request.failures_only or request.strategy is Strategy.EXACT
    return is_filtered or any((request.memory_id, request.agent_id, request.session_id, request.task_type))


def _passes(group: Chapter | Wisdom, request: RecallRequest) -> bool:
    """Whether a chapter or wisdom has the requested tags and is from the requested time."""
    return (
        set(request.tags) <= set(group.tags)
        and (request.since is None or group.end_ts >= seconds(request.since))
        and (request.before is None or group.start_ts < seconds(request.before))
    )


def _answer(query: RecallQuery, group: Chapter | Wisdom) -> _Answer | None:
    """Return what a chapter or wisdom says about the query; None if it says nothing about it."""
    weights = dict(zip(query.words.terms, query.words.rarity, strict=True))
    title = group.title if isinstance(group, Chapter) else ""
    matcher = MatchingLines(weights, title, group.tags, MIN_WORD_SHARE)
    summary = split_sentences(group.summary, semicolons=True)
    claims = matcher.matching([*_supported_claims(group)])
    lines = claims or matcher.matching(summary)
    if not lines and matcher.title_matches():
        lines = summary[:1]
    if not lines:
        return None
    shown = _fitting(title, lines)
    said = (title, *shown) if claims or group.words is not TextSource.DRAWN else (title,)
    return _Answer(matcher.confidence(lines[0]), group.id, _text(title, shown), said)


def _supported_claims(group: Chapter | Wisdom) -> Iterator[str]:
    """Yield each claim that memories support, followed by their number."""
    for claim, evidence in zip(group.claims, group.evidence, strict=True):
        if evidence.supporting:
            yield f"{claim} ({evidence.supporting})"


def _fitting(title: str, lines: Sequence[str]) -> list[str]:
    """The first line, and those of the others that fit with it into `MAX_TEXT`."""
    found = [lines[0]]
    for line in lines[1:]:
        if len(_text(title, [*found, line])) < MAX_TEXT:
            found.append(line)
    return found


def _text(title: str, lines: Sequence[str]) -> str:
    """The title and some lines; shortened if they are too long."""
    first = lines[0] if lines[0].startswith(title) else f"{title}: {lines[0]}"
    return shorten("; ".join((first, *lines[1:])), MAX_TEXT)
