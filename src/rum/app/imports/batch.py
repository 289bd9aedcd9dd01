"""The common part of all importers: a source reads pieces of work, and new ones are stored in batches.

An importer is a `Source`, and a function that counts its results in a `Tally`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.memories.store import replace_memory
from rum.app.project import Progress, Project, ignore
from rum.capture.tombstones import marks
from rum.model.agents import Agent, AgentType
from rum.model.memory import Content, Memory, Origin
from rum.store.base import ReadMode

BATCH = 200  # Pieces per transaction, so that other writers need not wait long
ID_SUFFIX_LENGTH = 8

T = TypeVar("T")
R = TypeVar("R", bound="Imported")


class Imported(Struct, frozen=True, kw_only=True):
    """The counts of an import.

    `unchanged` existed already, `updated` changed at the source, `different` was changed here and is not
    updated, `forgotten` is left out. `skipped` counts, by reason, the pieces that became no memory.
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
    """A piece of work: the memory that may be stored for it, its author's name, and its source item."""

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
        """Each piece, or why it is left out. Slow work belongs here, before the store is locked."""

    def update_existing(self, old: Memory, piece: Piece[T]) -> str:
        """Update an existing memory; return the name of the count for the result."""
        return update_imported(self._caller, old, piece.memory, by=self.client)

    def hold(self, pieces: Sequence[Piece[T]], counts: Counter[str]) -> Sequence[Piece[T]]:  # noqa: ARG002
        """Propose those new pieces that a person is to accept first, count them, and return the others."""
        return pieces

    def link(self, pieces: Sequence[Piece[T]], counts: Counter[str]) -> None:
        """Link what was just stored, and count it, in the same transaction."""


def update_imported(caller: Caller, old: Memory, new: Memory, *, by: str) -> str:
    """Update an existing memory, unless anyone but the importer has changed it."""
    changed = replace(old, **msgspec.structs.asdict(new.content()))
    if changed.content() == old.content():
        return "unchanged"
    versions = caller.store.history.of("memory", [old.id])[old.id]
    if versions and versions[-1].changed_by != by:
        return "different"
    replace_memory(caller, old, changed, by=by)
    return "updated"


class Tally:
    """The counts of an import so far, and its start time."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self._started = time.monotonic()

    def answer(self, kind: type[R], **more: Any) -> R:
        """The counts as the answer type of an importer."""
        elapsed = round(time.monotonic() - self._started, 1)
        return kind(**self.counts, skipped=dict(sorted(self.skipped.items())), seconds=elapsed, **more)


def import_pieces(
    caller: Caller, source: Source[T], tally: Tally, progress: Progress = ignore, *, dry_run: bool = False
) -> None:
    """Store the pieces of a source that are new and not forgotten; a dry run only counts them.

    Each batch is one transaction, so the next import completes an interrupted one.
    """
    pieces, done = source.pieces(), 0
    progress(done, source.total)
    while batch := list(islice(pieces, BATCH)):
        counts, read = Counter[str](), [one for one in batch if not isinstance(one, str)]
        if dry_run:
            known = existing_ids(caller.project, (one.memory.id for one in read))
            new = [one.memory for one in read if one.memory.id not in known]
            forgotten = len(_forgotten(caller.project, new))
            counts.update(added=len(new) - forgotten, unchanged=len(known), forgotten=forgotten)
        else:
            with caller.store.transaction():
                _store_pieces(caller.project, source, read, counts)
        tally.counts += counts
        tally.skipped.update(one for one in batch if isinstance(one, str))
        done += len(batch)
        progress(done, source.total)


def _store_pieces(project: Project, source: Source[T], pieces: list[Piece[T]], counts: Counter[str]) -> None:
    known = {
        memory.id: memory
        for memory in project.store.memories.get([one.memory.id for one in pieces], ReadMode.BEST_EFFORT)
    }
    for piece in pieces:
        if piece.memory.id in known:
            counts[source.update_existing(known[piece.memory.id], piece)] += 1
    new = source.hold([piece for piece in pieces if piece.memory.id not in known], counts)
    forgotten = _forgotten(project, [piece.memory for piece in new])
    kept = [piece for piece in new if piece.memory.id not in forgotten]
    _add_authors(project, kept, source.client)
    for piece in kept:
        project.store.memories.add(piece.memory)
    counts["forgotten"] += len(forgotten)
    counts["added"] += len(kept)
    source.link(kept, counts)


def _forgotten(project: Project, memories: Iterable[Memory]) -> set[str]:
    """The ids of the memories that were forgotten here before."""
    marked = {memory.id: marks(memory, project.tombstone_key) for memory in memories}
    buried = project.store.memories.tombstones(
        (mark for found in marked.values() for mark in found), pending=False
    )
    return {one for one, found in marked.items() if not buried.isdisjoint(found)}


def _add_authors(project: Project, pieces: Sequence[Piece[Any]], client: str) -> None:
    """Register unknown authors as agents that cannot be resumed; a name in use gets a suffix."""
    agents, by_author = project.store.agents, dict[str, list[Piece[Any]]]()
    for piece in pieces:
        by_author.setdefault(piece.memory.agent_id, []).append(piece)
    for agent_id, own in by_author.items():
        name, times = own[0].author, [piece.memory.created_at for piece in own]
        if agents.get(agent_id) is None:
            agents.add(
                Agent(
                    id=agent_id,
                    type=AgentType.MAIN,
                    project_id=project.location.id,
                    created_at=min(times),
                    last_active=max(times),
                    name=f"{name[:70]}-{agent_id[-ID_SUFFIX_LENGTH:]}" if agents.find_ids(name) else name,
                    client=client,
                    imported_at=project.now(),
                )
            )
        agents.update(agent_id, last_active=max(times))


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
    """A memory without secrets, from fields as a caller of `store` would write them."""
    content = msgspec.convert(project.clean(fields), Content)
    return Memory(
        id=memory_id,
        agent_id=agent_id,
        project_id=project.location.id,
        session_id=session_id,
        # Clocks may be wrong; a memory from the future would always be the newest.
        created_at=min(at, project.now()),
        imported_at=project.now(),
        origin=origin,
        **msgspec.structs.asdict(content),
    )


def existing_ids(project: Project, ids: Iterable[str]) -> set[str]:
    """The ids of the memories that exist."""
    return {memory.id for memory in project.store.memories.get(list(ids), ReadMode.HEADLINE)}
