"""What can be asked: recall, trace, list, link, identity and forget, with their limits."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from rum.model.agents import AgentType
from rum.model.errors import InvalidQuery
from rum.model.links import LinkType
from rum.model.memory import Share
from rum.model.memory_layers import Layer, TaskType
from rum.model.times import Time

MAX_LIMIT = 100
MAX_TRACE_DEPTH = 20
Limit = Annotated[int, Meta(ge=1, le=MAX_LIMIT)]
Hops = Annotated[int, Meta(ge=1, le=MAX_TRACE_DEPTH)]


class Depth(StrEnum):
    """How much of a memory is given, least first."""

    SUMMARY = "summary"
    OUTCOME = "outcome"
    REASONING = "reasoning"
    FULL = "full"
    COMPLETE = "complete"


class Strategy(StrEnum):
    """Which levels of the cascade may run."""

    EXACT = "exact"
    SEMANTIC = "semantic"
    AUTO = "auto"


class Direction(StrEnum):
    """Which way a trace walks."""

    CAUSES = "causes"
    EFFECTS = "effects"
    BOTH = "both"


_WHAT = (
    "query",
    "file",
    "intent",
    "memory_id",
    "task_type",
    "agent_id",
    "session_id",
    "tags",
    "since",
    "before",
    "success_only",
    "failures_only",
)
"""What can be looked for; everything else says how."""


class RecallQuestion(Layer, frozen=True):
    """`file`, `intent` and `query` weigh; everything else excludes."""

    memory_id: str | None = None
    file: str | tuple[str, ...] | None = None
    intent: str | None = None
    query: str | None = None
    task_type: TaskType | None = None
    agent_id: str | None = None
    session_id: str | None = None
    success_only: bool = False
    failures_only: bool = False
    since: Time | None = None
    before: Time | None = None
    tags: tuple[str, ...] = ()
    depth: Depth = Depth.SUMMARY
    limit: Limit = 5
    strategy: Strategy = Strategy.AUTO
    min_confidence: Share | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    include_links: bool = False
    include_superseded: bool = False
    explain: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The file patterns asked for."""
        given = (self.file,) if isinstance(self.file, str) else self.file or ()
        return tuple(pattern for pattern in given if pattern)

    @property
    def text(self) -> str:
        """All words asked for."""
        return " ".join(part for part in (self.intent, self.query) if part)

    def check(self, spell: Callable[[str], str] = str) -> None:
        """Refuse what contradicts itself or asks for nothing; `spell` writes a field as the asker does."""
        if self.success_only and self.failures_only:
            both = f"{spell('success_only')} and {spell('failures_only')}"
            raise InvalidQuery(f"{both} exclude each other; leave one out.", field="failures_only")
        scope = (
            self.memory_id,
            self.files,
            self.text.strip(),
            self.task_type,
            self.agent_id,
            self.session_id,
        )
        filters = (self.success_only, self.failures_only, self.tags)
        if not any(scope) and not any(filters) and self.since is None and self.before is None:
            names = ", ".join(map(spell, _WHAT))
            raise InvalidQuery(f"Say what to look for: give at least one of {names}.")


class TraceQuestion(Layer, frozen=True):
    """Walk causes and effects from one memory."""

    memory_id: str
    direction: Direction = Direction.CAUSES
    max_depth: Hops = 3
    depth: Literal["summary", "outcome", "reasoning"] = "summary"


class ListQuestion(Layer, frozen=True):
    """An agent's own memories."""

    session_id: str | None = None
    since: Time | None = None
    before: Time | None = None
    limit: Limit = 20
    sort: Literal["recent", "importance", "access_count"] = "recent"


class LinkQuestion(Layer, frozen=True):
    """One edge between two memories."""

    source_id: str
    target_id: str
    link_type: LinkType


class IdentityQuestion(Layer, frozen=True):
    """Register, resume or look up an agent."""

    action: Literal["register", "resume", "info"]
    type: AgentType = AgentType.MAIN
    parent_id: str | None = None
    name: Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,79}[^\x00-\x20\x7f]\Z")] | None = None
    agent_id: str | None = None


class ForgetQuestion(Layer, frozen=True):
    """Delete one thing for good; `kind` need only be said where two kinds know its id."""

    id: str
    kind: str | None = None
    dry_run: bool = False
    purge: bool = False
