"""What earlier work has to say to a brief: failures on the files at hand, answers, and what is left to do."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rum.app.brief.query import Asked, Word, flat, telling_words
from rum.app.caller import Caller
from rum.app.project import Project
from rum.capture.git.message import reason_of
from rum.inject import brief
from rum.inject.brief import REASON
from rum.inject.budget import WARNING, Piece
from rum.model.links import LinkType
from rum.model.memory import Memory, OriginKind, has_worked, is_verified
from rum.model.questions import MAX_LIMIT, RecallQuestion
from rum.recall import cascade
from rum.recall.inquiry import Inquiry
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.text.patterns import Text
from rum.text.sentences import split_sentences
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
        Recalled(memory, matches[memory.id])
        for memory in caller.project.store.memories.get(list(matches), ReadMode.BEST_EFFORT)
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
    memories = project.store.memories.get([row.id for row in newest], ReadMode.BEST_EFFORT)
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
        reverted_by=undoing.intent.goal if undoing else None,
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
        self._known.update(
            (one.id, one)
            for one in project.store.memories.get(sorted(named - pool.keys()), ReadMode.BEST_EFFORT)
        )
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


PARAGRAPHS = 3
"""So many paragraphs of a message are looked at."""
_BULLETS = ("-", "*", "•")
_ITEM = re.compile(r"\n[^\S\n]*[-*•][^\S\n]+")
NAMED = 3
"""So many of a commit's files are named."""


def is_commit(memory: Memory) -> bool:
    """Whether a memory is that of a commit, with nothing but its size as its summary.

    Git's import changes a memory only to record a revert; any other change is somebody's own wording.
    """
    is_as_imported = memory.version == 1 or memory.reverted_by is not None
    return memory.origin.kind is OriginKind.COMMIT and is_as_imported


def came_of(memory: Memory) -> str:
    """What came of some work: its summary; of a commit how its message begins, or the names of its files."""
    if not is_commit(memory):
        return memory.result
    return _reason(memory) or _names(memory) or memory.result


def solution(memory: Memory) -> str:
    """What solved something, in short: a commit says so in its subject."""
    return memory.intent.goal if is_commit(memory) else memory.result


def are_copies(one: Memory, other: Memory) -> bool:
    """Whether two memories are of one commit, picked from one branch onto another."""
    return (
        is_commit(one)
        and is_commit(other)
        and (one.agent_id, one.intent) == (other.agent_id, other.intent)
        and [action.timestamp for action in one.actions[:1]]
        == [action.timestamp for action in other.actions[:1]]
    )


def _reason(memory: Memory) -> str:
    """How the message of a commit begins to say more than its subject; nothing where it never does."""
    subject = set(content_words(memory.intent.goal))
    first, *others = reason_of(memory.intent.context).split("\n\n")[:PARAGRAPHS]
    # Further items are the subjects of commits that were squashed into one.
    told = map(_beginning, [first, *(one for one in others if not one.startswith(_BULLETS))])
    return next((one for one in told if set(content_words(one)) - subject), "")


def _beginning(paragraph: str) -> str:
    """The first sentence of a paragraph, and more as long as they are short; items as a list in a line."""
    told = ""
    listed = _ITEM.sub("; ", paragraph.lstrip("-*• "))
    for one in split_sentences(" ".join(listed.split())):
        if told and len(told) + len(one) >= REASON:
            break
        told = f"{told} {one}".lstrip()
    return told


def _names(memory: Memory) -> str:
    names = list(dict.fromkeys(posixpath.basename(file.path) for file in memory.files))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
