"""Memories in SQLite: a row, its files, tags and terms, its history and its tombstone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from rum.model.ids import tail_of
from rum.model.memory import Memory
from rum.store.attempts import attempts_of
from rum.store.base import State
from rum.store.indexed_text import indexed_text
from rum.store.renames import recorded_renames
from rum.store.sqlite import archive_rows
from rum.store.sqlite.connect import Database
from rum.store.sqlite.memory_rows import (
    HeadlineRow,
    MemoryRow,
    as_row,
    best_of,
    headline,
    whole,
    whole_or_none,
)
from rum.store.sqlite.queries import SQL


class SqliteMemories:
    """The memories of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, memory: Memory) -> None:
        """Write a new memory with its files, tags and terms."""
        with self._database.transaction() as db:
            seq = db.execute(SQL["insert_memory"], as_row(memory)).lastrowid
            db.execute(SQL["queue_memory"], (seq,))
            self._add_parts(memory, seq)

    def replace(self, memory: Memory) -> None:
        """Overwrite a memory and renew everything derived from it."""
        with self._database.transaction() as db:
            self._unarchive(memory.id)
            row = as_row(memory)
            for statement in ("forget_meaning", "queue_if_changed", "update_memory"):
                db.execute(SQL[statement], row)
            (seq,) = db.execute(SQL["seq_of"], (memory.id,)).fetchone()
            self._delete_parts(memory, seq)
            self._add_parts(memory, seq)

    def _unarchive(self, memory_id: str) -> None:
        """Whatever changes an archived memory makes it live again first."""
        db = self._database.connection
        (seq,) = db.execute(SQL["seq_of"], (memory_id,)).fetchone()
        if archive_rows.is_archived(db, seq):
            archive_rows.take_back(db, seq, self.get([memory_id])[0])

    def _add_parts(self, memory: Memory, seq: int | None) -> None:
        self._add_named(memory, seq)
        self._database.connection.execute(SQL["insert_text"], (seq, *indexed_text(memory)))

    def _add_named(self, memory: Memory, seq: int | None) -> None:
        """Write down its files and tags, by which it is found without its terms."""
        db = self._database.connection
        files = [
            (memory.id, file.path, file.operation.value, file.content_hash, memory.created_at)
            for file in memory.files
        ]
        db.executemany(SQL["insert_file"], files)
        db.executemany(SQL["insert_tag"], [(tag, memory.id) for tag in dict.fromkeys(memory.tags)])
        db.executemany(SQL["insert_attempt"], [(seq, *attempt) for attempt in attempts_of(memory)])
        self.note_renames(memory.id, recorded_renames(memory.actions))

    def _delete_parts(self, memory: Memory, seq: int) -> None:
        self._delete_terms(memory.id, seq)
        self._delete_named(memory.id, seq)

    def _delete_named(self, memory_id: str, seq: int) -> None:
        db = self._database.connection
        for statement in ("delete_files", "delete_tags"):
            db.execute(SQL[statement], (memory_id,))
        db.execute(SQL["delete_attempts"], (seq,))

    def _delete_terms(self, memory_id: str, seq: int) -> None:
        """Take its terms out of whichever index has them; an archived memory's are made of what it says."""
        db = self._database.connection
        db.execute(SQL["delete_text"], (seq,))
        if archive_rows.is_archived(db, seq):
            archive_rows.drop_terms(db, seq, next(iter(self.readable([memory_id])), None))

    def reindex(self, memory: Memory) -> bool:
        """Write the terms, tags and files of a memory anew, as it is by now; False if it is gone or damaged.

        The terms of an archived one are the archive's.
        """
        with self._database.transaction() as db:
            present = next(iter(self.readable([memory.id])), None)
            if present is None:
                return False
            (seq,) = db.execute(SQL["seq_of"], (memory.id,)).fetchone()
            db.execute(SQL["delete_text"], (seq,))
            self._delete_named(memory.id, seq)
            self._add_named(present, seq)
            if not archive_rows.is_archived(db, seq):
                db.execute(SQL["insert_text"], (seq, *indexed_text(present)))
            return True

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in this order; unknown ones are left out."""
        return self._made(ids, whole)

    def readable(self, ids: Sequence[str]) -> list[Memory]:
        """The same without those that are damaged in the archive."""
        return self._made(ids, whole_or_none)

    def best(self, ids: Sequence[str]) -> list[Memory]:
        """The same; of one that is damaged in the archive what its row still says, which is its headline."""
        return self._made(ids, best_of)

    def _made(self, ids: Sequence[str], made: Callable[[MemoryRow], Memory | None]) -> list[Memory]:
        if not ids:
            return []
        rows = self._database.connection.execute(SQL["memories_by_id"], {"ids": json.dumps(list(ids))})
        found = {row.id: made(row) for row in map(MemoryRow._make, rows)}
        return [memory for one in ids if (memory := found.get(one)) is not None]

    def headlines(self, ids: Sequence[str]) -> list[Memory]:
        """The same with goal, task type, success and summary alone: all that a summary shows, and quicker."""
        rows = self._database.connection.execute(SQL["headlines_by_id"], (json.dumps(list(ids)),))
        found = {row.id: headline(row) for row in map(HeadlineRow._make, rows)}
        return [found[one] for one in ids if one in found]

    def states(self, ids: Sequence[str]) -> dict[str, State]:
        """How each of these memories stands, for those that are there; quick, as nothing of it is read."""
        rows = self._database.connection.execute(SQL["states_by_id"], (json.dumps(list(ids)),))
        return {one: State(version, tuple(json.loads(newer))) for one, version, newer in rows}

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        db = self._database.connection
        if db.execute(SQL["seq_of"], (name,)).fetchone():
            return [name]
        tail = tail_of(name)
        if tail is None:
            return []
        return [found for (found,) in db.execute(SQL["ids_by_tail"], {"tail": tail})]

    def in_time_order(self, batch: int = 500, since: int = 0) -> Iterator[list[Memory]]:
        """All memories since a time, oldest first, a batch at a time, each as far as it can be read."""
        last = (since, "")
        while rows := self._database.connection.execute(SQL["in_time_order"], (*last, batch)).fetchall():
            if memories := self.best([memory_id for _, memory_id in rows]):
                yield memories
            last = rows[-1]

    def count(self) -> int:
        """How many there are."""
        return self._database.connection.execute("SELECT count(*) FROM memories").fetchone()[0]

    def at_commits(self) -> list[tuple[str, str]]:
        """(memory id, commit) of every memory that names the commit it was made at."""
        return self._database.connection.execute(SQL["at_commits"]).fetchall()

    def delete(self, memory_id: str) -> dict[str, int]:
        """Delete a memory with all that hangs on it; says how many rows of each kind went."""
        with self._database.transaction() as db:
            (seq,) = db.execute(SQL["seq_of"], (memory_id,)).fetchone()
            removed = self.hanging_on(memory_id)
            older = [one for (one,) in db.execute(SQL["superseded_by"], (memory_id,))]
            archived = archive_rows.is_archived(db, seq)
            self._delete_terms(memory_id, seq)
            db.execute(SQL["delete_memory"], (memory_id,))
            db.execute(SQL["more_archived"], (-int(archived),))
            db.execute(SQL["mark_superseded"], (json.dumps(older),))
            return removed

    def hanging_on(self, memory_id: str) -> dict[str, int]:
        """How many rows of each kind belong to a memory."""
        db = self._database.connection
        edges = db.execute(SQL["edges_of"], {"ids": json.dumps([memory_id])}).fetchall()
        (versions,) = db.execute(SQL["count_versions"], (memory_id,)).fetchone()
        files = db.execute(SQL["files_of"], {"ids": json.dumps([memory_id])}).fetchall()
        return {"memories": 1, "files": len(files), "links": len(edges), "versions": versions}

    def note_renames(self, memory_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Note (earlier name, new name) of files that got another name in the work that a memory tells of."""
        rows = [{"path": new, "before": old, "id": memory_id} for old, new in pairs]
        if rows:
            with self._database.transaction() as db:
                db.executemany(SQL["insert_rename"], rows)

    def bury(self, hashes: Iterable[str], kind: str, now: int) -> None:
        """Leave tombstones."""
        with self._database.transaction() as db:
            db.executemany(SQL["insert_tombstone"], [(one, kind, now) for one in hashes])

    def buried(self, hashes: Iterable[str]) -> set[str]:
        """Which of these have a tombstone."""
        rows = self._database.connection.execute(SQL["tombstones_among"], (json.dumps(list(hashes)),))
        return {one for (one,) in rows}
