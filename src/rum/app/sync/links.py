"""The links of a memory as they are shared: one set per memory, from which nothing is ever taken out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.project import Project
from rum.model.errors import InvalidQuery
from rum.model.memory import Edge, LinkType, RevertLink
from rum.model.sync import VersionName, digest_of, without_empty
from rum.store.base import ReadMode

Json = dict[str, Any]


class LinkSet(Struct, frozen=True, omit_defaults=True):
    """The edges that start at a memory as (target, type, time), and what reverted its work."""

    edges: tuple[tuple[str, LinkType, int], ...] = ()
    reverted_by: RevertLink | None = None


def local_links(project: Project, memory_id: str) -> LinkSet:
    """The links of a memory that is here."""
    edges = project.store.links.of([memory_id])
    own = sorted(
        (edge.target_id, edge.link_type, at) for edge, at in edges.items() if edge.source_id == memory_id
    )
    memories = project.store.memories.get([memory_id], ReadMode.HEADLINE)
    reverted_by = memories[0].reverted_by if memories else None
    return LinkSet(tuple(own), reverted_by)


def united(sets: Sequence[LinkSet]) -> LinkSet:
    """All edges of several sets, each with the time at which it was first made."""
    edges: dict[tuple[str, LinkType], int] = {}
    for target, kind, at in (edge for one in sets for edge in one.edges):
        edges[target, kind] = min(at, edges.get((target, kind), at))
    reverts = sorted((one.reverted_by for one in sets if one.reverted_by), key=msgspec.json.encode)
    return LinkSet(tuple(sorted((*edge, at) for edge, at in edges.items())), reverts[0] if reverts else None)


def put_links(project: Project, memory_id: str, links: LinkSet) -> None:
    """Add links whose ends are here; one that would make a cycle is left out."""
    store = project.store
    ends = [memory_id, *(target for target, _, _ in links.edges)]
    known = {memory.id: memory for memory in store.memories.get(ends, ReadMode.HEADLINE)}
    if memory_id not in known:
        return
    for target, kind, at in links.edges:
        if target in known:
            with suppress(InvalidQuery):
                store.links.add(Edge.of(memory_id, target, kind), at)
    if links.reverted_by and known[memory_id].reverted_by is None:
        for memory in store.memories.get([memory_id], ReadMode.SKIP_DAMAGED):
            store.memories.replace(replace(memory, reverted_by=links.reverted_by))


def as_links(body: Json) -> LinkSet:
    """The links in a file; none if a newer version of RUM wrote them."""
    try:
        return msgspec.convert(body, LinkSet)
    except msgspec.ValidationError:
        return LinkSet()


def links_body(project: Project, links: LinkSet) -> Json:
    """The links as they are shared; empty if there are none."""
    return project.clean(without_empty(msgspec.to_builtins(links)))


def links_name(key: str, links: LinkSet, body: Json) -> VersionName:
    """The file of a set of links."""
    at = max((at for _, _, at in links.edges), default=0)
    return VersionName("links", key, len(links.edges) + 1, at, digest_of(body))
