"""The knowledge graph of the MCP reference memory server into memories, linked as its entities are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.imports.batch import (
    Imported,
    Piece,
    Progress,
    Tally,
    existing_ids,
    import_pieces,
    imported_memory,
)
from rum.app.memories.store import renewed
from rum.app.project import Project
from rum.capture.peers.mcp_memory import Entity, entities_in, entity_id, memory_fields
from rum.model.ids import id_of
from rum.model.links import Edge, LinkType
from rum.model.memory import Memory, Origin, OriginKind

CLIENT = "mcp-memory"
"""What their author has as its client, and the session they stand in."""


class GraphImport(Imported, frozen=True, kw_only=True):
    """What an import did, in entities."""


def import_graph(
    caller: Caller, exported: bytes, progress: Progress = lambda _done, _total: None
) -> GraphImport:
    """Keep every entity as a memory; the file is checked whole before anything is written."""
    tally, entities = Tally(), entities_in(exported)
    import_pieces(caller, Entities(caller, entities), tally, progress)
    tally.counts["links"] += _tie(caller.project, entities)
    return tally.answer(GraphImport)


class Entities:
    """Entities as a source of memories."""

    client = CLIENT

    def __init__(self, caller: Caller, entities: Sequence[Entity]) -> None:
        self._caller = caller
        self._entities = entities

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self._entities)

    def pieces(self) -> Iterator[Piece[Entity] | str]:
        """Each entity, or why it is left out."""
        for entity in self._entities:
            yield self._piece(entity) if entity.observations or entity.relations else "nothing observed"

    def _piece(self, entity: Entity) -> Piece[Entity]:
        memory = imported_memory(
            self._caller.project,
            memory_fields(entity),
            memory_id=entity_id(entity.name),
            agent_id=id_of("agent", CLIENT),
            session_id=CLIENT,
            at=self._caller.project.now(),
            origin=Origin(OriginKind.PEER, CLIENT),
        )
        return Piece(memory, CLIENT, entity)

    def update_existing(self, old: Memory, piece: Piece[Entity]) -> str:
        """Bring a memory up to date, unless somebody here has changed what the last import said."""
        changed = replace(old, **msgspec.structs.asdict(piece.memory.content()))
        if changed.content() == old.content():
            return "unchanged"
        versions = self._caller.project.store.history.of("memory", old.id)
        if versions and versions[-1].changed_by != CLIENT:
            return "different"
        renewed(self._caller, old, changed, by=CLIENT)
        return "updated"

    def link(self, pieces: Sequence[Piece[Entity]], counted: Counter[str]) -> None:
        """Nothing yet: an entity may be related to one in a later batch."""


def _tie(project: Project, entities: Sequence[Entity]) -> int:
    """Link memories whose entities are related; how many links are new."""
    pairs = [(entity_id(one.name), entity_id(other)) for one in entities for _, other in one.relations]
    known = existing_ids(project, {end for pair in pairs for end in pair})
    created = 0
    with project.store.transaction():
        for source, target in pairs:
            if source != target and {source, target} <= known:
                created += project.store.links.add(
                    Edge.of(source, target, LinkType.RELATED_TO), project.now()
                )
    return created
