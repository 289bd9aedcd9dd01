"""One memory's way into the archive and out of it: steps of somebody's transaction."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from rum.model.errors import StorageError
from rum.model.memory import Memory
from rum.store import terms
from rum.store.index import indexed_text
from rum.store.sqlite.packing import FORM, unpacked
from rum.store.sqlite.queries import SQL

EMPTY = ("", "", "", "", "")
"""The layers in the row of an archived memory."""


class Parcel(NamedTuple):
    """A memory made ready for the archive; it goes there if it still is of that version."""

    seq: int
    memory_id: str
    version: int
    data: bytes
    terms: str
    length: int


def distinct_terms(memory: Memory) -> tuple[str, int]:
    """The terms of a memory, each once and in order, and the length of all but its paths' as they stand."""
    fields = indexed_text(memory)
    held = sorted({term for field in fields for term in field.split()})
    return " ".join(held), sum(map(len, fields[:-1]))


def is_archived(db: sqlite3.Connection, seq: int) -> bool:
    """Whether a memory is in the archive."""
    return db.execute(SQL["is_archived"], (seq,)).fetchone() is not None


def put_away(db: sqlite3.Connection, parcel: Parcel, now: int) -> bool:
    """Move a memory into the archive; False if it was changed, forgotten or archived meanwhile."""
    if not db.execute(SQL["is_live_as"], parcel[:3]).fetchone():
        return False
    seq = parcel.seq
    row = (seq, now, FORM, parcel.data, parcel.length, terms.VERSION)
    db.execute(SQL["archive_memory"], row)
    db.execute(SQL["set_layers"], (*EMPTY, seq))
    db.execute(SQL["delete_text"], (seq,))
    db.execute(SQL["add_archived_terms"], (seq, parcel.terms))
    move_vectors(db, seq)
    db.execute(SQL["more_archived"], (1,))
    return True


def move_vectors(db: sqlite3.Connection, seq: int) -> None:
    """Put the vectors of an archived memory out of the way of the live ones."""
    db.execute(SQL["archive_vectors"], (seq,))
    db.execute(SQL["drop_live_vectors"], (seq,))


def take_back(db: sqlite3.Connection, seq: int, memory: Memory) -> None:
    """Make an archived memory a live one again, as it was."""
    drop_terms(db, seq, memory)
    form, data, goal, summary, _ = db.execute(SQL["archived_row"], (seq,)).fetchone()
    db.execute(SQL["set_layers"], (*layers_of(form, data, goal, summary, memory.id), seq))
    db.execute(SQL["unarchive_memory"], (seq,))
    db.execute(SQL["insert_text"], (seq, *indexed_text(memory)))
    db.execute(SQL["unarchive_vectors"], (seq,))
    db.execute(SQL["drop_archived_vectors"], (seq,))
    db.execute(SQL["more_archived"], (-1,))


def layers_of(form: int, data: bytes, goal: str, summary: str, memory_id: str) -> list[str]:
    """The layers that an archived memory's blob holds."""
    try:
        return unpacked(form, data, goal, summary)
    except ValueError as error:
        raise StorageError(
            f"{memory_id} cannot be read from the archive: {error}. Restore a backup.",
            memory_id=memory_id,
        ) from None


def add_terms(db: sqlite3.Connection, seq: int, memory: Memory) -> None:
    """Put the terms of an archived memory into its index, which has none of it."""
    held, length = distinct_terms(memory)
    db.execute(SQL["add_archived_terms"], (seq, held))
    db.execute(SQL["note_archived_terms"], (terms.VERSION, length, seq))


def drop_terms(db: sqlite3.Connection, seq: int, memory: Memory) -> None:
    """Take the terms of an archived memory out of its index.

    The index does not keep them, so they are made again; those of another tokeniser cannot be. Then all of
    them go, and `rum reindex` brings back the others'.
    """
    (made_by,) = db.execute(SQL["archived_row"], (seq,)).fetchone()[-1:]
    if made_by == terms.VERSION:
        db.execute(SQL["drop_archived_terms"], (seq, distinct_terms(memory)[0]))
    elif made_by:
        drop_all_terms(db)


def drop_all_terms(db: sqlite3.Connection) -> None:
    """Empty the archive's index."""
    db.execute(SQL["drop_all_archived_terms"])
    db.execute(SQL["note_no_archived_terms"])
