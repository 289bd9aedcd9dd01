"""The knowledge graph of the MCP reference memory server into memories, linked as its entities are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rum.app.caller import Caller
from rum.app.imports.batch import (
    ExportSource,
    Imported,
    Piece,
    Progress,
    Tally,
    existing_ids,
    import_pieces,
    imported_memory,
)
from rum.app.project import Project
from rum.capture.peers.mcp_memory import Entity, entities_in, entity_id, memory_fields
from rum.model.ids import id_of
from rum.model.links import Edge, LinkType
from rum.model.memory import Origin, OriginKind

CLIENT = "mcp-memory"  # What their author has as its client, and the session they stand in


class GraphImport(Imported, frozen=True, kw_only=True):
    """What an import did, in entities."""


def import_graph(
    caller: Caller, exported: bytes, progress: Progress = lambda _done, _total: None
) -> GraphImport:
    """Store every entity as a memory; the file is checked whole before anything is written."""
    tally, entities = Tally(), entities_in(exported)
    source = ExportSource(caller, CLIENT, entities, partial(_piece, caller.project))
    import_pieces(caller, source, tally, progress)
    tally.counts["links"] += _link_entities(caller.project, entities)
    return tally.answer(GraphImport)


def _piece(project: Project, entity: Entity) -> Piece[Entity] | str:
    """An entity as a memory, or why it is left out."""
    if not (entity.observations or entity.relations):
        return "nothing observed"
    memory = imported_memory(
        project,
        memory_fields(entity),
        memory_id=entity_id(entity.name),
        agent_id=id_of("agent", CLIENT),
        session_id=CLIENT,
        at=project.now(),
        origin=Origin(OriginKind.PEER, CLIENT),
    )
    return Piece(memory, CLIENT, entity)


def _link_entities(project: Project, entities: Sequence[Entity]) -> int:
    """Link memories whose entities are related; the number of new links."""
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
