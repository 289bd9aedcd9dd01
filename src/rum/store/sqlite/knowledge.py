"""The words of chapters and wisdom in SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rum.store.chapters import Held
from rum.store.sqlite.chapters import SqliteChapters, SqliteWisdom
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteKnowledge:
    """The text index of one project's chapters and wisdom: even numbers for those, odd ones for this."""

    def __init__(self, database: Database, chapters: SqliteChapters, wisdom: SqliteWisdom) -> None:
        self._database = database
        self._kinds = (chapters, wisdom)

    def holding(self, terms: Sequence[str], most: int) -> list[Held]:
        """What holds most of the terms, the best `most` of all; rare terms and titles count more."""
        asked = list(dict.fromkeys(terms))
        best = self._numbers("best_knowledge", " OR ".join(map(_quoted, asked)), most) if asked else []
        held: dict[int, set[str]] = {number: set() for number in best}
        titled: dict[int, set[str]] = {number: set() for number in best}
        for term in asked if best else ():
            for found, query in ((held, _quoted(term)), (titled, f"{{title tags}} : {_quoted(term)}")):
                for number in self._numbers("knowledge_holding", query, json.dumps(best)):
                    found[number].add(term)
        return [
            Held(kind, one, frozenset(held[number]), frozenset(titled[number]))
            for kind, one, number in self._named(best)
        ]

    def holders(self, terms: Sequence[str]) -> dict[str, int]:
        """How many hold each of the terms."""
        run = self._database.connection.execute
        return {term: run(SQL["count_holders"], (_quoted(term),)).fetchone()[0] for term in terms}

    def _numbers(self, statement: str, query: str, most: int | str) -> list[int]:
        return [number for (number,) in self._database.connection.execute(SQL[statement], (query, most))]

    def _named(self, numbers: list[int]) -> list[tuple[str, str, int]]:
        named: list[tuple[str, str, int]] = []
        for kept in self._kinds:
            wanted = json.dumps([number // 2 for number in numbers if number % 2 == kept.odd])
            rows = self._database.connection.execute(SQL[f"{kept.kind}_ids_at"], (wanted,))
            named += [(kept.kind, one, 2 * seq + kept.odd) for seq, one in rows]
        return named

    def reindex(self) -> int:
        """Write all terms anew; of how many."""
        with self._database.transaction() as db:
            db.execute(SQL["clear_knowledge_text"])
            return sum(kept.reindex() for kept in self._kinds)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
