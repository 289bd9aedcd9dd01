"""Memories in SQLite: the terms of archived ones are in an index that does not keep them by memory."""

from __future__ import annotations

from collections.abc import Callable

from rum.model.memory import Memory
from rum.store.base import ReadMode
from rum.store.tables.archive import BATCH_SIZE, HEADLINE, ArchiveTable
from rum.store.tables.memories import MemoryTable, distinct_terms
from rum.text import terms


class SqliteMemories(MemoryTable):
    """The memories of one project."""

    def drop_archived_terms(self, seq: int, memory: Memory | None) -> None:
        """Delete the terms of an archived memory from the index; `memory` is None for a damaged one.

        The index does not store them by memory, so they are made again. Those of a damaged memory, or of
        another tokeniser, are searched in the whole index, which is slow.
        """
        [(*_, made_by)] = self._db.rows("archived_row", (seq,))
        if made_by == terms.VERSION and memory is not None:
            self._db.run("drop_archived_terms", (seq, distinct_terms(memory)[0]))
        elif made_by:
            self._db.run("open_archived_instances")
            held = self._values("archived_terms_of", (seq,))
            if held:
                self._db.run("drop_archived_terms", (seq, " ".join(held)))


class SqliteArchive(ArchiveTable):
    """The archived memories of one project."""

    def reindex(self, left_out: Callable[[str], None]) -> None:
        """Rebuild the index of the archive; call `left_out` with the id of each damaged memory.

        The new terms are collected in a temporary table while others work, and replace the old ones in one
        transaction. If the process is killed, the old index stays.
        """
        with self._db.transaction():  # raises StorageError if nothing can be written
            self._db.run("end_renewed")
            self._db.run("begin_renewed")
        try:
            self._gather(left_out)
            with self._db.transaction():
                self._gather(left_out)  # what was archived meanwhile
                self._db.run("drop_all_archived_terms")
                self._db.run("note_no_archived_terms")
                self._db.run("put_renewed_terms")
                self._db.run("note_renewed_terms")
        finally:
            self._db.run("end_renewed")

    def _gather(self, left_out: Callable[[str], None]) -> None:
        last = -1
        while rows := self._db.rows("yet_to_renew", (last, BATCH_SIZE)):
            ids = [row["id"] for row in rows]
            whole = {memory.id: memory for memory in self._memories.get(ids, ReadMode.SKIP_DAMAGED)}
            damaged = [memory_id for memory_id in ids if memory_id not in whole]
            headlines = {memory.id: memory for memory in self._memories.get(damaged, ReadMode.BEST_EFFORT)}
            for row in rows:
                last, memory_id = row["memory"], row["id"]
                if memory_id not in whole:
                    left_out(memory_id)
                made_by = terms.VERSION if memory_id in whole else HEADLINE
                own_terms = distinct_terms(whole.get(memory_id) or headlines[memory_id])
                values = (last, row["archived_at"], row["version"], *own_terms, made_by)
                self._db.run("renew_terms", values)
