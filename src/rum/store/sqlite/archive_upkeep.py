"""Looking after the archive in SQLite: is it whole, and how its file gets smaller."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator

from rum.store.sqlite.archive_rows import HEADLINE
from rum.store.sqlite.connect import Database
from rum.store.sqlite.layer_blobs import unpacked
from rum.store.sqlite.queries import SQL
from rum.text import terms

MERGE = tuple(
    f"INSERT INTO {table}({table}) VALUES ('optimize')"  # noqa: S608 names of ours
    for table in ("memory_text", "archived_text", "knowledge_text")
)
"""What puts the parts of each text index together, so that nothing deleted is left in it."""

_PACE = 40_000_000
"""Bytes a second that are gone through to write a file anew, on a slow machine."""
_AT_ONCE = 1000


def figures_disagree(db: sqlite3.Connection) -> Iterator[str]:
    """What does not agree between the archived memories, their number and their index."""
    archived, told, indexed, rows = db.execute(SQL["archive_figures"], (terms.VERSION, HEADLINE)).fetchone()
    if archived != told:
        yield f"There are {archived} archived memories, but {told} are recorded."
    if archived != indexed or rows != indexed:
        yield f"The archive's index does not agree: {archived} memories, {indexed} indexed, {rows} rows."


def unreadable(db: sqlite3.Connection) -> list[str]:
    """The ids of the archived memories that cannot be unpacked."""
    found: list[str] = []
    last = -1
    while rows := db.execute(SQL["archived_blobs"], (last, _AT_ONCE)).fetchall():
        for last, memory_id, form, data, goal, summary in rows:  # noqa: B007 `last` goes on from here
            try:
                unpacked(form, data, goal, summary)
            except ValueError:
                found.append(memory_id)
    return found


def unused_share(db: sqlite3.Connection) -> float:
    """Which share of a file's pages is unused."""
    unused, used = _pages(db)
    return unused / max(1, unused + used)


def hindrance(database: Database, patience: float) -> str | None:
    """Why a file cannot be written anew now; None where nothing is in the way.

    Other writers have to wait meanwhile, so it must be done before they lose patience.
    """
    _, used = _pages(database.connection)
    if used > _PACE * patience:
        return "that takes longer than others may wait; run `rum purge` when nobody else is writing"
    if shutil.disk_usage(os.path.dirname(database.path)).free < 2 * used:
        return f"that needs {2 * used // 1_000_000} MB of free space; make room, then run `rum purge`"
    return None


def _pages(db: sqlite3.Connection) -> tuple[int, int]:
    """How many bytes of the file are unused, and how many are used."""
    size, count, free = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return free * size, (count - free) * size
