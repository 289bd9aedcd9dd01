"""The requests: recall, trace, list, link, identity and forget, with their limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from rum.model.agents import AgentType, Skills
from rum.model.errors import InvalidQuery
from rum.model.fields import Time, about
from rum.model.memory import LinkType, UnitFloat
from rum.model.memory_layers import Layer, TaskType
from rum.text.terms import names_in

NOT_OLDER = "Not older than this: Unix seconds, ISO date, or 7d, 12h, 2w."
WITH_TAG = "Only with this tag (repeat to require several)."
MAX_LIMIT = 100
MAX_WORDINGS = 5  # The question, and other ways to say it
MAX_TRACE_DEPTH = 20
_QUALIFIERS = re.compile(r"\.|::|->|#|/")  # Between the names of a qualified symbol
Limit = Annotated[int, Meta(ge=1, le=MAX_LIMIT)]
Hops = Annotated[int, Meta(ge=1, le=MAX_TRACE_DEPTH)]


class Depth(StrEnum):
    """How much of a memory is shown, least first."""

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
    """The direction of a trace."""

    CAUSES = "causes"
    EFFECTS = "effects"
    BOTH = "both"


# The fields that select memories; a recall needs at least one.
_SELECTING = (
    *("query", "file", "symbol", "intent", "memory_id", "task_type", "agent_id", "session_id"),
    *("tags", "since", "before", "success_only", "failures_only"),
)


class RecallRequest(Layer, frozen=True):
    """`file`, `intent` and `query` rank the memories; other fields exclude some."""

    memory_id: Annotated[str | None, about("One memory, by its id or the end of it.", metavar="ID")] = None
    file: Annotated[
        str | tuple[str, ...] | None,
        about("A file, folder or glob it touched (repeat).", note="path, folder or glob", metavar="PATH"),
    ] = None
    symbol: Annotated[
        str | None, about("Only work that names this function, class or variable.", metavar="NAME")
    ] = None
    intent: Annotated[
        str | tuple[str, ...] | None,
        about("What you are about to do.", metavar="TEXT"),
    ] = None
    query: Annotated[
        str | tuple[str, ...] | None,
        about(
            "Words to look for.",
            note="a list: the question, 1-4 wordings in code terms",
        ),
    ] = None
    task_type: Annotated[TaskType | None, about("Only this kind of work.", option="--type")] = None
    agent_id: Annotated[str | None, about("Only memories of this agent (name or id).", metavar="AGENT")] = (
        None
    )
    session_id: Annotated[str | None, about("Only from this session.", metavar="ID", tool=False)] = None
    success_only: Annotated[bool, about("Only successful work.")] = False
    failures_only: Annotated[bool, about("Only failed work.")] = False
    since: Annotated[Time | None, about(NOT_OLDER, note="Unix seconds")] = None
    before: Annotated[Time | None, about("Older than this.")] = None
    tags: Annotated[tuple[str, ...], about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    depth: Annotated[Depth, about("How much of each memory to show.")] = Depth.SUMMARY
    limit: Annotated[Limit, about("Maximum number of memories.")] = 5
    strategy: Annotated[Strategy, about("exact: files, type and filters; semantic: meaning; auto: all.")] = (
        Strategy.AUTO
    )
    min_confidence: Annotated[
        UnitFloat | None, about("Minimum confidence (0 returns the best there is).", metavar="SHARE")
    ] = None
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        about("Maximum number of tokens of the answer."),
    ] = None
    fresh_only: Annotated[bool, about("Only if its code is unchanged.")] = False
    include_links: Annotated[bool, about("Show the links of each memory.", option="--links")] = False
    include_superseded: Annotated[
        bool, about("Include memories that were replaced.", option="--superseded")
    ] = False
    include_similar: Annotated[
        bool, about("Show every memory of the same goal, not one for all.", option="--similar")
    ] = False
    explain: Annotated[bool, about("Show why each was found.")] = False

    @property
    def files(self) -> tuple[str, ...]:
        """The file patterns of the request."""
        patterns = (self.file,) if isinstance(self.file, str) else self.file or ()
        return tuple(pattern for pattern in patterns if pattern)

    @property
    def symbol_terms(self) -> tuple[str, ...]:
        """The index terms of the symbol: of `Class.method` those of both names."""
        parts = _QUALIFIERS.sub(" ", self.symbol or "")
        return tuple(dict.fromkeys(name[0] for name in names_in(parts)))

    @property
    def text(self) -> str:
        """The intent and the query, in their first wording."""
        return next(iter(self.wordings), "")

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question in all wordings: first intent and query together, then the other ones."""
        intents, queries = _texts(self.intent), _texts(self.query)
        first = " ".join((*intents[:1], *queries[:1]))
        return tuple(dict.fromkeys(filter(None, (first, *queries[1:], *intents[1:]))))

    def check(self, parameter_name: Callable[[str], str] = str) -> None:
        """Refuse a contradictory or empty request; `parameter_name` returns the name that the caller uses."""
        if self.success_only and self.failures_only:
            both = f"{parameter_name('success_only')} and {parameter_name('failures_only')}"
            raise InvalidQuery(f"{both} exclude each other; leave one out.", field="failures_only")
        if len(self.wordings) > MAX_WORDINGS:
            raise InvalidQuery(
                f"The question has {len(self.wordings)} wordings; at most {MAX_WORDINGS} are allowed.",
                field="query",
            )
        if self.symbol and not self.symbol_terms:
            name = parameter_name("symbol")
            raise InvalidQuery(f"`{name}` must be the name of a function, class or variable.", field="symbol")
        given = (
            self.memory_id,
            self.symbol,
            self.files,
            self.text.strip(),
            self.task_type,
            self.agent_id,
            self.session_id,
        )
        filters = (self.success_only, self.failures_only, self.tags)
        if not any((*given, *filters)) and self.since is None and self.before is None:
            raise InvalidQuery(f"Give at least one of {', '.join(map(parameter_name, _SELECTING))}.")


