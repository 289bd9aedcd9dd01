"""Facts and rules in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rum.model.facts import Fact, Rule
from rum.model.ids import tail_of
from rum.store.layers import Author
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL

_FACT = (
    "key",
    "value",
    "agent_id",
    "created_at",
    "updated_at",
    "version",
    "imported_at",
    "timestamp",
)
_RULE = (
    "id",
    "condition",
    "action",
    "agent_id",
    "created_at",
    "updated_at",
    "version",
    "imported_at",
    "timestamp",
)


class SqliteFacts:
    """The facts of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def get(self, key: str) -> Fact | None:
        """The fact under a key."""
        rows = self._rows("fact_by_key", (key,))
        return _fact(rows[0]) if rows else None

    def put(self, fact: Fact) -> None:
        """Write a fact; one under the same key is replaced and keeps its place."""
        with self._database.transaction() as db:
            db.execute(SQL["put_fact"], _row(fact, _FACT))

    def all(self, batch: int = 500) -> Iterator[list[Fact]]:
        """All facts, the one learned first at the front, a batch at a time."""
        last = -1
        while rows := self._rows("facts_in_order", (last, batch)):
            yield [_fact(row) for row in rows]
            last = rows[-1][-1]

    def latest(self, prefix: str, most: int) -> list[Fact]:
        """The facts whose keys begin so, the one changed last at the front."""
        return [_fact(row) for row in self._rows("latest_facts", {"prefix": prefix, "most": most})]

    def count(self, prefix: str = "") -> int:
        """How many there are with keys that begin so."""
        return self._rows("count_facts", {"prefix": prefix})[0][0]

    def add_version(self, key: str, version: int, changed_at: int, changed_by: str, value: str) -> None:
        """Keep what a fact said before it is replaced."""
        said = {"version": version, "changed_at": changed_at, "changed_by": changed_by, "value": value}
        with self._database.transaction() as db:
            db.execute(SQL["insert_fact_version"], {"key": key, **said})

    def versions(self, key: str) -> list[tuple[int, int, str, str]]:
        """(number, changed_at, changed_by, value) of what a fact said before, oldest first."""
        return [(number, at, by, value) for number, at, by, value in self._rows("fact_versions_of", (key,))]

    def delete(self, key: str) -> dict[str, int]:
        """Delete a fact with its history; says how many rows of each kind went."""
        with self._database.transaction() as db:
            versions = len(self.versions(key))
            return {"facts": db.execute(SQL["delete_fact"], (key,)).rowcount, "versions": versions}

    def authors(self) -> set[Author]:
        """Whose facts there are."""
        return {Author(agent_id, bool(imported)) for agent_id, imported in self._rows("fact_authors")}

    def clear(self) -> int:
        """Delete all facts; how many there were."""
        with self._database.transaction() as db:
            count = self.count()
            db.execute(SQL["clear_facts"])
            return count


class SqliteRules:
    """The rules of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def add(self, rule: Rule) -> None:
        """Write a new rule."""
        with self._database.transaction() as db:
            db.execute(SQL["insert_rule"], _row(rule, _RULE))

    def put(self, rule: Rule) -> None:
        """Replace the rule of this id, which keeps its place."""
        with self._database.transaction() as db:
            db.execute(SQL["put_rule"], _row(rule, _RULE))

    def add_version(
        self, rule_id: str, version: int, changed_at: int, changed_by: str, condition: str, action: str
    ) -> None:
        """Keep what a rule said before it is replaced."""
        said = {"version": version, "changed_at": changed_at, "changed_by": changed_by}
        with self._database.transaction() as db:
            told = {"id": rule_id, **said, "condition": condition, "action": action}
            db.execute(SQL["insert_rule_version"], told)

    def versions(self, rule_id: str) -> list[tuple[int, int, str, str, str]]:
        """(number, changed_at, changed_by, condition, action) of what a rule said before, oldest first."""
        return [
            (number, at, by, condition, action)
            for number, at, by, condition, action in self._rows("rule_versions_of", (rule_id,))
        ]

    def get(self, ids: Sequence[str]) -> list[Rule]:
        """The rules with these ids, in this order; unknown ones are left out."""
        found = {row[0]: _rule(row) for row in self._rows("rules_by_id", (json.dumps(list(ids)),))}
        return [found[one] for one in ids if one in found]

    def named(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        if self.get([name]):
            return [name]
        tail = tail_of(name)
        if tail is None:
            return []
        return [found for (found,) in self._rows("rules_by_tail", {"tail": tail})]

    def saying(self, condition: str, action: str) -> list[Rule]:
        """The rules that say exactly this."""
        return [_rule(row) for row in self._rows("rules_saying", (condition, action))]

    def all(self, batch: int = 500) -> Iterator[list[Rule]]:
        """All rules, the one learned first at the front, a batch at a time."""
        last = -1
        while rows := self._rows("rules_in_order", (last, batch)):
            yield [_rule(row) for row in rows]
            last = rows[-1][-1]

    def latest(self, most: int) -> list[Rule]:
        """The newest rules, the newest first."""
        return [_rule(row) for row in self._rows("latest_rules", (most,))]

    def older(self, keep: int) -> list[Rule]:
        """All but the last so many."""
        return [_rule(row) for row in self._rows("older_rules", (keep,))]

    def count(self) -> int:
        """How many there are."""
        return self._rows("count_rules")[0][0]

    def delete(self, ids: Iterable[str]) -> int:
        """Delete rules; how many there were."""
        with self._database.transaction() as db:
            return db.execute(SQL["delete_rules"], (json.dumps(list(ids)),)).rowcount


def _row(learned: Fact | Rule, names: tuple[str, ...]) -> dict[str, Any]:
    row = {name: getattr(learned, name) for name in names}
    return {**row, "extra": msgspec.json.encode(learned.extra).decode()}


def _fact(row: tuple[Any, ...]) -> Fact:
    return Fact(**dict(zip(_FACT, row, strict=False)), extra=msgspec.json.decode(row[len(_FACT)]))


def _rule(row: tuple[Any, ...]) -> Rule:
    return Rule(**dict(zip(_RULE, row, strict=False)), extra=msgspec.json.decode(row[len(_RULE)]))
