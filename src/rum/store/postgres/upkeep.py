"""Check a project in PostgreSQL, and rebuild what is derived from its memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rum.model.errors import StorageError
from rum.store import attempt_fingerprint
from rum.store.base import ReadMode
from rum.store.postgres.connect import ATTEMPTS, TOKENISER, Database
from rum.store.postgres.tables import PostgresGroupIndex
from rum.store.tables.archive import BATCH_SIZE, HEADLINE
from rum.store.tables.chapters import ChapterTable, WisdomTable
from rum.store.tables.layers import FactTable, RuleTable
from rum.store.tables.memories import AgentTable, LinkTable, MemoryTable, distinct_terms
from rum.store.tables.rows import unpacked
from rum.store.tables.vectors import VectorTable
from rum.store.upkeep import FileSize
from rum.text import terms

_REINDEX_BATCH_SIZE = 200
_MAX_NAMED = 20  # Maximum number of damaged memories that a problem names
Problems = list[tuple[str, str]]


class PostgresUpkeep:
    """The health of one project's rows."""

    def __init__(
        self, database: Database, memories: MemoryTable, index_vectors: Callable[[], object]
    ) -> None:
        self._db = database
        self._memories = memories
        self._index_vectors = index_vectors

    def problems(self) -> Problems:
        found = self._role_problems()
        if self._db.identity:
            with self._db.snapshot():
                for check in (
                    self._index_problems,
                    self._archive_problems,
                    self._unknown_members,
                    self._row_problems,
                ):
                    found += check()
        return found

    def _role_problems(self) -> Problems:
        [row] = self._db.rows("role_figures")
        found: Problems = []
        if row["passes"]:
            found.append(
                (
                    f"The role {row['name']} is not bound by row-level security.",
                    "Connect as a role that is no superuser and has no BYPASSRLS.",
                )
            )
        if row["open_tables"]:
            found.append(
                (
                    f"Tables without row-level security: {row['open_tables']}.",
                    "Enable and force it, or restore the schema.",
                )
            )
        return found

    def _index_problems(self) -> Problems:
        [row] = self._db.rows("index_figures", (terms.VERSION, HEADLINE))
        found: list[str] = []
        if (
            row["live"] != row["live_texts"]
            or row["texts"] != row["live_texts"]
            or row["terms"] != row["live_terms"]
        ):
            found.append(
                f"The text index does not agree: {row['live']} memories, {row['live_texts']} indexed, "
                f"{row['terms']} of {row['live_terms']} terms."
            )
        for what, statement in (("tags", "untagged"), ("flags of superseded memories", "wrongly_superseded")):
            if count := self._db.rows(statement)[0][0]:
                found.append(f"The {what} do not agree with {count} memories.")
        if self._db.rows("wrongly_queued")[0][0]:
            found.append("The list of memories without a vector does not agree with the memories.")
        if row["archived"] != row["recorded"]:
            found.append(
                f"There are {row['archived']} archived memories, but {row['recorded']} are recorded."
            )
        if row["archived"] != row["archived_texts"] or row["archived_held"] != row["archived_terms"]:
            found.append(
                f"The archive's index does not agree: {row['archived']} memories, "
                f"{row['archived_texts']} indexed, {row['archived_terms']} of {row['archived_held']} terms."
            )
        if row["groups"] != row["group_texts"] or row["all_group_texts"] != row["group_texts"]:
            found.append(
                f"The index of chapters and wisdom has {row['all_group_texts']} rows, "
                f"{row['group_texts']} of {row['groups']} right."
            )
        any_memory = row["live"] + row["archived"]
        if any_memory and self.remembered(TOKENISER) != str(terms.VERSION):
            found.append("The text index was made by another tokeniser.")
        if any_memory and self.remembered(ATTEMPTS) != str(attempt_fingerprint.VERSION):
            found.append("Warnings do not know all that was tried: older memories were not read for it.")
        return [(what, "Run `rum reindex`.") for what in found]

    def _damaged_in_archive(self) -> list[str]:
        damaged: list[str] = []
        last = -1
        while rows := self._db.rows("archived_blobs", (last, BATCH_SIZE)):
            for last, memory_id, form, data, goal, summary in rows:  # noqa: B007 `last` goes on from here
                try:
                    unpacked(form, data, goal, summary)
                except ValueError:
                    damaged.append(memory_id)
        return damaged

    def _archive_problems(self) -> Problems:
        damaged = self._damaged_in_archive()
        if not damaged:
            return []
        advice = "Restore a backup of the database, or forget them: `rum forget ID`."
        return [(f"{len(damaged)} archived memories cannot be read: {_named(damaged)}.", advice)]

    def _unknown_members(self) -> Problems:
        unknown = [row[0] for row in self._db.rows("unknown_members")]
        if not unknown:
            return []
        what = f"Chapters or wisdom refer to missing memories ({len(unknown)}): {_named(unknown)}."
        return [(what, "Run `rum refresh`.")]

    def _row_problems(self) -> Problems:
        """Read every row, and name those that cannot be read as a whole."""
        earlier = dict(self._db.damaged_rows)
        self._db.damaged_rows.clear()
        tables = (
            self._memories,
            FactTable(self._db),
            RuleTable(self._db),
            ChapterTable(self._db),
            WisdomTable(self._db),
        )
        for pages in (table.pages() for table in tables):
            for _ in pages:
                pass
        AgentTable(self._db).all()
        LinkTable(self._db).of()
        damaged = [*self._db.damaged_rows]
        damaged += [f"{row[0]} version {row[1]}" for row in self._db.rows("damaged_versions")]
        self._db.damaged_rows.update(earlier)
        if damaged:  # those in the archive are a problem of their own
            archived = set(self._damaged_in_archive())
            damaged = [name for name in damaged if name not in archived]
        if not damaged:
            return []
        advice = "All others can be read. Restore a backup of the database, or forget these: `rum forget ID`."
        return [(f"The database has damaged rows ({len(damaged)}): {_named(damaged)}.", advice)]

    def status(self) -> dict[str, object]:
        [row] = self._db.rows("status_figures")
        return {
            "postgresql": row["server"],
            "access": "write",
            "schema": row["schema"],
            "memories": row["memories"],
            "archived": row["archived"],
            "chapters": row["chapters"],
            "wisdom": row["wisdom"],
            "bytes": {"database": row["bytes"]},
        }

    def is_index_stale(self) -> bool:
        return self.remembered(TOKENISER) not in (None, str(terms.VERSION))

    def reindex(
        self, progress: Callable[[int], None], left_out: Callable[[str], None], *, drop_vectors: bool = False
    ) -> int:
        done = 0
        self._reindex_archive(left_out)
        for page in self._memories.pages(_REINDEX_BATCH_SIZE):
            with self._db.transaction():
                done += sum([self._memories.reindex(memory) for memory in page])
            progress(done)
        PostgresGroupIndex(self._db).reindex()
        with self._db.transaction():
            for statement in ("drop_stray_text", "drop_stray_terms", "renew_superseded", "recount_archived"):
                self._db.run(statement)
            self.remember(TOKENISER, str(terms.VERSION))
            self.remember(ATTEMPTS, str(attempt_fingerprint.VERSION))
        VectorTable(self._db).requeue(drop=drop_vectors)
        return done

    def _reindex_archive(self, left_out: Callable[[str], None]) -> None:
        last = -1
        while rows := self._db.rows("page_of_archived", (last, _REINDEX_BATCH_SIZE)):
            last = rows[-1]["memory"]
            with self._db.transaction():
                for row in rows:
                    self._reindex_archived(row["memory"], row["id"], left_out)

    def _reindex_archived(self, seq: int, memory_id: str, left_out: Callable[[str], None]) -> None:
        if not self._memories.is_archived(seq):
            return  # by now
        whole = self._memories.get([memory_id], ReadMode.SKIP_DAMAGED)
        if not whole:
            left_out(memory_id)
        [memory] = whole or self._memories.get([memory_id], ReadMode.BEST_EFFORT)
        held, length = distinct_terms(memory)
        self._db.run("drop_archived_terms", (seq,))
        self._db.run("add_archived_terms", (seq, held))
        self._db.run("note_archived_terms", (seq, length, terms.VERSION if whole else HEADLINE))

    def remembered(self, name: str) -> str | None:
        rows = self._db.rows("get_derived", (name,))
        return rows[0][0] if rows else None

    def remember(self, name: str, value: str) -> None:
        with self._db.transaction():
            self._db.run("set_derived", (name, value))

    def merge_index(self) -> bool:
        return bool(self._index_vectors())  # that of words is kept by autovacuum


class NoLocalFiles:
    """What only local files offer: a database server has its own tools for it."""

    def backup(self, path: str) -> None:
        raise StorageError(
            f"{path} was not written: the memory is in PostgreSQL. Back it up with `pg_dump`, or write its "
            "contents to a file with `rum export`."
        )

    def size(self) -> FileSize:
        return FileSize(0, 0.0)

    def repair_activity(self) -> None:
        """Nothing to do."""

    def copies(self) -> list[str]:
        return []

    def drop_copies(self) -> None:
        """Nothing to do."""

    def shrink(self, patience: float | None = None) -> str | None:  # noqa: ARG002 (the server needs none)
        return None


def _named(names: Iterable[str]) -> str:
    known = list(names)
    return ", ".join(known[:_MAX_NAMED]) + (" and others" if len(known) > _MAX_NAMED else "")
