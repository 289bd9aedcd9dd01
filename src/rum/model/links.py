"""How memories hang together: five kinds of link, each edge kept once."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from rum.model.memory_layers import Layer


class LinkType(StrEnum):
    """The kinds of link, as one says them from the source."""

    CAUSED_BY = "caused_by"
    LED_TO = "led_to"
    RELATED_TO = "related_to"
    SUPERSEDES = "supersedes"
    BLOCKED_BY = "blocked_by"


class Links(Layer, frozen=True):
    """A memory's links by kind; one id or several."""

    caused_by: str | tuple[str, ...] | None = None
    led_to: str | tuple[str, ...] | None = None
    related_to: str | tuple[str, ...] | None = None
    supersedes: str | tuple[str, ...] | None = None
    blocked_by: str | tuple[str, ...] | None = None

    def each(self) -> Iterable[tuple[LinkType, str]]:
        """Every (kind, target id)."""
        for kind in LinkType:
            targets: str | tuple[str, ...] | None = getattr(self, kind.value)
            for target in (targets,) if isinstance(targets, str) else targets or ():
                yield kind, target


class Edge(NamedTuple):
    """A link as it is kept: never `led_to`, and a symmetric one with its smaller id first."""

    source_id: str
    target_id: str
    link_type: LinkType

    @classmethod
    def of(cls, source_id: str, target_id: str, kind: LinkType) -> Edge:
        """The one stored form of a link, given from either end."""
        if kind is LinkType.LED_TO:
            return cls(target_id, source_id, LinkType.CAUSED_BY)
        if kind is LinkType.RELATED_TO:
            return cls(min(source_id, target_id), max(source_id, target_id), kind)
        return cls(source_id, target_id, kind)

    @property
    def link_id(self) -> str:
        """The same for the same edge, always."""
        import hashlib  # noqa: PLC0415 (loads OpenSSL, which asking for links does not need)
        from base64 import b32encode  # noqa: PLC0415

        digest = hashlib.sha256("\0".join(self).encode()).digest()
        return "link_" + b32encode(digest[:16]).decode().rstrip("=").lower()

    def seen_from(self, memory_id: str) -> tuple[str, str]:
        """(kind, other id) as the memory at either end shows it."""
        if memory_id == self.source_id:
            return self.link_type.value, self.target_id
        reverse = {"caused_by": "led_to", "related_to": "related_to", "supersedes": "superseded_by"}
        return reverse.get(self.link_type.value, "blocks"), self.source_id


LinkedIds = dict[str, str | list[str]]  # The links of a memory by kind
_SINGLE = (LinkType.SUPERSEDES, LinkType.BLOCKED_BY)  # Kinds that a memory usually has one of


def links_seen(memory_id: str, edges: Iterable[Edge]) -> LinkedIds:
    """A memory's links by kind, from both ends; of the kinds with usually one id, that id alone."""
    seen: dict[str, list[str]] = {}
    for edge in edges:
        kind, other = edge.seen_from(memory_id)
        seen.setdefault(kind, []).append(other)
    return {
        kind: ids[0] if kind in _SINGLE and len(ids) == 1 else sorted(ids)
        for kind, ids in sorted(seen.items())
    }
