"""What earlier work adds to a brief: failures on the files at hand, answers, and follow-ups."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rum.app.brief.query import BriefQuery, Word, distinctive_words, normalise
from rum.app.caller import Caller
from rum.app.project import Project
from rum.capture.git.message import reason_of
from rum.inject import brief
from rum.inject.brief import REASON
from rum.inject.budget import WARNING, Piece
from rum.model.links import LinkType
from rum.model.memory import Memory, OriginKind, has_worked, is_verified
from rum.model.requests import MAX_LIMIT, RecallRequest
from rum.recall import cascade
from rum.recall.query import RecallQuery
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.text.patterns import Text
from rum.text.sentences import split_sentences
from rum.text.terms import content_words

MAX_FAILURES = 20  # On the files at hand, newest first
MAX_ANSWERS = 8
RECENT_MEMORIES = 40  # The number of newest memories that are searched for follow-ups


class ScoredMemory(NamedTuple):
    """A memory and the confidence that it matters."""

    memory: Memory
    confidence: float


def work(caller: Caller, query: BriefQuery) -> Iterator[Piece]:
    """Failures, earlier work and follow-ups; a memory is either a failure or earlier work."""
    on_files = _failures(caller, query)
    answers = _answers(caller, query)
    recent = _recent_memories(caller.project)
    pool = {one.id: one for one in (*(found.memory for found in (*on_files, *answers)), *recent)}
    after = LaterWork(caller.project, pool)
    warned = {found.memory.id for found in on_files}
    for (memory, _), times in _merge_repeated(on_files):
        points = WARNING + brief.LIKE_THE_TASK * _likeness(query, memory)
        points += brief.recency(memory.created_at, query.now)
        yield _failure(memory, points, times, after)
    for found, times in _merge_repeated(one for one in answers if one.memory.id not in warned):
        yield _answer(query, found, times, after)
    at_hand = {*warned, *(found.memory.id for found in answers)}
    yield from follow_ups(query, pool.values(), at_hand, after)


def _failures(caller: Caller, query: BriefQuery) -> list[ScoredMemory]:
    """The newest failures on the files at hand; unverified work is none."""
    verified: list[ScoredMemory] = []
    for limit in (MAX_FAILURES, MAX_LIMIT):  # Work that is often interrupted must not hide the rest
        found = _recall(caller, query, file=query.files, failures_only=True, limit=limit)
        verified = [one for one in found if is_verified(one.memory)]
        if len(verified) == len(found) or len(found) < limit:
            break
    return verified[:MAX_FAILURES]


def _merge_repeated(found: Iterable[ScoredMemory]) -> list[tuple[ScoredMemory, int]]:
    """Merge memories of the same work and outcome: the most detailed of them, and how often it happened.

    A commit and its cherry-picked copies count once.
    """
    merged: list[tuple[ScoredMemory, frozenset[Word], int]] = []
    for one in found:
        words = _outcome_words(one.memory)
        for at, (known, known_words, times) in enumerate(merged):
            if _same_work(one.memory, known.memory) and (words <= known_words or known_words <= words):
                more = 0 if are_copies(one.memory, known.memory) else 1
                merged[at] = (one if known_words < words else known, words | known_words, times + more)
                break
        else:
            merged.append((one, words, 1))
    return [(one, times) for one, _, times in merged]


def _outcome_words(memory: Memory) -> frozenset[Word]:
    return frozenset(content_words(memory.outcome.failure_reason or outcome_text(memory)))


def _same_work(one: Memory, other: Memory) -> bool:
    return normalise(one.intent.goal) == normalise(other.intent.goal) and _result(one) == _result(other)


def _result(memory: Memory) -> tuple[bool, bool]:
    return memory.outcome.success, is_verified(memory)


def _recall(caller: Caller, query: BriefQuery, **question: Any) -> list[ScoredMemory]:
    """Recall by words and files, without counting it as a use of the memories.

    Vectors are left out: which of them exist changes from minute to minute, and a brief must not wait.
    """
    if not question.get("file") and not question.get("intent"):
        return []
    threshold = caller.project.settings.min_confidence
    recall_query = RecallQuery(
        RecallRequest(**question, min_confidence=threshold),
        caller.project.store,
        query.files if question.get("file") else (),
        session=caller.session_id,
    )
    matches = {match.memory_id: match.confidence for match in cascade.run(recall_query).matches}
    return [
        ScoredMemory(memory, matches[memory.id])
        for memory in caller.project.store.memories.get(list(matches), ReadMode.BEST_EFFORT)
    ]


def _answers(caller: Caller, query: BriefQuery) -> list[ScoredMemory]:
    """The memories that answer the task; without one, the newest of the files at hand."""
    if query.about:
        found = _recall(caller, query, intent=query.about, file=query.files or None, limit=MAX_ANSWERS)
        return _sharing_words(caller.project, query, found)
    found = _recall(caller, query, file=query.files, limit=MAX_ANSWERS)
    return [ScoredMemory(one.memory, brief.FILE_ALONE / brief.REMEMBERED) for one in found]


def _sharing_words(project: Project, query: BriefQuery, found: list[ScoredMemory]) -> list[ScoredMemory]:
    """The memories that share a distinctive word with the task."""
    words = distinctive_words(f"{query.task} {query.plan}")
    if not words or query.files:
        return found
    texts = project.store.search.texts([one.memory.id for one in found])
    wanted = {term for word in words for term in word}
    return [one for one in found if not wanted.isdisjoint(" ".join(texts[one.memory.id]).split())]


def _recent_memories(project: Project) -> list[Memory]:
    rows, _ = project.store.search.by_filters(Filters(superseded=True), RECENT_MEMORIES)
    newest = sorted(rows, key=lambda row: (row.created_at, row.key), reverse=True)
    memories = project.store.memories.get([row.id for row in newest], ReadMode.BEST_EFFORT)
    return [memory for memory in memories if not memory.superseded_by]


def _likeness(query: BriefQuery, memory: Memory) -> float:
    return query.text.share(content_words(memory.intent.goal)) if query.about else 0.0


def _failure(memory: Memory, points: float, times: int, after: LaterWork) -> Piece:
    outcome = memory.outcome
    solved, find_revert = after.success(memory.id), after.find_revert(memory.id)
    return brief.failure(
        memory.id,
        round(points, 2),
        times=times,
        goal=memory.intent.goal,
        reason=outcome.failure_reason or outcome_text(memory),
        category=outcome.failure_category and outcome.failure_category.value,
        learned=outcome.learnings,
        solved=solution(solved) if solved else None,
        reverted_by=find_revert.intent.goal if find_revert else None,
        at=memory.created_at,
    )


def _answer(query: BriefQuery, found: ScoredMemory, times: int, after: LaterWork) -> Piece:
    memory, points = found.memory, brief.REMEMBERED * found.confidence
    verified = is_verified(memory)
    if verified and not memory.outcome.success:
        # Twice the points of a success, but no warning: nobody is at those files.
        return _failure(memory, min(2 * points, WARNING - 1), times, after)
    recency = brief.recency(memory.created_at, query.now)
    return brief.memory(
        memory.id,
        round(points + recency, 2),
        times=times,
        goal=memory.intent.goal,
        verified=verified,
        summary=outcome_text(memory),
        context="" if is_commit(memory) else memory.intent.context,
        learned=memory.outcome.learnings,
        at=memory.created_at,
    )


MAX_FOLLOW_UPS = 3  # Of one memory
MIN_WORD_SHARE = 0.5  # The minimum share of a follow-up's words that the task must have


class LaterWork:
    """Later work that is linked to memories or has the same goal, and what blocks them."""

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
        """The last confirmed success that a memory led to, or that had the same goal later."""
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

    def find_revert(self, memory_id: str) -> Memory | None:
        """The commit that reverted the work of a memory; it does not count as a solution."""
        led_to = (self._known[one] for one in self._next.get(memory_id, ()) if one in self._known)
        return next((one for one in led_to if _reverts(one, self._known[memory_id])), None)

    def blockers(self, memory_id: str) -> list[Memory]:
        """The memories that block this one and neither succeeded nor led to a success."""
        found = [self._known[one] for one in self._blockers.get(memory_id, ()) if one in self._known]
        return [one for one in found if not has_worked(one) and self.success(one.id) is None]


def _reverts(one: Memory, memory: Memory) -> bool:
    return memory.reverted_by is not None and memory.reverted_by.id == one.id


def follow_ups(
    query: BriefQuery, pool: Iterable[Memory], at_hand: set[str], after: LaterWork
) -> Iterator[Piece]:
    """Open follow-ups of the memories at hand and those that match the task; without a task, all of them.

    If several memories have the same follow-up, the newest is named.
    """
    listed: set[str] = set()
    memories = sorted(pool, key=lambda one: (one.created_at, one.id), reverse=True)
    done = [(one.created_at, Text(one.intent.goal)) for one in memories if has_worked(one)]
    for memory in memories:
        if after.success(memory.id) is not None or memory.superseded_by:
            continue
        is_at_hand = memory.id in at_hand
        for number, (text, goal) in enumerate(
            _open_items(memory, done, after, hide_goal=is_at_hand), start=1
        ):
            share = query.text.share(distinctive_words(text)) if query.about else 0.0
            wanted = share >= MIN_WORD_SHARE or is_at_hand or not (query.about or query.files)
            if wanted and (key := normalise(text)) not in listed:
                listed.add(key)
                points = brief.FOLLOW_UP + brief.FOLLOW_UP_WORDS * share
                points += brief.recency(memory.created_at, query.now)
                yield brief.follow_up(memory.id, number, round(points, 2), text, goal, memory.created_at)


def _open_items(
    memory: Memory, done: Iterable[tuple[int, Text]], after: LaterWork, *, hide_goal: bool
) -> list[tuple[str, str | None]]:
    """The open items of a memory, each with its goal; `hide_goal` leaves it out, except for blockers."""
    goal = memory.intent.goal
    wanted = [text for text in memory.outcome.follow_up_needed if text.strip()]
    left = [(text, None if hide_goal else goal) for text in wanted if not _is_done(text, memory, done)]
    return [*left, *((f"Blocked by: {one.intent.goal}", goal) for one in after.blockers(memory.id))][
        :MAX_FOLLOW_UPS
    ]


def _is_done(text: str, memory: Memory, done: Iterable[tuple[int, Text]]) -> bool:
    """Whether the goal of a later success has all words of the follow-up."""
    words = content_words(text)
    return bool(words) and any(at >= memory.created_at and goal.share(words) == 1 for at, goal in done)


MAX_PARAGRAPHS = 3  # Of a commit message
_BULLETS = ("-", "*", "•")
_ITEM = re.compile(r"\n[^\S\n]*[-*•][^\S\n]+")
MAX_NAMED_FILES = 3  # Of a commit


def is_commit(memory: Memory) -> bool:
    """Whether a memory is an unchanged commit, whose summary is only its size.

    Git's import changes a memory only to record a revert; any other change comes from an agent or a person.
    """
    is_unchanged = memory.version == 1 or memory.reverted_by is not None
    return memory.origin.kind is OriginKind.COMMIT and is_unchanged


def outcome_text(memory: Memory) -> str:
    """The summary of an outcome; for a commit the start of its message, or else its files."""
    if not is_commit(memory):
        return memory.full_summary
    return _reason(memory) or _file_names(memory) or memory.full_summary


def solution(memory: Memory) -> str:
    """A short text for a solution: the subject of a commit, else the summary."""
    return memory.intent.goal if is_commit(memory) else memory.full_summary


def are_copies(one: Memory, other: Memory) -> bool:
    """Whether two memories are of the same commit, cherry-picked onto another branch."""
    return (
        is_commit(one)
        and is_commit(other)
        and (one.agent_id, one.intent) == (other.agent_id, other.intent)
        and [action.timestamp for action in one.actions[:1]]
        == [action.timestamp for action in other.actions[:1]]
    )


def _reason(memory: Memory) -> str:
    """The beginning of the first paragraph of a commit message that adds to the subject; else empty."""
    subject = set(content_words(memory.intent.goal))
    first, *others = reason_of(memory.intent.context).split("\n\n")[:MAX_PARAGRAPHS]
    # Further items are the subjects of commits that were squashed into one.
    paragraphs = map(_beginning, [first, *(one for one in others if not one.startswith(_BULLETS))])
    return next((one for one in paragraphs if set(content_words(one)) - subject), "")


def _beginning(paragraph: str) -> str:
    """The first sentences of a paragraph, up to `REASON` characters; list items become one line."""
    start = ""
    listed = _ITEM.sub("; ", paragraph.lstrip("-*• "))
    for one in split_sentences(" ".join(listed.split())):
        if start and len(start) + len(one) >= REASON:
            break
        start = f"{start} {one}".lstrip()
    return start


def _file_names(memory: Memory) -> str:
    names = list(dict.fromkeys(posixpath.basename(file.path) for file in memory.files))
    more = f" and {len(names) - MAX_NAMED_FILES} more" if len(names) > MAX_NAMED_FILES else ""
    return ", ".join(names[:MAX_NAMED_FILES]) + more
