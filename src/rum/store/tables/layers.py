"""The tables of facts, rules and events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from rum.model.layers import Event, Fact, Rule
from rum.store.tables.statements import RecordTable, Row, row_name

_JSON = ("extra", "metadata")  # Columns that hold JSON
_object = msgspec.json.Decoder(dict[str, Any])
L = TypeVar("L", Fact, Rule, Event)


class _LayerTable(RecordTable[L]):
    """What facts, rules and events have in common."""

    def _fields(self, row: Row, kind: type[L]) -> dict[str, Any]:
        """The columns of a row; damaged JSON reads as empty."""
        fields = {name: row[name] for name in kind.__struct_fields__}
        for name in _JSON:
            if (text := fields.get(name)) is not None:
                fields[name] = self._db.damaged_rows.read(
                    self.table.removesuffix("s"), row_name(row), partial(_object.decode, text), {}
                )
        return fields


class FactTable(_LayerTable[Fact]):
    """The facts of one project; the id of one is its key."""

    table = "facts"

    def _item(self, row: Row) -> Fact:
        return Fact(**self._fields(row, Fact))

    def put(self, item: Fact) -> None:
        with self._db.transaction():
            self._db.run("put_fact", _columns(item))

    def find_ids(self, name: str) -> list[str]:
        return [name] if self.get([name]) else []

    def latest(self, limit: int, prefix: str = "") -> tuple[list[Fact], int]:
        rows = self._db.rows("latest_facts", {"prefix": prefix, "limit": limit})
        found = [self._item(row) for row in rows]
        return found, self._values("count_facts_below", (prefix,))[0] if len(found) == limit else len(found)

    def after_key(self, limit: int, prefix: str = "", after: str = "") -> list[Fact]:
        values = {"limit": limit, "prefix": prefix, "after": after}
        return [self._item(row) for row in self._db.rows("facts_after_key", values)]


class RuleTable(_LayerTable[Rule]):
    """The rules of one project."""

    table = "rules"

    def _item(self, row: Row) -> Rule:
        return Rule(**self._fields(row, Rule))

    def put(self, item: Rule) -> None:
        with self._db.transaction():
            self._db.run("put_rule", _columns(item))

    def with_texts(self, condition: str, action: str) -> list[Rule]:
        return [self._item(row) for row in self._db.rows("rules_with_texts", (condition, action))]

    def latest(self, limit: int, source: str | None = None) -> list[Rule]:
        if source is None:
            rows = self._db.rows("latest_rules", (limit,))
        else:
            rows = self._db.rows("rules_from", (source, limit))
        return [self._item(row) for row in rows]


class EventTable(_LayerTable[Event]):
    """The events of one project, where the last second may be lost in a power cut."""

    table = "events"

    def _item(self, row: Row) -> Event:
        return Event(**self._fields(row, Event))

    def add(self, events: Iterable[Event], *, unless_known: bool = False) -> int:
        statement = "insert_event_unless_known" if unless_known else "insert_event"
        with self._db.transaction():
            return sum(self._db.run(statement, _columns(event) | {"seq": None}) for event in events)

    def older(self, keep: int) -> list[tuple[int, Event]]:
        return [(row["seq"], self._item(row)) for row in self._db.rows("older_events", (keep,))]

    def replace_with_summary(self, places: Sequence[int], summary: Event | None) -> bool:
        with self._db.transaction():
            wanted = (self._db.array(places),)
            (there,) = self._values("count_event_places", wanted)
            if there != len(places):
                return False
            self._db.run("delete_event_places", wanted)
            if summary is not None:
                self._db.run("insert_event", _columns(summary) | {"seq": max(places)})
            return True


def _columns(item: Fact | Rule | Event) -> dict[str, Any]:
    columns = {name: getattr(item, name) for name in item.__struct_fields__}
    for name in _JSON:
        if columns.get(name) is not None:
            columns[name] = msgspec.json.encode(columns[name]).decode()
    return columns
