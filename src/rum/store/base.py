"""What a store offers: memories, links and agents, and the store as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rum.model.agents import Agent
from rum.model.memory import Edge, Memory
from rum.store.records import WithIds

if TYPE_CHECKING:
    from rum.model.chapters import Chapter, Wisdom
    from rum.store.activity import Activity
    from rum.store.anchors import Anchors
    from rum.store.browse import Browse
    from rum.store.captured_events import CapturedEvents
    from rum.store.chapters import GroupMatches, Groups
    from rum.store.records import Events, Facts, History, Rules, SyncLog
    from rum.store.search import Search
    from rum.store.trash import Trash
    from rum.store.upkeep import Archive, LocalUpkeep, Upkeep
    from rum.store.vectors import Vectors


class ReadMode(Enum):
    """How much of each memory is read, and what happens to one that is damaged in the archive."""

    STRICT = "strict"  # Everything; StorageError names a damaged one
    SKIP_DAMAGED = "skip damaged"  # Everything; damaged ones are left out
    BEST_EFFORT = "best effort"  # Everything; of a damaged one the headline
    HEADLINE = "headline"  # Ids, version, goal, task type, success and summary, origin and reverts; faster


class Memories(WithIds, Protocol):
    """Memories with their files, tags, index terms and versions, and the tombstones of forgotten things."""

    def add(self, memory: Memory) -> None:
        """Insert a memory and everything derived from it; StorageError if its id is taken."""
        ...

    def replace(self, memory: Memory) -> None:
        """Overwrite a memory and everything derived from it."""
        ...

    def get(self, ids: Sequence[str], mode: ReadMode = ReadMode.STRICT) -> list[Memory]:
        """Return the memories with these ids, in this order; unknown ids are left out."""
        ...

    def pages(self, size: int = 500, since: int = 0) -> Iterator[list[Memory]]:
        """Yield all memories made at `since` or later, oldest first; of damaged ones the headline."""
        ...

    def count(self, *, archived: bool = False) -> int:
        """Return the number of memories, live and archived; or of the archived ones alone, which is fast."""
        ...

    def reverted(self) -> list[str]:
        """Return the ids of the memories whose work was reverted."""
        ...

    def commits(self, since: int = 0) -> dict[str, str]:
        """Return the ids of the memories of commits made at `since` or later, by the commit's id."""
        ...

    def checked_out(self) -> dict[str, str]:
        """Return the commit of each memory's work, or else the one checked out then, by the memory's id."""
        ...

    def delete(self, memory_id: str, *, dry_run: bool = False) -> dict[str, int]:
        """Delete a memory with everything that belongs to it; return the number of rows of each kind."""
        ...

    def note_renames(self, memory_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Record (earlier name, new name) of files renamed in a memory's work.

        Renames that the memory's actions name are recorded with it; this is for further ones.
        """
        ...

    def renames(self, memory_id: str) -> list[tuple[str, str]]:
        """Return (earlier name, new name) of all files renamed in a memory's work."""
        ...

    def add_tombstones(self, hashes: Iterable[str], kind: str, now: int) -> None:
        """Add the hashes of something forgotten, so that it is not stored again."""
        ...

    def all_tombstones(self) -> dict[str, list[str]]:
        """Return the hashes of everything forgotten for good, by kind."""
        ...

    def tombstones(self, hashes: Iterable[str], *, pending: bool = True) -> set[str]:
        """Return those of the hashes that have a tombstone, or are marks of something in the trash.

        Without `pending`, the marks of what waits for review do not count.
        """
        ...

    def delete_tombstones(self, hashes: Iterable[str]) -> None:
        """Delete tombstones; the marks of what is in the trash stay."""
        ...


class Links(Protocol):
    """Edges between memories; each is stored once and belongs to both ends."""

    def add(self, edge: Edge, now: int) -> bool:
        """Add an edge; False if it exists. InvalidQuery for a cycle of `supersedes`."""
        ...

    def of(self, ids: Iterable[str] | None = None) -> dict[Edge, int]:
        """Return every edge of any of these memories, or of all, with the time it was made."""
        ...


class AgentFigures(NamedTuple):
    """The numbers of an agent's memories, of successes among them and of sessions, and its subagents' ids."""

    memories: int
    successes: int
    sessions: int
    children: list[str]


class Agents(WithIds, Protocol):
    """The agents of a project: main agents, subagents, and the authors of imported memories."""

    def add(self, agent: Agent) -> None:
        """Insert an agent; StorageError if its id or name is taken."""
        ...

    def get(self, agent_id: str) -> Agent | None:
        """Return the agent with this id, if there is one."""
        ...

    def last_main(self, client: str | None) -> Agent | None:
        """Return the main agent of a client that was active last; imported authors do not count."""
        ...

    def all(self) -> list[Agent]:
        """Return every agent, oldest first."""
        ...

    def update(
        self,
        agent_id: str,
        *,
        name: str | None = None,
        last_active: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """Set an agent's name, metadata, or a later last activity; False if there is no such agent."""
        ...

    def figures(self, ids: Iterable[str]) -> dict[str, AgentFigures]:
        """Return the figures of each of these agents."""
        ...


class Store(Protocol):
    """One project's memory.

    A backend implements this and the protocols that it names, in a folder of its own. A call may be a round
    trip over a network, so each takes many ids or terms at once. Only `activity`, `events` and `captured`
    are no part of a transaction over the others.
    """

    memories: Memories
    links: Links
    agents: Agents
    search: Search
    browse: Browse
    anchors: Anchors
    vectors: Vectors
    archive: Archive
    trash: Trash
    history: History
    sync: SyncLog
    facts: Facts
    rules: Rules
    events: Events
    captured: CapturedEvents
    activity: Activity
    upkeep: Upkeep
    local_upkeep: LocalUpkeep

    # Properties, as a backend may load what few projects need when it is first used.
    @property
    def chapters(self) -> Groups[Chapter]:
        """Groups of memories."""
        ...

    @property
    def wisdom(self) -> Groups[Wisdom]:
        """Groups of chapters."""
        ...

    def has_chapters(self) -> bool:
        """Whether there is any chapter; fast, as every recall asks."""
        ...

    def find_groups(self, terms: Sequence[str], limit: int) -> GroupMatches:
        """Return the chapters and wisdom with most of the terms; rare terms and titles count more."""
        ...

    @property
    def offer_rows(self) -> Callable[[str, Sequence[object]], Sequence[Any]] | None:
        """Reads rows for offers, by the name of a statement; None if they are in files, read by offers."""
        ...

    @property
    def writable(self) -> bool:
        """Whether anything can be written here."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """Make several changes, all or none."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Make several reads of one state."""
        ...

    def errors(self, *, reads: bool = False) -> AbstractContextManager[None]:
        """Turn the backend's errors into StorageError; `reads` says that the call changes nothing."""
        ...

    def damaged_rows(self) -> dict[str, str]:
        """Return the kinds of rows that could not be read as a whole since the store was opened, by id."""
        ...

    def refresh(self) -> None:
        """See what other processes wrote, also where the files can only be read."""
        ...

    def close(self) -> None:
        """Close all connections and files."""
        ...
