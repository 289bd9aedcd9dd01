"""The tables of archived memories: their layers in one blob, with an index of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rum.store.base import ReadMode
from rum.store.tables.memories import LAYERS, MemoryTable, distinct_terms
from rum.store.tables.rows import FORM, packed, unpacked
from rum.store.tables.statements import Statements, Table
from rum.store.tables.vectors import move_vectors
from rum.store.upkeep import Weighed
from rum.text import terms

HEADLINE = -1  # In place of a tokeniser's version: only the headline is indexed, as the rest is damaged
BATCH_SIZE = 1000


class PackedMemory(NamedTuple):
    """A memory prepared for the archive; it is archived if it still has that version."""

    seq: int
    memory_id: str
    version: int
    data: bytes
    terms: str
    length: int


class ArchiveTable(Table):
    """The archived memories of one project."""

    def __init__(self, db: Statements, memories: MemoryTable) -> None:
        super().__init__(db)
        self._memories = memories

    def weigh(self, before: int, importance: float) -> Iterator[list[Weighed]]:
        query = {"before": before, "importance": importance, "at": -1, "id": "", "most": BATCH_SIZE}
        while rows := self._db.rows("weigh_live", query):
            yield [Weighed(row["id"], bool(row["superseded"]), row["against"]) for row in rows]
            query |= {"at": rows[-1]["created_at"], "id": rows[-1]["id"]}

    def put(self, ids: Sequence[str], now: int) -> int:
        packed_memories = self._pack(ids)  # before the transaction, so that other writers wait less
        with self._db.transaction():
            return sum([self.archive_one(memory, now) for memory in packed_memories])

    def _pack(self, ids: Sequence[str]) -> list[PackedMemory]:
        memories = {memory.id: memory for memory in self._memories.get(ids, ReadMode.SKIP_DAMAGED)}
        packed_memories: list[PackedMemory] = []
        for row in self._db.rows("layers_of_live", (self._db.array(dict.fromkeys(ids)),)):
            memory, goal, summary = memories.get(row["id"]), row["intent_goal"], row["outcome_summary"]
            layers = [row[name] for name in LAYERS]
            data = packed(layers, goal, summary)
            # Only what can be unpacked again is archived.
            is_readable = unpacked(FORM, data, goal, summary) == layers
            if memory and memory.version == row["version"] and is_readable:
                packed_memories.append(
                    PackedMemory(row["seq"], memory.id, memory.version, data, *distinct_terms(memory))
                )
        return packed_memories

    def take_back(self, ids: Sequence[str]) -> int:
        with self._db.transaction():
            restored = 0
            for memory in self._memories.get(list(dict.fromkeys(ids))):
                [seq] = self._values("seq_of", (memory.id,))
                if self._memories.is_archived(seq):
                    self._memories.take_back(seq, memory)
                    restored += 1
            return restored

    def archive_one(self, memory: PackedMemory, now: int) -> bool:
        """Move a memory into the archive; False if it was changed, forgotten or archived meanwhile."""
        if not self._db.rows("is_live_as", memory[:3]):
            return False
        seq = memory.seq
        row = (seq, now, FORM, memory.data, memory.length, terms.VERSION)
        self._db.run("archive_memory", row)
        self._db.run("set_layers", (*([""] * len(LAYERS)), seq))
        self._db.run("delete_text", (seq,))
        self._db.run("add_archived_terms", (seq, memory.terms))
        move_vectors(self._db, seq)
        self._db.run("more_archived", (1,))
        return True
