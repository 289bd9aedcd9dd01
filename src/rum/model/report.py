"""The project's memory on one page: the figures of a report, and its text."""

from __future__ import annotations

from msgspec import Struct

from rum.model.fields import Time
from rum.model.memory_layers import Layer


class ReportRequest(Layer, frozen=True):
    """The time of the oldest memories reported; all by default."""

    since: Time | None = None


class Counted(Struct, frozen=True):
    """The number of occurrences of something."""

    name: str
    count: int


class Period(Struct, frozen=True, kw_only=True):
    """A month, quarter or year: how much was done, of which kinds, and where most."""

    name: str
    memories: int
    successes: int
    kinds: tuple[Counted, ...]
    areas: tuple[Counted, ...]


class Area(Struct, frozen=True, kw_only=True):
    """A folder: how many memories touch it, how many of them succeeded, and when the last one was."""

    path: str
    memories: int
    successes: int
    unverified: int = 0
    last_at: int


class FailingFile(Struct, frozen=True, kw_only=True):
    """A file: how many of the memories that touch it failed, and which did last."""

    path: str
    failures: int
    memories: int
    last_at: int
    last_id: str
    last_goal: str


class FollowUp(Struct, frozen=True, kw_only=True):
    """An open follow-up of a memory."""

    text: str
    memory_id: str
    goal: str
    at: int


class Insight(Struct, frozen=True, kw_only=True):
    """Something learned, and some of the memories that state it."""

    text: str
    supporting: int
    against: int = 0
    memory_ids: tuple[str, ...] = ()
    last_confirmed: int = 0


class Worker(Struct, frozen=True, kw_only=True):
    """An agent, and what it did."""

    agent_id: str
    name: str
    memories: int
    successes: int
    sessions: int
    last_at: int


class Report(Struct, frozen=True, kw_only=True):
    """The figures of a project's memory; superseded memories are only counted separately.

    Where a list is cut, a number beside it says how many there are in all.
    """

    project: str
    written_at: int
    since: int | None = None
    memories: int = 0
    successes: int = 0
    unverified: int = 0  # Memories of unverified outcome; they count as neither success nor failure
    superseded: int = 0
    first_at: int | None = None
    last_at: int | None = None
    periods: tuple[Period, ...] = ()
    areas: tuple[Area, ...] = ()
    area_count: int = 0
    failing_files: tuple[FailingFile, ...] = ()
    failing_file_count: int = 0
    failure_categories: tuple[Counted, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    follow_up_count: int = 0
    follow_ups_exact: bool = True  # False if only the newest were examined: then there are more
    insights: tuple[Insight, ...] = ()
    insight_count: int = 0
    insights_from: str = "learnings"  # `wisdom` or `learnings`
    stale_memories: int = 0  # With notes, facts and rules: about code that has changed since
    stale_wisdom: int = 0  # Pieces of wisdom that need a refresh
    agents: tuple[Worker, ...] = ()
    agent_count: int = 0
    text: str = ""  # All of it as Markdown
