"""Events in SQLite: a table of the file that may lose its last second in a power cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rum.model.facts import Event
from rum.model.ids import tail_of
from rum.store.layers import Author
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteEvents:
    """The events of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def add(self, events: Iterable[Event]) -> None:
        """Write entries after those there are, all or none, whatever their ids."""
        with self._database.transaction() as db:
            db.executemany(SQL["insert_event"], [_row(event) for event in events])

    def put(self, event: Event) -> bool:
        """Write an entry after those there are; False, and nothing is written, if its id is taken."""
        with self._database.transaction() as db:
            return db.execute(SQL["put_event"], _row(event)).rowcount == 1

    def all(self, batch: int = 500) -> Iterator[list[Event]]:
        """All entries in their order, a batch at a time."""
        last = -1
        while rows := self._rows("events_in_order", (last, batch)):
            yield [_event(row) for row in rows]
            last = rows[-1][0]

    def get(self, event_id: str) -> list[Event]:
        """Every entry with this id; what other programs wrote may have one twice."""
        return [_event(row) for row in self._rows("events_by_id", (event_id,))]

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        if self.get(name):
            return [name]
        tail = tail_of(name)
        if tail is None:
            return []
        return [found for (found,) in self._rows("events_by_tail", {"tail": tail})]

    def older(self, keep: int) -> list[tuple[int, Event]]:
        """(place, entry) of all but the last so many."""
        return [(row[0], _event(row)) for row in self._rows("older_events", (keep,))]

    def fold(self, places: Sequence[int], summary: Event | None) -> bool:
        """Delete the entries at these places and put a summary at the last; False if one was gone already."""
        with self._database.transaction() as db:
            wanted = (json.dumps(list(places)),)
            (there,) = db.execute(SQL["count_event_places"], wanted).fetchone()
            if there != len(places):
                return False
            db.execute(SQL["delete_event_places"], wanted)
            if summary is not None:
                db.execute(SQL["insert_event"], _row(summary, max(places)))
            return True

    def count(self) -> int:
        """How many there are."""
        return self._rows("count_events")[0][0]

    def delete(self, event_id: str) -> int:
        """Delete every entry with this id; how many there were."""
        with self._database.transaction() as db:
            return db.execute(SQL["delete_event"], (event_id,)).rowcount

    def authors(self) -> set[Author]:
        """Whose entries there are."""
        return {Author(agent_id, bool(imported)) for agent_id, imported in self._rows("event_authors")}

    def clear(self) -> int:
        """Delete all entries; how many there were."""
        with self._database.transaction() as db:
            count = self.count()
            db.execute(SQL["clear_events"])
            return count


def _row(event: Event, place: int | None = None) -> dict[str, Any]:
    metadata = event.metadata
    return {
        "seq": place,
        "id": event.id,
        "content": event.content,
        "metadata": None if metadata is None else msgspec.json.encode(metadata).decode(),
        "timestamp": event.timestamp,
        "extra": msgspec.json.encode(event.extra).decode(),
        "agent_id": event.agent_id,
        "session_id": event.session_id,
        "created_at": event.created_at,
        "imported_at": event.imported_at,
    }


def _event(row: tuple[Any, ...]) -> Event:
    _, event_id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at = row
    return Event(
        id=event_id,
        content=content,
        metadata=None if metadata is None else msgspec.json.decode(metadata),
        timestamp=timestamp,
        extra=msgspec.json.decode(extra),
        agent_id=agent_id,
        session_id=session_id,
        created_at=created_at,
        imported_at=imported_at,
    )
