"""What earlier work adds to a brief: failures on the files at hand, answers, and follow-ups."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace

from rum.app.brief.query import BriefQuery, Word, distinctive_words, normalise
from rum.app.caller import Caller
from rum.app.freshness.check import freshness_of
from rum.app.memories.reasons import commit_reason, is_commit
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import WARNING, Piece
from rum.model.anchors import Freshness, remark
from rum.model.memory import (
    OPERATION_OF,
    LinkType,
    Memory,
    Operation,
    OriginKind,
    add_revert,
    has_worked,
    is_unfinished,
    is_verified,
)
from rum.model.requests import MAX_LIMIT, RecallRequest
from rum.recall import cascade
from rum.recall.outdated import lowered, share_outdated
from rum.recall.query import RecallQuery
from rum.recall.wordings import wordings_of
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.text.patterns import Text
from rum.text.terms import content_words

MAX_FAILURES = 20  # On the files at hand, newest first
MAX_ANSWERS = 8
LIKELY = 0.5  # The confidence by meaning from which a memory answers a task whatever words they share
RECENT_MEMORIES = 40  # The number of newest memories that are searched for follow-ups
MAX_FOLLOW_UPS = 3  # Of one memory
MIN_WORD_SHARE = 0.5  # The minimum share of a follow-up's words that the task must have
MAX_NAMED_FILES = 3  # Of a commit
_CAPTURED = (OriginKind.TURN, OriginKind.TRANSCRIPT)


class ScoredMemory(NamedTuple):
    """A memory and the confidence that it matters."""

    memory: Memory
    confidence: float
    is_by_meaning: bool = False  # Its confidence rests on vectors too


def work(caller: Caller, query: BriefQuery) -> Iterator[Piece]:
    """Failures, earlier work and follow-ups; a memory is either a failure or earlier work."""
    on_files = _failures(caller, query)
    answers = _answers(caller, query)
    store = caller.project.store
    rows, _ = store.search.by_filters(Filters(superseded=True), RECENT_MEMORIES)
    newest = sorted(rows, key=lambda row: (row.created_at, row.key), reverse=True)
    recent = store.memories.get([row.id for row in newest], ReadMode.BEST_EFFORT)
    pool = {found.memory.id: found.memory for found in (*on_files, *answers)}
    pool |= {memory.id: memory for memory in recent if not memory.superseded_by}
    after = LaterWork(caller.project, pool)
    after.freshness = freshness_of(caller.project, [found.memory.id for found in (*on_files, *answers)])
    answers = [_with_freshness(found, after.freshness) for found in answers]
    warned = {found.memory.id for found in on_files if not _is_over(found.memory, after)}
    for (memory, *_), times in _merge_repeated(one for one in on_files if one.memory.id in warned):
        likeness = query.text.share(content_words(memory.intent.goal)) if query.about else 0.0
        points = WARNING + brief.LIKE_THE_TASK * likeness + brief.recency(memory.created_at, query.now)
        yield _failure(memory, points, times, after)
    for found, times in _merge_repeated(one for one in answers if one.memory.id not in warned):
        yield _answer(query, found, times, after)
    at_hand = {*warned, *(found.memory.id for found in answers)}
    yield from _follow_ups(query, pool.values(), at_hand, after)


def _failures(caller: Caller, query: BriefQuery) -> list[ScoredMemory]:
    """The newest failures on the files at hand; unverified work is none."""
    verified: list[ScoredMemory] = []
    for limit in (MAX_FAILURES, MAX_LIMIT):  # Work that is often interrupted must not hide the rest
        found = _recall(caller, query, file=query.files, failures_only=True, limit=limit)
        verified = [one for one in found if is_verified(one.memory)]
        if len(verified) == len(found) or len(found) < limit:
            break
    return verified[:MAX_FAILURES]


def _answers(caller: Caller, query: BriefQuery) -> list[ScoredMemory]:
    """The memories that answer the task; without one, the newest of the files at hand.

    Without files, they must share a distinctive word with the task, or be likely by their meaning.
    """
    if not query.about:
        found = _recall(caller, query, file=query.files, limit=MAX_ANSWERS)
        return [ScoredMemory(one.memory, brief.FILE_ALONE / brief.REMEMBERED) for one in found]
    found = _recall(caller, query, intent=query.about, file=query.files or None, limit=MAX_ANSWERS)
    wanted = {term for word in distinctive_words(f"{query.task} {query.plan}") for term in word}
    if not wanted or query.files:
        return found
    texts = caller.project.store.search.texts([one.memory.id for one in found])
    return [
        one
        for one in found
        if (one.is_by_meaning and one.confidence >= LIKELY)
        or not wanted.isdisjoint(" ".join(texts[one.memory.id]).split())
    ]


def _recall(caller: Caller, query: BriefQuery, **conditions: Any) -> list[ScoredMemory]:
    """The same memories as a recall by words and files gives, without counting it as a use of them."""
    if not conditions.get("file") and not conditions.get("intent"):
        return []
    store, threshold = caller.project.store, caller.project.settings.min_confidence
    request = RecallRequest(**conditions, min_confidence=threshold)
    files = query.files if conditions.get("file") else ()
    asked: list[RecallQuery] = []
    for wording in wordings_of(request.wordings) or (None,):  # a task may come with a log below it
        one = replace(request, intent=wording)
        earlier, is_part = asked[0] if asked else None, bool(asked) and len(request.wordings) == 1
        asked.append(
            RecallQuery(
                one,
                store,
                files,
                session=caller.session_id,
                semantic=caller.project.semantic,
                earlier=earlier,
                is_part=is_part,
            )
        )
    found = cascade.run(*asked, fill=True)
    by_meaning = any(one.by_meaning for _, one in found.asked)
    matches = {match.memory_id: match.confidence for match in found.matches}
    memories = store.memories.get(list(matches), ReadMode.BEST_EFFORT)
    return [ScoredMemory(memory, matches[memory.id], by_meaning) for memory in memories]


def _with_freshness(found: ScoredMemory, fresh: Mapping[str, Freshness]) -> ScoredMemory:
    share = share_outdated(found.memory, fresh.get(found.memory.id))
    return found._replace(confidence=lowered(found.confidence, share))


def _merge_repeated(found: Iterable[ScoredMemory]) -> list[tuple[ScoredMemory, int]]:
    """Merge memories of the same work and outcome: the most detailed of them, and how often it happened.

    A commit and its cherry-picked copies count once.
    """
    merged: list[tuple[ScoredMemory, frozenset[Word], int]] = []
    for one in found:
        words = frozenset(content_words(one.memory.outcome.failure_reason or _outcome_text(one.memory)))
        for at, (known, known_words, times) in enumerate(merged):
            same = _work_key(one.memory) == _work_key(known.memory)
            if same and (words <= known_words or known_words <= words):
                more = 0 if _are_copies(one.memory, known.memory) else 1
                merged[at] = (one if known_words < words else known, words | known_words, times + more)
                break
        else:
            merged.append((one, words, 1))
    return [(one, times) for one, _, times in merged]


def _work_key(memory: Memory) -> tuple[str, bool, bool]:
    """What two memories of the same work and result have in common."""
    return normalise(memory.intent.goal), memory.outcome.success, is_verified(memory)


def _are_copies(one: Memory, other: Memory) -> bool:
    """Whether two memories are of the same commit, cherry-picked onto another branch."""
    return (
        is_commit(one)
        and is_commit(other)
        and (one.agent_id, one.intent) == (other.agent_id, other.intent)
        and [action.timestamp for action in one.actions[:1]]
        == [action.timestamp for action in other.actions[:1]]
    )


def _failure(memory: Memory, points: float, times: int, after: LaterWork) -> Piece:
    outcome = memory.outcome
    solved, revert = after.success(memory.id), after.find_revert(memory.id)
    solution = solved and (solved.intent.goal if is_commit(solved) else solved.full_summary)
    return brief.failure(
        memory.id,
        round(points, 2),
        times=times,
        goal=memory.intent.goal,
        reason=outcome.failure_reason or _outcome_text(memory),
        category=outcome.failure_category and outcome.failure_category.value,
        learned=outcome.learnings,
        solved=solution,
        reverted_by=revert.intent.goal if revert else None,
        at=memory.created_at,
        remark=after.code_remark(memory.id),
        is_open=_is_open(memory),
    )


def _is_open(memory: Memory) -> bool:
    """Whether captured work failed, but is still there or to be done: it is to be finished, not avoided."""
    edits = (one for one in memory.actions if OPERATION_OF.get(one.type) not in (None, Operation.READ))
    is_there = any(one.result is None or one.result.success for one in edits)
    return memory.origin.kind in _CAPTURED and (is_there or bool(memory.outcome.follow_up_needed))


def _answer(query: BriefQuery, found: ScoredMemory, times: int, after: LaterWork) -> Piece:
    memory, points = found.memory, brief.REMEMBERED * found.confidence
    verified = is_verified(memory)
    if verified and not memory.outcome.success and not _is_over(memory, after):
        # Twice the points of a success, but no warning: nobody is at those files.
        return _failure(memory, min(2 * points, WARNING - 1), times, after)
    return brief.memory(
        memory.id,
        round(points + brief.recency(memory.created_at, query.now), 2),
        times=times,
        goal=memory.intent.goal,
        verified=verified,
        summary=_settled_text(memory, after) or _outcome_text(memory),
        context="" if is_commit(memory) else memory.intent.context,
        learned=memory.outcome.learnings,
        at=memory.created_at,
        remark=after.code_remark(memory.id),
    )


def _settled_text(memory: Memory, after: LaterWork) -> str:
    """What failed first and what settled it; empty for any other memory."""
    if memory.outcome.success or not _is_over(memory, after):
        return ""
    solved = after.success(memory.id)
    reason = (
        f"failed first ({memory.outcome.failure_reason})" if memory.outcome.failure_reason else "failed first"
    )
    return f"{reason}; solved later: {solved.full_summary}" if solved else f"{reason}; settled later"


def _is_over(memory: Memory, after: LaterWork) -> bool:
    """Whether a captured failure was settled later: it is told as earlier work, not as a warning."""
    if memory.reverted_by and (memory.reverts or memory.intent.goal.startswith('Revert "')):
        return True  # a revert that was reverted is no approach that failed
    return memory.origin.kind in _CAPTURED and after.is_settled(memory.id)


class LaterWork:
    """Later work that is linked to memories or has the same goal, what blocks them, and their freshness."""

    freshness: Mapping[str, Freshness] = MappingProxyType({})

    def __init__(self, project: Project, pool: dict[str, Memory]) -> None:
        following: dict[str, list[str]] = {}
        blocking: dict[str, list[str]] = {}
        for source, target, kind in sorted(project.store.links.of(pool)):
            if kind is LinkType.CAUSED_BY and target in pool:
                following.setdefault(target, []).append(source)
            elif kind is LinkType.BLOCKED_BY and source in pool:
                blocking.setdefault(source, []).append(target)
        named = {one for ids in (*following.values(), *blocking.values()) for one in ids}
        others = project.store.memories.get(sorted(named - pool.keys()), ReadMode.BEST_EFFORT)
        self._known = pool | {one.id: one for one in others}
        self._following, self._blocking = self._linked(following), self._linked(blocking)
        self._by_goal: dict[str, list[Memory]] = {}
        for one in self._known.values():
            self._by_goal.setdefault(one.intent.goal.casefold(), []).append(one)

    def _linked(self, links: dict[str, list[str]]) -> dict[str, list[Memory]]:
        return {one: [self._known[id] for id in ids if id in self._known] for one, ids in links.items()}

    def success(self, memory_id: str) -> Memory | None:
        """The last confirmed success that a memory led to, or that had the same goal later."""
        memory = self._known[memory_id]
        again = self._by_goal.get(memory.intent.goal.casefold(), ())
        done = [
            one
            for one in (*self._following.get(memory_id, ()), *again)
            if has_worked(one)
            and (one.created_at, one.id) > (memory.created_at, memory.id)
            and not _reverts(one, memory)
        ]
        return max(done, key=lambda one: (one.created_at, one.id), default=None)

    def is_settled(self, memory_id: str) -> bool:
        """Whether unfinished work led to a success, confirmed or not, or the same goal was reached later."""
        following = self._following.get(memory_id, ())
        at = self._known[memory_id].created_at
        done = (one for one in following if not is_unfinished(one) and one.created_at >= at)
        return (
            any(not _reverts(one, self._known[memory_id]) for one in done)
            or self.success(memory_id) is not None
        )

    def closes(self, memory: Memory) -> bool:
        """Whether nothing of a memory is open, because of what it led to.

        What a captured success left to do stays open until it is done, as each turn of a story leads to the
        next.
        """
        if is_unfinished(memory):
            return self.is_settled(memory.id)
        return memory.origin.kind not in _CAPTURED and self.success(memory.id) is not None

    def changed_since(self, memory: Memory) -> set[str]:
        """The names of the files that later work changed."""
        later = (
            one
            for one in self._known.values()
            if (one.created_at, one.id) > (memory.created_at, memory.id) and not is_unfinished(one)
        )
        files = (file for one in later for file in one.files if file.operation is not Operation.READ)
        return {posixpath.basename(file.path) for file in files}

    def find_revert(self, memory_id: str) -> Memory | None:
        """The commit that reverted the work of a memory; it does not count as a solution."""
        memory = self._known[memory_id]
        return next((one for one in self._following.get(memory_id, ()) if _reverts(one, memory)), None)

    def code_remark(self, memory_id: str) -> str:
        """What must be said of a memory whose code is not what it was."""
        found = self.freshness.get(memory_id)
        # That reverted code is no longer there goes without saying.
        return remark(found.state) if found and not self._known[memory_id].reverted_by else ""

    def blockers(self, memory_id: str) -> list[Memory]:
        """The memories that block this one and neither succeeded nor led to a success."""
        found = self._blocking.get(memory_id, ())
        return [one for one in found if not has_worked(one) and self.success(one.id) is None]


def _reverts(one: Memory, memory: Memory) -> bool:
    return memory.reverted_by is not None and memory.reverted_by.id == one.id


def _follow_ups(
    query: BriefQuery, pool: Iterable[Memory], at_hand: set[str], after: LaterWork
) -> Iterator[Piece]:
    """Open follow-ups of the memories at hand and those that match the task; without a task, all of them.

    If several memories have the same follow-up, the newest is named.
    """
    listed: set[str] = set()
    memories = sorted(pool, key=lambda one: (one.created_at, one.id), reverse=True)
    done = [(one.created_at, Text(one.intent.goal)) for one in memories if has_worked(one)]
    for memory in memories:
        if after.closes(memory) or memory.superseded_by:
            continue
        is_at_hand = memory.id in at_hand
        items = _open_items(memory, done, after, hide_goal=is_at_hand)
        for number, (text, goal) in enumerate(items, start=1):
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
    """The open items of a memory, each with its goal; `hide_goal` leaves it out, except for blockers.

    An item is done if the goal of a later success has all its words. One that capture took from a message may
    be done if later work changed a file that it names; in doubt it is left out.
    """
    goal = memory.intent.goal
    changed = after.changed_since(memory) if memory.origin.kind in _CAPTURED else ()
    items: list[tuple[str, str | None]] = []
    for text in filter(str.strip, memory.outcome.follow_up_needed):
        words = content_words(text)
        is_done = words and any(at >= memory.created_at and one.share(words) == 1 for at, one in done)
        if not is_done and not any(name in text for name in changed):
            items.append((text, None if hide_goal else goal))
    items += ((f"Blocked by: {one.intent.goal}", goal) for one in after.blockers(memory.id))
    return items[:MAX_FOLLOW_UPS]


def _outcome_text(memory: Memory) -> str:
    """The summary of an outcome; for a commit the start of its message, or else its files, and any revert."""
    if not is_commit(memory):
        return memory.full_summary
    if reason := commit_reason(memory):
        return add_revert(reason, memory.reverted_by)
    names = list(dict.fromkeys(posixpath.basename(file.path) for file in memory.files))
    more = f" and {len(names) - MAX_NAMED_FILES} more" if len(names) > MAX_NAMED_FILES else ""
    files = ", ".join(names[:MAX_NAMED_FILES]) + more
    return add_revert(files or memory.outcome.summary, memory.reverted_by)
