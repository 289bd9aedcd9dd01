"""The four layers as entries, in milliseconds and with the field names that their JSON files have."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from rum.model.memory import Name
from rum.model.memory_layers import Layer
from rum.model.parse import parse
from rum.model.times import MILLISECONDS_FROM

Json = dict[str, Any]
T = TypeVar("T", bound=Struct)

MOST_WORKING = 50
"""Entries that working memory holds, unless told otherwise."""
KEEP_LAST = 10
"""Entries that compaction leaves as they are, unless told otherwise."""
FOUND_AT_MOST = 10
"""Entries that a search gives, unless told otherwise."""

Milliseconds = Annotated[int, Meta(ge=-(10**15), le=10**15)] | Annotated[float, Meta(ge=-1e15, le=1e15)]
"""A time as files of layers have it."""

GivenTime = Annotated[int, Meta(ge=0, le=10**15)] | Annotated[float, Meta(ge=0, le=1e15)]
"""A time as callers give it: what is too small for milliseconds is in seconds."""


class MemoryType(StrEnum):
    """The layers; working memory is gone with its process."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


LASTING = (MemoryType.EPISODIC, MemoryType.SEMANTIC, MemoryType.PROCEDURAL)
"""The layers that outlive their process."""


class MemoryEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a layer."""

    id: str
    timestamp: Milliseconds
    content: str
    metadata: Json | None = None


class GivenEntry(Layer, frozen=True):
    """An entry as callers write it; id and timestamp are given to it where it has none."""

    content: str
    id: Name | None = None
    timestamp: GivenTime | None = None
    metadata: Json | None = None


class KnowledgeEntry(Struct, frozen=True, omit_defaults=True):
    """What is known under a key."""

    key: str
    value: str
    timestamp: Milliseconds | None = None


class GivenKnowledge(Layer, frozen=True):
    """What is known, as callers write it."""

    key: str
    value: str
    timestamp: GivenTime | None = None


class ProceduralRule(Struct, frozen=True, omit_defaults=True):
    """What to do when."""

    condition: str
    action: str
    timestamp: Milliseconds | None = None


class MemoryStats(Struct, frozen=True, kw_only=True, rename="camel"):
    """The layers in figures."""

    working_memory_tokens: int
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int


def milliseconds(given: float) -> int | float:
    """A time given in seconds or milliseconds, in milliseconds."""
    return given if given > MILLISECONDS_FROM else int(given * 1000)


def known_part(raw: Json, model: type[T], where: str) -> tuple[T, Json]:
    """An object of a file as a model, and what the model does not know of; null is as good as unknown."""
    known = {name: raw[name] for name in model.__struct_fields__ if raw.get(name) is not None}
    return parse(known, model, where), {name: value for name, value in raw.items() if name not in known}


def whole(known: Struct, extra: Mapping[str, Any]) -> Json:
    """The object of a file again, from a model and what the model does not know of."""
    return {**msgspec.to_builtins(known), **extra}
