"""Archiving and restoring one memory, as steps of a transaction."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from rum.model.errors import StorageError
from rum.model.memory import Memory
from rum.store.derived import indexed_text
from rum.store.sqlite.layer_blobs import FORM, unpacked
from rum.store.sqlite.queries import SQL
from rum.text import terms

# The columns that are empty in the row of an archived memory.
LAYERS = ("intent", "perception", "reasoning", "actions", "outcome")
HEADLINE = -1  # In place of a tokeniser's version: only the headline is indexed, as the rest is damaged


class Parcel(NamedTuple):
    """A memory prepared for the archive; it is archived if it still has that version."""

    seq: int
    memory_id: str
    version: int
    data: bytes
    terms: str
    length: int


def distinct_terms(memory: Memory) -> tuple[str, int]:
    """The terms of a memory, each once and sorted, and the length of its indexed text without paths."""
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
    db.execute(SQL["set_layers"], (*([""] * len(LAYERS)), seq))
    db.execute(SQL["delete_text"], (seq,))
    db.execute(SQL["add_archived_terms"], (seq, parcel.terms))
    move_vectors(db, seq)
    db.execute(SQL["more_archived"], (1,))
    return True


def move_vectors(db: sqlite3.Connection, seq: int) -> None:
    """Move the vectors of an archived memory to a table of their own."""
    db.execute(SQL["archive_vectors"], (seq,))
    db.execute(SQL["drop_live_vectors"], (seq,))


def take_back(db: sqlite3.Connection, seq: int, memory: Memory) -> None:
    """Make an archived memory live again, unchanged."""
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
        layers = unpacked(form, data, goal, summary)
        if len(layers) != len(LAYERS):
            raise ValueError(f"it has {len(layers)} layers")
        return layers
    except ValueError as error:
        raise StorageError(
            f"{memory_id} cannot be read from the archive: {error}. Restore a backup, or forget it.",
            memory_id=memory_id,
        ) from None


def drop_terms(db: sqlite3.Connection, seq: int, memory: Memory | None) -> None:
    """Delete the terms of an archived memory from the index; `memory` is None for a damaged one.

    The index does not store them by memory, so they are made again. Those of a damaged memory, or of another
    tokeniser, are searched in the whole index, which is slow.
    """
    (made_by,) = db.execute(SQL["archived_row"], (seq,)).fetchone()[-1:]
    if made_by == terms.VERSION and memory is not None:
        db.execute(SQL["drop_archived_terms"], (seq, distinct_terms(memory)[0]))
    elif made_by:
        db.execute(SQL["open_archived_instances"])
        held = [term for (term,) in db.execute(SQL["archived_terms_of"], (seq,))]
        if held:
            db.execute(SQL["drop_archived_terms"], (seq, " ".join(held)))


def drop_all_terms(db: sqlite3.Connection) -> None:
    """Empty the archive's index."""
    db.execute(SQL["drop_all_archived_terms"])
    db.execute(SQL["note_no_archived_terms"])