def _texts(given: str | tuple[str, ...] | None) -> list[str]:
    return [text.strip() for text in ((given,) if isinstance(given, str) else given or ()) if text.strip()]


class TraceRequest(Layer, frozen=True):
    """Follow causes and effects from one memory."""

    memory_id: str
    direction: Annotated[Direction, about("What led to it, what it led to, or both.")] = Direction.CAUSES
    max_depth: Annotated[Hops, about("Maximum number of steps.")] = 3
    depth: Annotated[
        Literal["summary", "outcome", "reasoning"], about("How much of each memory to show.")
    ] = "summary"


class ListRequest(Layer, frozen=True):
    """An agent's own memories; with `stale` what is about changed code instead, of all agents."""

    session_id: Annotated[str | None, about("Only from this session.", metavar="ID")] = None
    since: Annotated[Time | None, about(NOT_OLDER)] = None
    before: Annotated[Time | None, about("Older than this.")] = None
    limit: Annotated[Limit, about("Maximum number of memories.")] = 20
    sort: Annotated[Literal["recent", "importance", "access_count"], about("Sort order.")] = "recent"
    stale: Annotated[bool, about("What is about changed code instead, with notes, facts and rules.")] = False


class LinkRequest(Layer, frozen=True):
    """One edge between two memories."""

    source_id: str
    target_id: str
    link_type: LinkType


class IdentityRequest(Layer, frozen=True):
    """Register, resume or look up an agent."""

    action: Literal["register", "resume", "info"]
    type: Annotated[AgentType, about("Type of the new agent.")] = AgentType.MAIN
    parent_id: Annotated[
        str | None, about("The agent that a subagent works for (name or id).", metavar="AGENT")
    ] = None
    name: Annotated[
        Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,79}[^\x00-\x20\x7f]\Z")] | None,
        about("The agent's name, unique in the project.", metavar="NAME"),
    ] = None
    agent_id: Annotated[str | None, about("The agent to resume or look up.", metavar="ID")] = None
    specialties: Annotated[
        Skills | None, about("What it knows best (repeat).", option="--specialty", metavar="TEXT")
    ] = None
    capabilities: Annotated[
        Skills | None, about("What it can do (repeat).", option="--capability", metavar="TEXT")
    ] = None


class ForgetRequest(Layer, frozen=True):
    """Move one item into the trash for 30 days; `kind` is only needed if two kinds have this id."""

    id: str
    kind: Annotated[str | None, about("What it is, if two kinds have this id.", tool=False)] = None
    dry_run: Annotated[bool, about("Only show what would be deleted.")] = False
    now: Annotated[bool, about("Delete it at once, not after 30 days.")] = False
    purge: Annotated[bool, about("now, and unrecoverable in the files.")] = False
    restore: Annotated[bool, about("Take it out of the trash.")] = False
