"""Tables that PostgreSQL reads in its own way: lists of memories, and the index of chapters and wisdom."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from rum.store.browse import EntryQuery, EntryRow
from rum.store.postgres.connect import Database
from rum.store.postgres.lookup import conditions
from rum.store.postgres.statements import with_values
from rum.store.tables.browse import LAST, BrowseTable
from rum.store.tables.chapters import GroupIndex, Ranked


class PostgresBrowse(BrowseTable):
    """Lists and counts of one project."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def entries(self, query: EntryQuery) -> list[EntryRow]:
        where, values = conditions(query.filters)
        parts, order = [where], "" if query.oldest_first else " DESC"
        if query.unverified:
            parts.append("strpos(m.tags, '\"unverified\"') > 0")
        if query.path is not None:
            parts.append(
                "EXISTS (SELECT 1 FROM memory_files AS f WHERE f.project = :project AND f.memory_id = m.id "
                "AND (f.file_path = :path OR (f.file_path >= :first AND f.file_path < :last)))"
            )
            values |= {"path": query.path, "first": f"{query.path}/", "last": f"{query.path}/{LAST}"}
        if query.after is not None:
            parts.append(f"(m.created_at, m.id) {'>' if query.oldest_first else '<'} (:after_at, :after_id)")
            values |= {"after_at": query.after[0], "after_id": query.after[1]}
        statement = (
            f"SELECT m.id FROM memories AS m WHERE {' AND '.join(parts)} "
            f"ORDER BY m.created_at{order}, m.id{order} LIMIT :limit"
        )
        rows = self._database.fetch(with_values(statement), {**values, "limit": query.limit})
        return self.entries_of([row[0] for row in rows])


# FTS5's formula for BM25, and the weights of title, text and tags.
_K1, _B = 1.2, 0.75
_LEAST = 1e-6  # The weight of a term that most rows have
_WEIGHTS = {"title": 3.0, "said": 1.0, "tags": 3.0}


class PostgresGroupIndex(GroupIndex):
    """Finds chapters and wisdom by terms, as FTS5 ranks them; there are few, so all that match are read."""

    def _ranked(self, wanted: Sequence[str], limit: int) -> Ranked:
        rows = self._db.rows("knowledge_with_terms", (self._db.array(wanted),))
        [(total, terms)] = self._db.rows("knowledge_size")
        fields = {row["number"]: {name: row[name].split() for name in _WEIGHTS} for row in rows}
        held = {number: {term for words in own.values() for term in words} for number, own in fields.items()}
        counts = {term: sum(term in own for own in held.values()) for term in wanted}
        rarity = {term: log((total - count + 0.5) / (count + 0.5)) for term, count in counts.items()}
        mean = terms / total if total else 1.0
        scores: dict[int, float] = {}
        for row in rows:
            number, size = row["number"], row["size"] / mean
            scores[number] = 0.0
            for term in wanted:
                times = sum(weight * fields[number][name].count(term) for name, weight in _WEIGHTS.items())
                share = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * size))
                scores[number] += max(rarity[term], _LEAST) * share if times else 0.0
        best = sorted(scores, key=lambda number: (-scores[number], -number))[:limit]
        titles = {number: {*fields[number]["title"], *fields[number]["tags"]} for number in best}
        return Ranked(
            {number: held[number].intersection(wanted) for number in best},
            {number: titles[number].intersection(wanted) for number in best},
            counts,
        )
