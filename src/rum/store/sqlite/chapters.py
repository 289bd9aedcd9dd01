"""Chapters and wisdom in SQLite: a row, its parts, and its terms."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from rum.model.chapters import Chapter, Contradiction, Evidence, Member, Origin, Source, Wisdom, Wording
from rum.model.ids import tail_of
from rum.store.chapters import Range
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL
from rum.text.terms import terms

T = TypeVar("T", Chapter, Wisdom)
Row = tuple[Any, ...]
Lists = Mapping[str, list[Row]]
"""The rows of other tables that belong to one, by the name that their statements have."""


class _Grouped(ABC, Generic[T]):
    """What both have in common; the names of their statements begin with the kind."""

    kind: ClassVar[str]
    lists: ClassVar[tuple[str, ...]] = ("parts",)
    odd: ClassVar[int]
    """What is added to twice the number of a row to get the number of its terms."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[Row]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    @abstractmethod
    def _stored(self, one: T) -> dict[str, Any]:
        """The columns of its row, by name."""

    @abstractmethod
    def _listed(self, one: T) -> Lists:
        """What it is made of, as rows; only of `parts` is the order its own."""

    @abstractmethod
    def _made(self, row: Row, lists: Lists) -> T:
        """What a row and what belongs to it stand for."""

    @abstractmethod
    def _terms(self, one: T) -> tuple[str, ...]:
        """The terms of its title, of what it says, and of its tags."""

    def put(self, item: T) -> None:
        """Write a row with its parts and terms; one with the same id is replaced and keeps its place."""
        with self._database.transaction() as db:
            [(seq,)] = db.execute(SQL[f"put_{self.kind}"], self._stored(item)).fetchall()
            for name, rows in self._listed(item).items():
                db.execute(SQL[f"delete_{self.kind}_{name}"], (item.id,))
                db.executemany(SQL[f"insert_{self.kind}_{name}"], [(item.id, *row) for row in rows])
            self._index(item, seq)

    def _index(self, one: T, seq: int) -> None:
        db, number = self._database.connection, 2 * seq + self.odd
        db.execute(SQL["delete_knowledge_text"], (number,))
        db.execute(SQL["insert_knowledge_text"], (number, *self._terms(one)))

    def reindex(self) -> int:
        """Write the terms of every row; how many there are."""
        done = 0
        for batch in self.pages():
            for one in batch:
                self._index(one, self._rows(f"{self.kind}_seq", (one.id,))[0][0])
            done += len(batch)
        return done

    def get(self, ids: Sequence[str]) -> list[T]:
        """The rows with these ids, in this order; unknown ones are left out."""
        if not ids:
            return []
        wanted = (json.dumps(list(ids)),)
        found = {row[0]: row for row in self._rows(f"{self.kind}_by_id", wanted)}
        lists: dict[str, dict[str, list[Row]]] = {one: {name: [] for name in self.lists} for one in found}
        for name in self.lists:
            for owner, *row in self._rows(f"{self.kind}_{name}", wanted):
                lists[owner][name].append(tuple(row))
        return [self._made(found[one], lists[one]) for one in ids if one in found]

    def find_ids(self, name: str) -> list[str]:
        """The ids a full id or a tail of one can mean: one, none, or several."""
        if self._rows(f"{self.kind}_seq", (name,)):
            return [name]
        tail = tail_of(name)
        if tail is None:
            return []
        return [found for (found,) in self._rows(f"{self.kind}_by_tail", {"tail": tail})]

    def made_of(self, parts: Iterable[str]) -> list[str]:
        """The ids of those made of exactly these parts, in whatever order; the oldest first."""
        wanted = sorted(set(parts))
        asked = {"ids": json.dumps(wanted), "count": len(wanted)}
        return [one for (one,) in self._rows(f"{self.kind}_with_parts", asked)]

    def found_by(self, tags: Sequence[str]) -> list[str]:
        """The ids of those whose parts were found by these tags, the oldest first."""
        return [one for (one,) in self._rows(f"{self.kind}_found_by", (_json(tuple(tags)),))]

    def holding(self, parts: Iterable[str]) -> dict[str, int]:
        """How many of these parts each holds, by id, for those that hold any; the oldest first."""
        return dict(self._rows(f"{self.kind}_holding", (json.dumps(sorted(set(parts))),)))

    def resting_on(self, memory_ids: Iterable[str]) -> list[str]:
        """The ids of those whose words were made of any of these memories, the oldest first."""
        asked = {"ids": json.dumps(sorted(set(memory_ids)))}
        return [one for (one,) in self._rows(f"{self.kind}_resting_on", asked)]

    def matching(self, tags: Sequence[str], within: Range, limit: int) -> tuple[list[str], int]:
        """The ids of those with all the tags in a range of time, the last to end first, and how many."""
        asked = {"tags": _json(tuple(tags)), "since": within.since, "before": within.before}
        found = [one for (one,) in self._rows(f"{self.kind}_matching", asked)]
        return found[:limit], len(found)

    def pages(self, size: int = 500) -> Iterator[list[T]]:
        """All rows, the oldest first, a batch at a time."""
        last = -1
        while rows := self._rows(f"{self.kind}_in_order", (last, size)):
            if found := self.get([one for one, _ in rows]):
                yield found
            last = rows[-1][1]

    def count(self) -> int:
        """How many there are."""
        return self._rows(f"count_{self.kind}")[0][0]

    def delete(self, ids: Iterable[str] | None = None) -> int:
        wanted = (
            [one for batch in self.pages() for one in (item.id for item in batch)] if ids is None else ids
        )
        gone = 0
        with self._database.transaction() as db:
            for one in wanted:
                for (seq,) in self._rows(f"{self.kind}_seq", (one,)):
                    db.execute(SQL["delete_knowledge_text"], (2 * seq + self.odd,))
                gone += db.execute(SQL[f"delete_{self.kind}"], (one,)).rowcount
        return gone


