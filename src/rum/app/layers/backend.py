"""Where the lasting layers lie, as `Layers` sees it: RUM's store, or a directory of JSON files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from rum.model.layers import Json, KnowledgeEntry, MemoryEntry, MemoryType, ProceduralRule


class Older(NamedTuple):
    """Entries that compaction is about to take away, and what shows later whether they are still there."""

    entries: list[MemoryEntry]
    mark: Sequence[object]


class LastingLayers(Protocol):
    """The episodic, semantic and procedural layer."""

    def turn(self) -> AbstractContextManager[None]:
        """One call at a time, with errors in plain words."""
        ...

    def now(self) -> int:
        """Milliseconds."""
        ...

    def clean(self, given: Json) -> Json:
        """The same without secrets."""
        ...

    def entries(self, layer: MemoryType) -> Iterable[MemoryEntry]:
        """Every entry of a layer, in its order; facts and rules as entries."""
        ...

    def count(self, layer: MemoryType) -> int:
        """How many entries a layer has."""
        ...

    def size(self, layer: MemoryType) -> int:
        """How many bytes a layer takes as compact JSON."""
        ...

    def append(self, entry: MemoryEntry) -> bool:
        """Put down what happened; False, and nothing is written, if the id is taken."""
        ...

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        """Keep a fact, in the place of what was known under its key; as it was kept."""
        ...

    def recall(self, key: str) -> KnowledgeEntry | None:
        """What is known under a key."""
        ...

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        """Keep a rule; as an entry."""
        ...

    def older(self, layer: MemoryType, keep: int) -> Older:
        """All but the last so many entries of a layer, for whoever may take them away; of facts none."""
        ...

    def fold(self, layer: MemoryType, older: Older, summary: MemoryEntry | None) -> bool:
        """Put a summary, or nothing, in the place of older entries; False if others changed them."""
        ...

    def summary(self, entries: Sequence[MemoryEntry]) -> str:
        """What entries say, in short; outside of any turn, as it may take long."""
        ...

    def clear(self, layers: Sequence[MemoryType]) -> int:
        """Take away everything in these layers; how many entries went."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
