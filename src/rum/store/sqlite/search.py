"""The finders of a store: the quick ones, and what takes more than a look at the index."""

from __future__ import annotations

from collections.abc import Iterable

from rum.store.indexed_text import indexed_text
from rum.store.sqlite.connect import Database
from rum.store.sqlite.lookup import Lookup
from rum.store.sqlite.memories import SqliteMemories


class SqliteSearch(Lookup):
    """The finders of one project, archived memories included."""

    def __init__(self, database: Database, memories: SqliteMemories) -> None:
        super().__init__(database)
        self._memories = memories

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The terms of memories, field by field; those of archived ones are made anew, which is slower."""
        wanted = list(dict.fromkeys(ids))
        found = super().texts(wanted)
        missing = [one for one in wanted if one not in found]
        return found | {memory.id: indexed_text(memory) for memory in self._memories.best(missing)}