class SqliteChapters(_Grouped[Chapter]):
    """The chapters of one project."""

    kind = "chapter"
    odd = 0

    def _stored(self, one: Chapter) -> dict[str, Any]:
        return _columns(one, _CHAPTER)

    def _listed(self, one: Chapter) -> Lists:
        return {"parts": [(place, *row) for place, row in enumerate(_member_rows(one.members))]}

    def _made(self, row: Row, lists: Lists) -> Chapter:
        fields = _fields(row, _CHAPTER)
        fields |= {"origin": Origin(fields["origin"]), "words": Wording(fields["words"])}
        return Chapter(**fields, members=_members(lists["parts"]))

    def _terms(self, one: Chapter) -> tuple[str, ...]:
        return _indexed((one.title,), (one.summary, *one.learnings), (*one.tags, *one.topics))


class SqliteWisdom(_Grouped[Wisdom]):
    """The wisdom of one project."""

    kind = "wisdom"
    lists = ("parts", "members")
    odd = 1

    def _stored(self, one: Wisdom) -> dict[str, Any]:
        return _columns(one, _WISDOM)

    def _listed(self, one: Wisdom) -> Lists:
        sources = [(place, source.chapter_id, source.version) for place, source in enumerate(one.sources)]
        return {"parts": sources, "members": _member_rows(one.members)}

    def _made(self, row: Row, lists: Lists) -> Wisdom:
        fields = _fields(row, _WISDOM)
        fields |= {"words": Wording(fields["words"])}
        sources = tuple(Source(*part) for part in lists["parts"])
        return Wisdom(**fields, sources=sources, members=_members(lists["members"]))

    def _terms(self, one: Wisdom) -> tuple[str, ...]:
        return _indexed((), (one.summary, *one.claims), one.tags)


def _member_rows(members: Iterable[Member]) -> list[Row]:
    return [(one.memory_id, one.version, one.superseded) for one in members]


def _members(rows: Iterable[Row]) -> tuple[Member, ...]:
    return tuple(Member(one, version, bool(superseded)) for one, version, superseded in rows)


def _indexed(*fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(terms(" \n ".join(field))) for field in fields)


_HEAD = ("id", "project_id", "agent_id", "created_at", "updated_at", "version", "start_ts", "end_ts")
_SAID = ("title", "summary", "origin", "words", "learnings", "evidence", "tags", "topics")
_KNOWN = ("summary", "words", "insights", "patterns", "best_practices", "evidence", "contradictions", "tags")
_CHAPTER = (*_HEAD, "forgotten", "imported_at", *_SAID, "given", "found_by", "own_tags", "former")
_WISDOM = (*_HEAD, "forgotten", "imported_at", *_KNOWN, "given", "found_by", "own_tags", "former")
"""The columns, in the order in which they are read."""

_strings = msgspec.json.Decoder(tuple[str, ...])
_ARRAYS: dict[str, msgspec.json.Decoder[Any]] = {
    "evidence": msgspec.json.Decoder(tuple[Evidence, ...]),
    "contradictions": msgspec.json.Decoder(tuple[Contradiction, ...]),
    **dict.fromkeys(("learnings", "insights", "patterns", "best_practices"), _strings),
    **dict.fromkeys(("tags", "topics", "given", "found_by", "own_tags", "former"), _strings),
}
"""How the columns are read that hold arrays."""


def _columns(one: Chapter | Wisdom, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _json(getattr(one, name)) if name in _ARRAYS else getattr(one, name) for name in names}


def _fields(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: _ARRAYS[name].decode(value) if name in _ARRAYS else value
        for name, value in zip(names, row, strict=True)
    }


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
