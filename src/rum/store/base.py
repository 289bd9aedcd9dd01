"""What every store offers: small protocols, and one way to make several changes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rum.model.agents import Agent
from rum.model.links import Edge
from rum.model.memory import Memory

if TYPE_CHECKING:
    from rum.model.chapters import Chapter, Wisdom
    from rum.store.activity import Activity
    from rum.store.archive import Archive
    from rum.store.captured_events import CapturedEvents
    from rum.store.chapters import Grouped, Knowledge
    from rum.store.layers import Events, Facts, Rules
    from rum.store.offers import Ledger
    from rum.store.records import History
    from rum.store.search import Search
    from rum.store.upkeep import LocalUpkeep, Upkeep
    from rum.store.vectors import Vectors


class AgentFigures(NamedTuple):
    """What an agent has done so far."""

    memories: int
    successes: int
    sessions: int
    children: list[str]


class State(NamedTuple):
    """The version of a memory, and what superseded it."""

    version: int
    superseded_by: tuple[str, ...]


class Memories(Protocol):
    """Rows of memories with everything that hangs on them."""

    def add(self, memory: Memory) -> None:
        """Write a new memory with its files, tags and terms."""
        ...

    def replace(self, memory: Memory) -> None:
        """Overwrite a memory and renew everything derived from it."""
        ...

    def reindex(self, memory: Memory) -> bool:
        """Write all that is derived from a memory anew, as it is by now; False if it is gone or damaged.

        The terms of archived ones are made anew by the archive.
        """
        ...

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in this order; unknown ones are left out.

        StorageError names one that is damaged.
        """
        ...

    def readable(self, ids: Sequence[str]) -> list[Memory]:
        """The same without those that are damaged."""
        ...

    def best(self, ids: Sequence[str]) -> list[Memory]:
        """The same; of one that is damaged what can still be read, which is its headline."""
        ...

    def headlines(self, ids: Sequence[str]) -> list[Memory]:
        """The same with goal, task type, success and summary alone: all that a summary shows, and quicker."""
        ...

    def states(self, ids: Sequence[str]) -> dict[str, State]:
        """How each of these memories stands, for those that are there; quick, as nothing of it is read."""
        ...

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        ...

    def in_time_order(self, batch: int = 500, since: int = 0) -> Iterator[list[Memory]]:
        """All memories since a time, oldest first, a batch at a time, each as far as it can be read."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...

    def at_commits(self) -> list[tuple[str, str]]:
        """(memory id, commit) of every memory that names the commit it was made at."""
        ...

    def delete(self, memory_id: str) -> dict[str, int]:
        """Delete a memory with all that hangs on it; says how many rows of each kind went."""
        ...

    def hanging_on(self, memory_id: str) -> dict[str, int]:
        """How many rows of each kind belong to a memory."""
        ...

    def note_renames(self, memory_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Note (earlier name, new name) of files that got another name in the work that a memory tells of.

        What its actions say of it is noted with the memory; this is for what they leave out.
        """
        ...

    def bury(self, hashes: Iterable[str], kind: str, now: int) -> None:
        """Leave tombstones."""
        ...

    def buried(self, hashes: Iterable[str]) -> set[str]:
        """Which of these have a tombstone."""
        ...


class Links(Protocol):
    """Edges between memories, each kept once."""

    def add(self, edge: Edge, now: int) -> bool:
        """Add an edge; False when it was there. A circle of `supersedes` is refused."""
        ...

    def of(self, ids: Iterable[str]) -> list[Edge]:
        """Every edge that touches any of these memories."""
        ...

    def all(self) -> list[tuple[Edge, int]]:
        """Every edge with the time it was made."""
        ...


class Agents(Protocol):
    """Who remembers."""

    def add(self, agent: Agent) -> None:
        """Write a new agent."""
        ...

    def get(self, agent_id: str) -> Agent | None:
        """The agent with this id."""
        ...

    def named(self, name: str) -> list[str]:
        """The ids that an id, a tail of one, or an agent's name can mean."""
        ...

    def last_main(self, client: str | None) -> Agent | None:
        """The main agent of a client that was active last; never an imported one."""
        ...

    def all(self) -> list[Agent]:
        """Every agent, oldest first."""
        ...

    def rename(self, agent_id: str, name: str) -> None:
        """Call an agent otherwise."""
        ...

    def touch(self, agent_id: str, now: int) -> None:
        """Note that an agent is active."""
        ...

    def figures(self, agent_id: str) -> AgentFigures:
        """How much an agent remembers, how often it succeeded, in how many sessions, and its children."""
        ...

    def is_ancestor(self, ancestor_id: str, agent_id: str) -> bool:
        """Whether one agent is above another."""
        ...


class Store(Protocol):
    """One project's memory."""

    @property
    def memories(self) -> Memories:
        """Rows of memories."""
        ...

    @property
    def links(self) -> Links:
        """Edges between them."""
        ...

    @property
    def agents(self) -> Agents:
        """Who remembers."""
        ...

    @property
    def search(self) -> Search:
        """The finders."""
        ...

    @property
    def vectors(self) -> Vectors:
        """What memories mean, as numbers."""
        ...

    @property
    def archive(self) -> Archive:
        """Memories that are kept packed, out of the way of the others."""
        ...

    @property
    def history(self) -> History:
        """Earlier versions of memories, facts and rules."""
        ...

    @property
    def facts(self) -> Facts:
        """What is known."""
        ...

    @property
    def rules(self) -> Rules:
        """What to do when."""
        ...

    @property
    def chapters(self) -> Grouped[Chapter]:
        """Memories that tell one story."""
        ...

    @property
    def wisdom(self) -> Grouped[Wisdom]:
        """What chapters say together."""
        ...

    @property
    def knowledge(self) -> Knowledge:
        """The words of both."""
        ...

    def has_chapters(self) -> bool:
        """Whether there is any chapter: quick, as every recall asks."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What was offered, and what came of it; no part of a transaction over the others."""
        ...

    @property
    def events(self) -> Events:
        """What happened; no part of a transaction over the others."""
        ...

    @property
    def captured(self) -> CapturedEvents:
        """Captured events and turns; no part of a transaction over the others."""
        ...

    @property
    def activity(self) -> Activity:
        """How memories are used."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Checks, and the care of the text index."""
        ...

    @property
    def local_upkeep(self) -> LocalUpkeep:
        """Backups and the care of files; StorageError where the store is not in local files."""
        ...

    @property
    def writable(self) -> bool:
        """Whether anything can be written here."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """Several changes to memories, links, agents, facts, rules, chapters and wisdom as one."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Several reads of one state."""
        ...

    def errors(self) -> AbstractContextManager[None]:
        """Turn the backend's errors into StorageError."""
        ...

    def refresh(self) -> None:
        """See what others wrote, also where the files can only be read."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
