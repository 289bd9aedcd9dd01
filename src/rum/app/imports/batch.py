"""One way in for all that is imported: a source reads pieces of work, and this keeps what is new, in batches.

An importer is a `Source`, and a function that counts what it did in a `Tally`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.memories.store import replace_memory
from rum.app.project import Project
from rum.capture.tombstones import marks
from rum.model.agents import Agent, AgentType
from rum.model.memory import Content, Memory, Origin
from rum.store.base import ReadMode

BATCH = 200  # Pieces kept at once, so that other writers get their turn in between
TAIL = 8

Progress = Callable[[int, int], None]  # Told how many pieces were dealt with, and how many there are
T = TypeVar("T")
R = TypeVar("R", bound="Imported")


class Imported(Struct, frozen=True, kw_only=True):
    """What an import did.

    `unchanged` was here already, `updated` went on since, `different` was changed here and stays as it is,
    `forgotten` stays out. `skipped` counts by reason what no memory was made of.
    """

    added: int = 0
    unchanged: int = 0
    updated: int = 0
    different: int = 0
    forgotten: int = 0
    links: int = 0
    skipped: dict[str, int] = {}
    seconds: float = 0.0


class Piece(NamedTuple, Generic[T]):
    """A piece of work as the memory that may be made of it, with its author's name and what it came from."""

    memory: Memory
    author: str
    origin: T


class Source(ABC, Generic[T]):
    """Where the memories of an import come from: `total` pieces of work, by authors with a `client`."""

    client = ""

    def __init__(self, caller: Caller, total: int) -> None:
        self._caller = caller
        self.total = total

    @abstractmethod
    def pieces(self) -> Iterator[Piece[T] | str]:
        """Each piece, or why it is left out. All that takes long happens here, before the store is locked."""

    def update_existing(self, old: Memory, piece: Piece[T]) -> str:
        """Update a memory that is here already; the name of the count it belongs to."""
        return update_imported(self._caller, old, piece.memory, by=self.client)

    def link(self, pieces: Sequence[Piece[T]], counted: Counter[str]) -> None:
        """Link what was just stored, and count it, in the same transaction."""


class ExportSource(Source[T]):
    """The items of an export; links follow when all are stored, as an item may name one of a later batch."""

    def __init__(
        self, caller: Caller, client: str, items: Sequence[T], make: Callable[[T], Piece[T] | str]
    ) -> None:
        super().__init__(caller, len(items))
        self.client = client
        self._items = items
        self._make = make

    def pieces(self) -> Iterator[Piece[T] | str]:
        """Each item as a piece, or why it is left out."""
        return map(self._make, self._items)


def update_imported(caller: Caller, old: Memory, new: Memory, *, by: str) -> str:
    """Update a memory that is here already, unless somebody other than the importer has changed it."""
    changed = replace(old, **msgspec.structs.asdict(new.content()))
    if changed.content() == old.content():
        return "unchanged"
    versions = caller.project.store.history.of("memory", [old.id])[old.id]
    if versions and versions[-1].changed_by != by:
        return "different"
    replace_memory(caller, old, changed, by=by)
    return "updated"


class Tally:
    """What became of an import so far, and since when it runs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self._began = time.monotonic()

    def answer(self, kind: type[R], **more: Any) -> R:
        """All of it, as an importer's own kind of answer."""
        took = round(time.monotonic() - self._began, 1)
        return kind(**self.counts, skipped=dict(sorted(self.skipped.items())), seconds=took, **more)


def import_pieces(
    caller: Caller, source: Source[T], tally: Tally, progress: Progress, *, dry_run: bool = False
) -> None:
    """Store the pieces of a source that are neither here nor forgotten; a dry run only counts them.

    Each batch is one transaction, so an import that is broken off is completed by the next one.
    """
    pieces, done = source.pieces(), 0
    progress(done, source.total)
    while batch := list(islice(pieces, BATCH)):
        counted, read = Counter[str](), [one for one in batch if not isinstance(one, str)]
        if dry_run:
            forgotten = len(_forgotten(caller.project, [one.memory for one in read]))
            counted.update(added=len(read) - forgotten, forgotten=forgotten)
        else:
            with caller.project.store.transaction():
                _store_pieces(caller.project, source, read, counted)
        tally.counts += counted
        tally.skipped.update(one for one in batch if isinstance(one, str))
        done += len(batch)
        progress(done, source.total)


def _store_pieces(project: Project, source: Source[T], pieces: list[Piece[T]], counted: Counter[str]) -> None:
    known = {memory.id: memory for memory in project.store.memories.get([one.memory.id for one in pieces])}
    new = [piece for piece in pieces if piece.memory.id not in known]
    for piece in pieces:
        if piece.memory.id in known:
            counted[source.update_existing(known[piece.memory.id], piece)] += 1
    forgotten = _forgotten(project, [piece.memory for piece in new])
    kept = [piece for piece in new if piece.memory.id not in forgotten]
    _add_authors(project, kept, source.client)
    for piece in kept:
        project.store.memories.add(piece.memory)
    counted["forgotten"] += len(forgotten)
    counted["added"] += len(kept)
    source.link(kept, counted)


def _forgotten(project: Project, memories: Iterable[Memory]) -> set[str]:
    """Which of these somebody wanted gone."""
    marked = {memory.id: marks(memory, project.tombstone_key) for memory in memories}
    buried = project.store.memories.tombstones(mark for found in marked.values() for mark in found)
    return {one for one, found in marked.items() if not buried.isdisjoint(found)}


def _add_authors(project: Project, pieces: Sequence[Piece[Any]], client: str) -> None:
    """See to it that all authors are known, as agents whom nobody can resume; a taken name gets a tail."""
    agents = project.store.agents
    times: dict[str, list[int]] = {}
    for piece in pieces:
        times.setdefault(piece.memory.agent_id, []).append(piece.memory.created_at)
    names = {piece.memory.agent_id: piece.author for piece in reversed(pieces)}
    for agent_id, at in times.items():
        if agents.get(agent_id) is None:
            name = names[agent_id]
            agents.add(
                Agent(
                    id=agent_id,
                    type=AgentType.MAIN,
                    project_id=project.location.id,
                    created_at=min(at),
                    last_active=max(at),
                    name=f"{name[:70]}-{agent_id[-TAIL:]}" if agents.find_ids(name) else name,
                    client=client,
                    imported_at=project.now(),
                )
            )
        agents.update(agent_id, last_active=max(at))


def imported_memory(
    project: Project,
    fields: dict[str, Any],
    *,
    memory_id: str,
    agent_id: str,
    session_id: str,
    at: int,
    origin: Origin,
) -> Memory:
    """A memory, without secrets, of fields as a caller of `store` would write them."""
    content = msgspec.convert(project.clean(fields), Content)
    return Memory(
        id=memory_id,
        agent_id=agent_id,
        project_id=project.location.id,
        session_id=session_id,
        # Clocks lie; a memory from tomorrow would be the freshest for ever.
        created_at=min(at, project.now()),
        imported_at=project.now(),
        origin=origin,
        **msgspec.structs.asdict(content),
    )


def existing_ids(project: Project, ids: Iterable[str]) -> set[str]:
    """Which of these memories there are."""
    return {memory.id for memory in project.store.memories.get(list(ids), ReadMode.HEADLINE)}
