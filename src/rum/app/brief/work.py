"""What earlier work has to say to a brief: failures on the files at hand, answers, and what is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rum.app.brief.commit_summary import are_copies, came_of, is_commit, solution
from rum.app.brief.follow_up import Afterwards, follow_ups
from rum.app.brief.query import Asked, Word, flat, telling_words
from rum.app.caller import Caller
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import WARNING, Piece
from rum.model.memory import Memory
from rum.model.questions import MAX_LIMIT, RecallQuestion
from rum.model.success import is_verified
from rum.recall import cascade
from rum.recall.inquiry import Inquiry
from rum.store.filters import Filters
from rum.text.terms import content_words

FAILURES = 20
"""So many of the newest failures on the files at hand are looked at."""
ANSWERS = 8
LATELY = 40
"""So many of the newest memories are looked at for what was left to do."""


class Recalled(NamedTuple):
    """A memory and how sure it is that it matters."""

    memory: Memory
    confidence: float


def work(caller: Caller, asked: Asked) -> Iterator[Piece]:
    """Failures, earlier work and follow-ups, each memory under one of them, and follow-ups besides."""
    on_files = _failures(caller, asked)
    answers = _answers(caller, asked)
    lately = _lately(caller.project)
    pool = {one.id: one for one in (*(found.memory for found in (*on_files, *answers)), *lately)}
    after = Afterwards(caller.project, pool)
    warned = {found.memory.id for found in on_files}
    for (memory, _), times in _told_once(on_files):
        points = WARNING + brief.LIKE_THE_TASK * _likeness(asked, memory)
        points += brief.recency(memory.created_at, asked.now)
        yield _failure(memory, points, times, after)
    for found, times in _told_once(one for one in answers if one.memory.id not in warned):
        yield _answer(asked, found, times, after)
    at_hand = {*warned, *(found.memory.id for found in answers)}
    yield from follow_ups(asked, pool.values(), at_hand, after)


def _failures(caller: Caller, asked: Asked) -> list[Recalled]:
    """The newest failures on the files at hand; work of which nobody said how it ended is none."""
    told: list[Recalled] = []
    for most in (FAILURES, MAX_LIMIT):  # what was interrupted again and again must not hide the rest
        found = _recalled(caller, asked, file=asked.files, failures_only=True, limit=most)
        told = [one for one in found if is_verified(one.memory)]
        if len(told) == len(found) or len(found) < most:
            break
    return told[:FAILURES]


def _told_once(found: Iterable[Recalled]) -> list[tuple[Recalled, int]]:
    """Of memories that say the same the one that says most, with how often it happened.

    A commit that was picked onto another branch happened once.
    """
    told: list[tuple[Recalled, frozenset[Word], int]] = []
    for one in found:
        words = _said(one.memory)
        for at, (known, said, times) in enumerate(told):
            if _same_work(one.memory, known.memory) and (words <= said or said <= words):
                more = 0 if are_copies(one.memory, known.memory) else 1
                told[at] = (one if said < words else known, words | said, times + more)
                break
        else:
            told.append((one, words, 1))
    return [(one, times) for one, _, times in told]


def _said(memory: Memory) -> frozenset[Word]:
    return frozenset(content_words(memory.outcome.failure_reason or came_of(memory)))


def _same_work(one: Memory, other: Memory) -> bool:
    return flat(one.intent.goal) == flat(other.intent.goal) and _ended(one) == _ended(other)


def _ended(memory: Memory) -> tuple[bool, bool]:
    return memory.outcome.success, is_verified(memory)


def _recalled(caller: Caller, asked: Asked, **question: Any) -> list[Recalled]:
    """What recall finds by words and files; unlike a recall it counts as no use of a memory.

    Vectors are left out: which of them exist changes from minute to minute, and a brief must not wait.
    """
    if not question.get("file") and not question.get("intent"):
        return []
    threshold = caller.project.settings.min_confidence
    inquiry = Inquiry(
        RecallQuestion(**question, min_confidence=threshold),
        caller.project.store,
        asked.files if question.get("file") else (),
        session=caller.session_id,
    )
    matches = {match.memory_id: match.confidence for match in cascade.run(inquiry).matches}
    return [
        Recalled(memory, matches[memory.id]) for memory in caller.project.store.memories.best(list(matches))
    ]


def _answers(caller: Caller, asked: Asked) -> list[Recalled]:
    """The memories that answer the task; without one, the newest of the files at hand."""
    if asked.about:
        found = _recalled(caller, asked, intent=asked.about, file=asked.files or None, limit=ANSWERS)
        return _telling(caller.project, asked, found)
    found = _recalled(caller, asked, file=asked.files, limit=ANSWERS)
    return [Recalled(one.memory, brief.FILE_ALONE / brief.REMEMBERED) for one in found]


def _telling(project: Project, asked: Asked, found: list[Recalled]) -> list[Recalled]:
    """Without those that have nothing in common with a task but words that any work is told in."""
    words = telling_words(f"{asked.task} {asked.plan}")
    if not words or asked.files:
        return found
    told = project.store.search.texts([one.memory.id for one in found])
    wanted = {term for word in words for term in word}
    return [one for one in found if not wanted.isdisjoint(" ".join(told[one.memory.id]).split())]


def _lately(project: Project) -> list[Memory]:
    rows, _ = project.store.search.by_filters(Filters(superseded=True), LATELY)
    newest = sorted(rows, key=lambda row: (row.created_at, row.key), reverse=True)
    memories = project.store.memories.best([row.id for row in newest])
    return [memory for memory in memories if not memory.superseded_by]


def _likeness(asked: Asked, memory: Memory) -> float:
    return asked.text.share(content_words(memory.intent.goal)) if asked.about else 0.0


def _failure(memory: Memory, points: float, times: int, after: Afterwards) -> Piece:
    outcome = memory.outcome
    solved, undoing = after.success(memory.id), after.undoing(memory.id)
    return brief.failure(
        memory.id,
        round(points, 2),
        times=times,
        goal=memory.intent.goal,
        reason=outcome.failure_reason or came_of(memory),
        category=outcome.failure_category and outcome.failure_category.value,
        learned=outcome.learnings,
        solved=solution(solved) if solved else None,
        undone=undoing.intent.goal if undoing else None,
        at=memory.created_at,
    )


def _answer(asked: Asked, found: Recalled, times: int, after: Afterwards) -> Piece:
    memory, points = found.memory, brief.REMEMBERED * found.confidence
    verified = is_verified(memory)
    if verified and not memory.outcome.success:
        # Twice the points of a success, but no warning: nobody is at those files.
        return _failure(memory, min(2 * points, WARNING - 1), times, after)
    lately = brief.recency(memory.created_at, asked.now)
    return brief.memory(
        memory.id,
        round(points + lately, 2),
        times=times,
        goal=memory.intent.goal,
        verified=verified,
        summary=came_of(memory),
        context="" if is_commit(memory) else memory.intent.context,
        learned=memory.outcome.learnings,
        at=memory.created_at,
    )
