"""The tables of chapters and wisdom, and their text index by FTS5."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rum.store.sqlite.sql_text import quoted
from rum.store.tables.chapters import ChapterTable, GroupIndex, Ranked, WisdomTable

__all__ = ["ChapterTable", "SqliteGroupIndex", "WisdomTable"]


class SqliteGroupIndex(GroupIndex):
    """Finds chapters and wisdom by terms."""

    def _ranked(self, wanted: Sequence[str], limit: int) -> Ranked:
        best = self._numbers("best_knowledge", " OR ".join(map(quoted, wanted)), limit)
        found: dict[int, set[str]] = {number: set() for number in best}
        titles: dict[int, set[str]] = {number: set() for number in best}
        for term in wanted if best else ():
            for numbers, query in ((found, quoted(term)), (titles, f"{{title tags}} : {quoted(term)}")):
                for number in self._numbers("knowledge_with_term", query, json.dumps(best)):
                    numbers[number].add(term)
        counts = {term: self._values("count_knowledge_with_term", (quoted(term),))[0] for term in wanted}
        return Ranked(found, titles, counts)

    def _numbers(self, statement: str, query: str, limit: int | str) -> list[int]:
        return self._values(statement, (query, limit))
