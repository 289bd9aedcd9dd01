"""What earlier work has to say to a brief: failures on the files at hand, answers, and what is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rum.app.brief_asked import Asked
from rum.app.context import Context
from rum.inject import brief
from rum.inject.budget import WARNING, Piece
from rum.inject.match import Text, content_words
from rum.model.links import LinkType
from rum.model.memory import Memory
from rum.model.questions import RecallQuestion
from rum.recall import cascade
from rum.recall.inquiry import Inquiry
from rum.store.filters import Filters

FAILURES = 20
"""So many of the newest failures on the files at hand are looked at."""
ANSWERS = 8
LATELY = 40
"""So many of the newest memories are looked at for what was left to do."""
EACH = 3
"""So many follow-ups of one memory are given."""


class Recalled(NamedTuple):
    """A memory and how sure it is that it matters."""

    memory: Memory
    confidence: float


def work(context: Context, asked: Asked) -> Iterator[Piece]:
    """Failures, earlier work and follow-ups, each memory under one of them, and follow-ups besides."""
    on_files = _recalled(context, asked, file=asked.files, failures_only=True, limit=FAILURES)
    answers = _answers(context, asked)
    lately = _lately(context)
    pool = {one.id: one for one in (*(found.memory for found in (*on_files, *answers)), *lately)}
    after = _Afterwards(context, pool)
    warned = {found.memory.id for found in on_files}
    for (memory, _), times in _told_once(on_files):
        points = WARNING + brief.LIKE_THE_TASK * _likeness(asked, memory)
        points += brief.recency(memory.created_at, asked.now)
        yield _failure(memory, points, times, after)
    for found, times in _told_once(one for one in answers if one.memory.id not in warned):
        yield _answer(asked, found, times, after)
    at_hand = {*warned, *(found.memory.id for found in answers)}
    yield from _follow_ups(asked, pool.values(), at_hand, after)


def _told_once(found: Iterable[Recalled]) -> list[tuple[Recalled, int]]:
    """Of memories that say the same the surest, with how often it happened."""
    alike: dict[tuple[object, ...], list[Recalled]] = {}
    for one in found:
        outcome = one.memory.outcome
        said = (one.memory.intent.goal, outcome.success, outcome.failure_reason or outcome.summary)
        alike.setdefault(said, []).append(one)
    return [(same[0], len(same)) for same in alike.values()]


def _recalled(context: Context, asked: Asked, **question: Any) -> list[Recalled]:
    """What recall finds by words and files; unlike a recall it counts as no use of a memory.

    Vectors are left out: which of them exist changes from minute to minute, and a brief must not wait.
    """
    if not question.get("file") and not question.get("intent"):
        return []
    threshold = context.settings.min_confidence
    inquiry = Inquiry(
        RecallQuestion(**question, min_confidence=threshold),
        context.store,
        asked.files if question.get("file") else (),
        session=context.session_id,
    )
    matches = {match.memory_id: match.confidence for match in cascade.run(inquiry).matches}
    return [Recalled(memory, matches[memory.id]) for memory in context.store.memories.get(list(matches))]


def _answers(context: Context, asked: Asked) -> list[Recalled]:
    """The memories that answer the task; without one, the newest of the files at hand."""
    if asked.about:
        return _recalled(context, asked, intent=asked.about, file=asked.files or None, limit=ANSWERS)
    found = _recalled(context, asked, file=asked.files, limit=ANSWERS)
    return [Recalled(one.memory, brief.FILE_ALONE / brief.REMEMBERED) for one in found]


def _lately(context: Context) -> list[Memory]:
    numbers = [number for _, number in context.store.search.moments(LATELY, 1)[:LATELY]]
    rows = context.store.search.at(numbers, Filters())
    return context.store.memories.get([row[0] for row in rows])


def _likeness(asked: Asked, memory: Memory) -> float:
    return asked.text.share(content_words(memory.intent.goal)) if asked.about else 0.0


def _failure(memory: Memory, points: float, times: int, after: _Afterwards) -> Piece:
    outcome = memory.outcome
    solved = after.success(memory.id)
    return brief.failure(
        memory.id,
        round(points, 2),
        times=times,
        goal=memory.intent.goal,
        reason=outcome.failure_reason or outcome.summary,
        category=outcome.failure_category and outcome.failure_category.value,
        learned=outcome.learnings,
        solved=solved.outcome.summary if solved else None,
    )


def _answer(asked: Asked, found: Recalled, times: int, after: _Afterwards) -> Piece:
    memory, points = found.memory, brief.REMEMBERED * found.confidence
    if not memory.outcome.success:
        # Twice the points of a success, but no warning: nobody is at those files.
        return _failure(memory, min(2 * points, WARNING - 1), times, after)
    lately = brief.recency(memory.created_at, asked.now)
    return brief.memory(
        memory.id,
        round(points + lately, 2),
        times=times,
        goal=memory.intent.goal,
        summary=memory.outcome.summary,
        learned=memory.outcome.learnings,
    )


class _Afterwards:
    """What came after some memories, by their links and goals, and what they wait for."""

    def __init__(self, context: Context, pool: dict[str, Memory]) -> None:
        edges = context.store.links.of(pool)
        self._next: dict[str, list[str]] = {}
        self._blockers: dict[str, list[str]] = {}
        for source, target, kind in sorted(edges):
            if kind is LinkType.CAUSED_BY and target in pool:
                self._next.setdefault(target, []).append(source)
            elif kind is LinkType.BLOCKED_BY and source in pool:
                self._blockers.setdefault(source, []).append(target)
        named = {one for ids in (*self._next.values(), *self._blockers.values()) for one in ids}
        self._known = dict(pool)
        self._known.update((one.id, one) for one in context.store.memories.get(sorted(named - pool.keys())))
        self._by_goal: dict[str, list[Memory]] = {}
        for one in self._known.values():
            self._by_goal.setdefault(one.intent.goal.casefold(), []).append(one)

    def success(self, memory_id: str) -> Memory | None:
        """The last success that a memory led to, or that had the same goal later."""
        memory = self._known[memory_id]
        led_to = [self._known[one] for one in self._next.get(memory_id, ()) if one in self._known]
        again = self._by_goal.get(memory.intent.goal.casefold(), ())
        done = [
            one
            for one in (*led_to, *again)
            if one.outcome.success and (one.created_at, one.id) > (memory.created_at, memory.id)
        ]
        return max(done, key=lambda one: (one.created_at, one.id), default=None)

    def blockers(self, memory_id: str) -> list[Memory]:
        """What a memory is blocked by, as far as that did not succeed itself, nor led to success."""
        found = [self._known[one] for one in self._blockers.get(memory_id, ()) if one in self._known]
        return [one for one in found if not one.outcome.success and self.success(one.id) is None]


def _follow_ups(
    asked: Asked, pool: Iterable[Memory], at_hand: set[str], after: _Afterwards
) -> Iterator[Piece]:
    """What is left to do, of memories at hand or of what the task speaks of; without a task, all of it."""
    memories = sorted(pool, key=lambda one: (one.created_at, one.id), reverse=True)
    done = [(one.created_at, Text(one.intent.goal)) for one in memories if one.outcome.success]
    for memory in memories:
        if after.success(memory.id) is not None or memory.superseded_by:
            continue
        left = [text for text in memory.outcome.follow_up_needed if text.strip()]
        left = [text for text in left if not _was_done(text, memory, done)]
        left += [f"Blocked by: {one.intent.goal}" for one in after.blockers(memory.id)]
        for number, text in enumerate(left[:EACH], start=1):
            share = asked.text.share(content_words(text)) if asked.about else 0.0
            if share or memory.id in at_hand or not (asked.about or asked.files):
                points = brief.FOLLOW_UP + brief.FOLLOW_UP_WORDS * share
                points += brief.recency(memory.created_at, asked.now)
                yield brief.follow_up(memory.id, number, round(points, 2), text, memory.intent.goal)


def _was_done(text: str, memory: Memory, done: Iterable[tuple[int, Text]]) -> bool:
    """Whether a later success has all the words of what was to be done in its goal."""
    words = content_words(text)
    return bool(words) and any(at >= memory.created_at and goal.share(words) == 1 for at, goal in done)
