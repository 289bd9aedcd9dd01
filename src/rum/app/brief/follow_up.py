"""What came after earlier work, as a brief needs it: how it was solved, and what is still left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rum.app.brief.query import Asked, flat, telling_words
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import Piece
from rum.model.links import LinkType
from rum.model.memory import Memory
from rum.model.success import has_worked
from rum.text.patterns import Text
from rum.text.terms import content_words

EACH = 3
"""So many follow-ups of one memory are given."""
ENOUGH = 0.5
"""So much of what is left to do must be in the task."""


class Afterwards:
    """What came after some memories, by their links and goals, and what they wait for."""

    def __init__(self, project: Project, pool: dict[str, Memory]) -> None:
        edges = project.store.links.of(pool)
        self._next: dict[str, list[str]] = {}
        self._blockers: dict[str, list[str]] = {}
        for source, target, kind in sorted(edges):
            if kind is LinkType.CAUSED_BY and target in pool:
                self._next.setdefault(target, []).append(source)
            elif kind is LinkType.BLOCKED_BY and source in pool:
                self._blockers.setdefault(source, []).append(target)
        named = {one for ids in (*self._next.values(), *self._blockers.values()) for one in ids}
        self._known = dict(pool)
        self._known.update((one.id, one) for one in project.store.memories.best(sorted(named - pool.keys())))
        self._by_goal: dict[str, list[Memory]] = {}
        for one in self._known.values():
            self._by_goal.setdefault(one.intent.goal.casefold(), []).append(one)

    def success(self, memory_id: str) -> Memory | None:
        """The last success that a memory led to, or that had the same goal later; somebody has to say so."""
        memory = self._known[memory_id]
        led_to = [self._known[one] for one in self._next.get(memory_id, ()) if one in self._known]
        again = self._by_goal.get(memory.intent.goal.casefold(), ())
        done = [
            one
            for one in (*led_to, *again)
            if has_worked(one)
            and (one.created_at, one.id) > (memory.created_at, memory.id)
            and not _reverts(one, memory)
        ]
        return max(done, key=lambda one: (one.created_at, one.id), default=None)

    def undoing(self, memory_id: str) -> Memory | None:
        """The commit that reverted the work of a memory: no solution."""
        led_to = (self._known[one] for one in self._next.get(memory_id, ()) if one in self._known)
        return next((one for one in led_to if _reverts(one, self._known[memory_id])), None)

    def blockers(self, memory_id: str) -> list[Memory]:
        """What a memory is blocked by, as far as that did not succeed itself, nor led to success."""
        found = [self._known[one] for one in self._blockers.get(memory_id, ()) if one in self._known]
        return [one for one in found if not has_worked(one) and self.success(one.id) is None]


def _reverts(one: Memory, memory: Memory) -> bool:
    return memory.reverted_by is not None and memory.reverted_by.id == one.id


def follow_ups(asked: Asked, pool: Iterable[Memory], at_hand: set[str], after: Afterwards) -> Iterator[Piece]:
    """What is left to do, of memories at hand or of what the task speaks of; without a task, all of it.

    What several left to do is told of the newest.
    """
    told: set[str] = set()
    memories = sorted(pool, key=lambda one: (one.created_at, one.id), reverse=True)
    done = [(one.created_at, Text(one.intent.goal)) for one in memories if has_worked(one)]
    for memory in memories:
        if after.success(memory.id) is not None or memory.superseded_by:
            continue
        told_of = memory.id in at_hand
        for number, (text, goal) in enumerate(_left(memory, done, after, unsaid=told_of), start=1):
            share = asked.text.share(telling_words(text)) if asked.about else 0.0
            wanted = share >= ENOUGH or told_of or not (asked.about or asked.files)
            if wanted and (said := flat(text)) not in told:
                told.add(said)
                points = brief.FOLLOW_UP + brief.FOLLOW_UP_WORDS * share
                points += brief.recency(memory.created_at, asked.now)
                yield brief.follow_up(memory.id, number, round(points, 2), text, goal, memory.created_at)


def _left(
    memory: Memory, done: Iterable[tuple[int, Text]], after: Afterwards, *, unsaid: bool
) -> list[tuple[str, str | None]]:
    """What is left to do of a memory, and its goal, which may stay unsaid; a blocker says little without."""
    goal = memory.intent.goal
    wanted = [text for text in memory.outcome.follow_up_needed if text.strip()]
    left = [(text, None if unsaid else goal) for text in wanted if not _was_done(text, memory, done)]
    return [*left, *((f"Blocked by: {one.intent.goal}", goal) for one in after.blockers(memory.id))][:EACH]


def _was_done(text: str, memory: Memory, done: Iterable[tuple[int, Text]]) -> bool:
    """Whether a later success has all the words of what was to be done in its goal."""
    words = content_words(text)
    return bool(words) and any(at >= memory.created_at and goal.share(words) == 1 for at, goal in done)
