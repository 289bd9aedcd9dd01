"""A question on its way through the cascade, and what was found so far."""

from __future__ import annotations

from functools import cached_property

from rum.model.questions import RecallQuestion
from rum.model.times import seconds
from rum.recall import weights
from rum.recall.words import Words
from rum.store.base import Store
from rum.store.filters import Filters
from rum.store.search import Row


class Inquiry:
    """One checked question with everything the levels need to answer it."""

    def __init__(self, question: RecallQuestion, store: Store, now: int, files: tuple[str, ...] = ()) -> None:
        self.question = question
        self.store = store
        self.now = now
        self.files = files
        """The file patterns, relative to the repository."""
        self.text = question.text.strip()
        self.threshold = (
            weights.MIN_CONFIDENCE if question.min_confidence is None else question.min_confidence
        )
        ranked = self.text or len(files) > 1 or (files and question.task_type)
        self.candidates = max(4 * question.limit, 20) if ranked else question.limit
        """How many memories a level may bring: more than are asked for where the best have to be picked."""
        self.filters = _filters(question)

    @cached_property
    def words(self) -> Words:
        """The words asked for, looked up once."""
        return Words(self.store.search, self.text)


def _filters(question: RecallQuestion) -> Filters:
    success = True if question.success_only else False if question.failures_only else None
    return Filters(
        task_type=question.task_type and question.task_type.value,
        agent_id=question.agent_id,
        session_id=question.session_id,
        success=success,
        since=None if question.since is None else seconds(question.since),
        before=None if question.before is None else seconds(question.before),
        tags=question.tags,
        superseded=question.include_superseded,
    )


class Match:
    """A memory that was found, the signs that speak for it, and how sure we are."""

    __slots__ = ("confidence", "created_at", "importance", "level", "memory_id", "session_id", "signs")

    def __init__(self, row: Row, level: str) -> None:
        self.memory_id, self.created_at, self.importance, self.session_id = row
        self.level = level
        self.signs: dict[str, float] = {}
        self.confidence = 0.0


class Found:
    """What the levels found so far."""

    def __init__(self) -> None:
        self.matches: dict[str, Match] = {}
        self.ran: list[str] = []
        """The levels that really looked, in order."""
        self.total = 0
        self.total_exact = True

    def add(self, row: Row, level: str, **signs: float) -> None:
        """Add a memory, or more signs to one that is there; the stronger sign of a kind stands."""
        match = self.matches.get(row[0])
        if match is None:
            match = self.matches[row[0]] = Match(row, level)
        for name, strength in signs.items():
            match.signs[name] = max(strength, match.signs.get(name, 0.0))

    def best(self, threshold: float, limit: int) -> list[Match]:
        """The surest memories above the threshold; among equals the newest first."""
        sure = [match for match in self.matches.values() if match.confidence >= threshold]
        sure.sort(key=lambda match: (match.confidence, match.created_at, match.memory_id), reverse=True)
        return sure[:limit]
