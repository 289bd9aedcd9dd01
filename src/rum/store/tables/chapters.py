"""The tables of chapters and wisdom: a row, its parts, and its terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from rum.model.chapters import (
    Chapter,
    ChapterOrigin,
    Contradiction,
    Evidence,
    Member,
    Source,
    TextSource,
    Wisdom,
)
from rum.model.ids import tail_of
from rum.store.chapters import GroupMatch, GroupMatches, Range
from rum.store.tables.statements import GROUP_COLUMNS, Row, Statements, Table
from rum.text.terms import terms

T = TypeVar("T", Chapter, Wisdom)
# The rows of other tables that belong to a group, by the names of their statements.
PartRows = Mapping[str, list[Row]]
Values = tuple[object, ...]


class _GroupTable(Table, ABC, Generic[T]):
    """The common part of chapters and wisdom; the names of their statements begin with the kind."""

    kind: ClassVar[str]
    lists: ClassVar[tuple[str, ...]] = ("parts",)
    odd: ClassVar[int]  # 0 or 1: the index row of row n is 2 n + odd

    @abstractmethod
    def _part_values(self, one: T) -> Mapping[str, list[Values]]:
        """The rows to write into other tables."""

    @abstractmethod
    def _group(self, row: Row, parts: PartRows) -> T: ...

    def _fields(self, row: Row) -> dict[str, Any]:
        """The columns of a row; a damaged array reads as empty."""
        read = partial(self._db.damaged_rows.read, self.kind, row["id"])
        fields: dict[str, Any] = {name: row[name] for name in GROUP_COLUMNS[self.kind]}
        for name in fields.keys() & _ARRAYS.keys():
            fields[name] = read(partial(_ARRAYS[name].decode, row[name]), ())
        if "origin" in fields:
            fields["origin"] = read(partial(ChapterOrigin, row["origin"]), ChapterOrigin.AUTO)
        return fields | {"words": read(partial(TextSource, row["words"]), TextSource.DRAWN)}

    @abstractmethod
    def _terms(self, one: T) -> tuple[str, ...]:
        """The terms of its title, of its text, and of its tags."""

    def put(self, item: T) -> None:
        with self._db.transaction():
            [seq] = self._values(f"put_{self.kind}", _columns(item, self.kind))
            for name, rows in self._part_values(item).items():
                self._db.run(f"delete_{self.kind}_{name}", (item.id,))
                self._db.run_many(f"insert_{self.kind}_{name}", [(item.id, *row) for row in rows])
            self._index(item, seq)

    def _index(self, one: T, seq: int) -> None:
        number = 2 * seq + self.odd
        self._db.run("delete_knowledge_text", (number,))
        self._db.run("insert_knowledge_text", (number, *self._terms(one)))

    def reindex(self) -> None:
        """Write the terms of every row."""
        for page in self.pages():
            for one in page:
                self._index(one, self._values(f"{self.kind}_seq", (one.id,))[0])

    def get(self, ids: Sequence[str]) -> list[T]:
        if not ids:
            return []
        wanted = (self._db.array(ids),)
        found = {row["id"]: row for row in self._db.rows(f"{self.kind}_by_id", wanted)}
        parts: dict[str, dict[str, list[Row]]] = {one: {name: [] for name in self.lists} for one in found}
        for name in self.lists:
            for row in self._db.rows(f"{self.kind}_{name}", wanted):
                parts[row["owner"]][name].append(row)
        return [self._group(found[one], parts[one]) for one in ids if one in found]

    def find_ids(self, name: str) -> list[str]:
        if self._db.rows(f"{self.kind}_seq", (name,)):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values(f"{self.kind}_by_tail", {"tail": tail})

    def same(self, parts: Iterable[str], found_by: Sequence[str] = ()) -> list[str]:
        ids = sorted(set(parts))
        found = self._values(f"{self.kind}_with_parts", {"ids": self._db.array(ids), "count": len(ids)})
        if not found and found_by:
            return self._values(f"{self.kind}_found_by", (_json(tuple(found_by)),))
        return found

    def made_of(self, *, parts: Iterable[str] = (), memories: Iterable[str] = ()) -> list[str]:
        values = {"parts": self._db.array(parts), "memories": self._db.array(memories)}
        return self._values(f"{self.kind}_made_of", values)

    def matching(
        self, tags: Sequence[str], within: Range, limit: int, sort: str = "recent"
    ) -> tuple[list[str], int]:
        query = {"tags": _json(tuple(tags)), "since": within.since, "before": within.before, "sort": sort}
        found = self._values(f"{self.kind}_matching", query)
        return found[:limit], len(found)

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        last = -1
        while rows := self._db.rows(f"{self.kind}_in_order", (last, size)):
            if found := self.get([row["id"] for row in rows]):
                yield found
            last = rows[-1]["seq"]

    def count(self) -> int:
        return self._values(f"count_{self.kind}")[0]

    def delete(self, ids: Iterable[str] | None = None) -> int:
        wanted = [item.id for page in self.pages() for item in page] if ids is None else ids
        deleted = 0
        with self._db.transaction():
            for one in wanted:
                for seq in self._values(f"{self.kind}_seq", (one,)):
                    self._db.run("delete_knowledge_text", (2 * seq + self.odd,))
                deleted += self._db.run(f"delete_{self.kind}", (one,))
        return deleted


class ChapterTable(_GroupTable[Chapter]):
    """The chapters of one project."""

    kind = "chapter"
    odd = 0

    def _part_values(self, one: Chapter) -> Mapping[str, list[Values]]:
        return {"parts": [(place, *row) for place, row in enumerate(_member_rows(one.members))]}

    def _group(self, row: Row, parts: PartRows) -> Chapter:
        fields = self._fields(row)
        return Chapter(**fields, members=_members(parts["parts"]))

    def _terms(self, one: Chapter) -> tuple[str, ...]:
        return _indexed((one.title,), (one.summary, *one.learnings), (*one.tags, *one.topics))


class WisdomTable(_GroupTable[Wisdom]):
    """The wisdom of one project."""

    kind = "wisdom"
    lists = ("parts", "members")
    odd = 1

    def _part_values(self, one: Wisdom) -> Mapping[str, list[Values]]:
        sources: list[Values] = [
            (place, source.chapter_id, source.version) for place, source in enumerate(one.sources)
        ]
        return {"parts": sources, "members": _member_rows(one.members)}

    def _group(self, row: Row, parts: PartRows) -> Wisdom:
        fields = self._fields(row)
        sources = tuple(Source(part["chapter_id"], part["version"]) for part in parts["parts"])
        return Wisdom(**fields, sources=sources, members=_members(parts["members"]))

    def _terms(self, one: Wisdom) -> tuple[str, ...]:
        return _indexed((), (one.summary, *one.claims), one.tags)


class Ranked(NamedTuple):
    """The index rows that match a query best, in order, and how many rows have each of its terms."""

    terms: dict[int, set[str]]
    title_terms: dict[int, set[str]]
    counts: dict[str, int]


class GroupIndex(Table, ABC):
    """The text index of one project's chapters (even numbers) and wisdom (odd numbers)."""

    def __init__(self, db: Statements) -> None:
        super().__init__(db)
        self._kinds = (ChapterTable(db), WisdomTable(db))

    @abstractmethod
    def _ranked(self, wanted: Sequence[str], limit: int) -> Ranked:
        """The best rows by BM25; titles and tags count three times. Of equal rows the last is first."""

    def find(self, query_terms: Sequence[str], limit: int) -> GroupMatches:
        wanted = list(dict.fromkeys(query_terms))
        ranked = self._ranked(wanted, limit) if wanted else None
        if not ranked or not ranked.terms:
            return GroupMatches([], {}, 0)
        matches = [
            GroupMatch(kind, one, frozenset(ranked.terms[number]), frozenset(ranked.title_terms[number]))
            for kind, one, number in self._with_ids(list(ranked.terms))
        ]
        return GroupMatches(matches, ranked.counts, sum(table.count() for table in self._kinds))

    def _with_ids(self, numbers: list[int]) -> list[tuple[str, str, int]]:
        found: list[tuple[str, str, int]] = []
        for table in self._kinds:
            wanted = self._db.array(number // 2 for number in numbers if number % 2 == table.odd)
            rows = self._db.rows(f"{table.kind}_ids_at", (wanted,))
            found += [(table.kind, row["id"], 2 * row["seq"] + table.odd) for row in rows]
        return found

    def reindex(self) -> None:
        """Write the terms of all chapters and wisdom."""
        with self._db.transaction():
            self._db.run("clear_knowledge_text")
            for table in self._kinds:
                table.reindex()


def _member_rows(members: Iterable[Member]) -> list[Values]:
    return [(one.memory_id, one.version, one.superseded) for one in members]


def _members(rows: Iterable[Row]) -> tuple[Member, ...]:
    return tuple(Member(row["memory_id"], row["version"], bool(row["superseded"])) for row in rows)


def _indexed(*fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(terms(" \n ".join(field))) for field in fields)


_strings = msgspec.json.Decoder(tuple[str, ...])
# How the columns with arrays are read.
_ARRAYS: dict[str, msgspec.json.Decoder[Any]] = {
    "evidence": msgspec.json.Decoder(tuple[Evidence, ...]),
    "contradictions": msgspec.json.Decoder(tuple[Contradiction, ...]),
    **dict.fromkeys(("learnings", "insights", "patterns", "best_practices"), _strings),
    **dict.fromkeys(("tags", "topics", "given", "found_by", "own_tags", "former"), _strings),
}


def _columns(one: Chapter | Wisdom, kind: str) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in GROUP_COLUMNS[kind]}
    return {name: _json(value) if name in _ARRAYS else value for name, value in values.items()}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
