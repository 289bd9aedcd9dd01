"""Find memories by file, by words or by filters alone: plain SQL in, plain tuples out."""

from __future__ import annotations

import json
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rum.store.filters import Filters
    from rum.store.sqlite.connect import Database

    Row = tuple[str, int, float, str]
    """(memory id, created_at, importance, session id)."""

    FileRow = tuple[str, int, float, str, str, str]
    """A row, the path and the operation."""
    TextRow = tuple[str, int, float, str, float]
    """A row and its BM25, higher is better."""

LAST = "\U0010ffff"
"""Sorts after every character, so that a prefix and what begins with it lie between two bounds."""

FIELDS = ("goal", "intent", "outcome", "learnings", "reasoning", "perception", "actions", "tags", "paths")
FIELD_WEIGHTS = (4.0, 2.0, 2.0, 2.0, 1.5, 1.0, 1.0, 2.5, 1.5)
"""How much a word counts where it stands, for picking candidates."""

_NOTHING = '""'
_COLUMNS = "m.id, m.created_at, m.importance, m.session_id"
_TIED = """
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(?) AS p CROSS JOIN memory_files AS f ON f.file_path = p.value
UNION ALL
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(?) AS p CROSS JOIN memory_files AS f
  ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
"""
_BM25 = f"bm25(memory_text, {', '.join(map(str, FIELD_WEIGHTS))})"


def conditions(filters: Filters) -> tuple[str, list[object]]:
    """The SQL that keeps what the filters allow, on `memories AS m`, and its parameters."""
    parts: list[str] = []
    values: list[object] = []
    for column, value in (
        ("m.intent_type = ?", filters.task_type),
        ("m.agent_id = ?", filters.agent_id),
        ("m.session_id = ?", filters.session_id),
        ("m.outcome_success = ?", None if filters.success is None else int(filters.success)),
        ("m.created_at >= ?", filters.since),
        ("m.created_at < ?", filters.before),
    ):
        if value is not None:
            parts.append(column)
            values.append(value)
    if tags := dict.fromkeys(filters.tags):
        marks = ", ".join("?" * len(tags))
        every = f"GROUP BY memory_id HAVING count(*) = {len(tags)}" if len(tags) > 1 else ""
        parts.append(f"m.id IN (SELECT memory_id FROM memory_tags WHERE tag IN ({marks}) {every})")
        values += tags
    if not filters.superseded:
        parts.append("m.superseded = 0")
    return " AND ".join(parts) or "1", values


def quoted(term: str) -> str:
    """A term as an FTS5 string, whatever it holds."""
    return '"' + term.replace('"', '""') + '"'


def _holding(terms: Iterable[str], every: bool, filters: Filters) -> tuple[str, list[object]]:
    """The SQL for the index rows of memories that hold the terms and pass the filters, and its parameters."""
    match = (" AND " if every else " OR ").join(map(quoted, terms)) or _NOTHING
    if filters.any():
        where, values = conditions(filters)
        join = "JOIN memories AS m ON m.seq = memory_text.rowid"
        return f"FROM memory_text {join} WHERE memory_text MATCH ? AND {where}", [match, *values]
    source = "FROM memory_text WHERE memory_text MATCH ?"
    if not filters.superseded:
        source += " AND memory_text.rowid NOT IN (SELECT seq FROM memories WHERE superseded = 1)"
    return source, [match]


class Lookup:
    """The finders of one database; each reads, none waits for a writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object]) -> list[Any]:
        return self._database.connection.execute(statement, values).fetchall()

    def by_filters(self, filters: Filters, cap: int) -> tuple[list[Row], int]:
        """The newest memories that pass, and how many there are."""
        where, values = conditions(filters)
        source = f"FROM memories AS m WHERE {where}"
        rows = self._rows(
            f"SELECT {_COLUMNS} {source} ORDER BY m.created_at DESC, m.id DESC LIMIT ?", [*values, cap]
        )
        total = len(rows) if len(rows) < cap else self._rows(f"SELECT count(*) {source}", values)[0][0]
        return rows, total

    def listed(
        self, filters: Filters, sort: str, limit: int, uses: Sequence[tuple[str, int]]
    ) -> tuple[list[str], int]:
        """The ids of the memories that pass, in the order asked for, and how many there are."""
        where, values = conditions(filters)
        first = {"importance": "m.importance DESC,", "access_count": "u.times DESC NULLS LAST,"}.get(sort, "")
        pairs = (
            "SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS times FROM json_each(?)"
        )
        source = f"FROM memories AS m LEFT JOIN ({pairs}) AS u ON u.id = m.id WHERE {where}"
        values = [json.dumps(uses if sort == "access_count" else []), *values]
        order = f"ORDER BY {first} m.created_at DESC, m.id DESC"
        rows = self._rows(f"SELECT m.id {source} {order} LIMIT ?", [*values, limit])
        return [one for (one,) in rows], self._rows(f"SELECT count(*) {source}", values)[0][0]

    def by_paths(self, paths: Sequence[str], filters: Filters, cap: int) -> tuple[list[FileRow], int]:
        """The newest memories tied to any of the files, each once, and how many there are.

        A path that ends in `/` means everything below it.
        """
        folders = [path for path in paths if path.endswith("/") and self._any_below(path)]
        files = [path for path in paths if not path.endswith("/")]
        if len(files) == 1 and not folders:
            return self._by_path(files[0], filters, cap)
        where, values = conditions(filters)
        # CROSS JOIN keeps the order: from the files to their memories, never the other way round.
        source = f"FROM ({_TIED}) AS f CROSS JOIN memories AS m ON m.id = f.memory_id WHERE {where}"
        wanted = [json.dumps(files), json.dumps(folders)]
        # Beside min(), SQLite takes the other columns from the same row.
        columns, each = f"{_COLUMNS}, min(f.file_path), f.operation", "GROUP BY m.seq"
        order = "ORDER BY m.created_at DESC, m.id DESC"
        rows = self._rows(f"SELECT {columns} {source} {each} {order} LIMIT ?", [*wanted, *values, cap])
        if len(rows) < cap:
            return rows, len(rows)
        return rows, self._rows(f"SELECT count(DISTINCT m.seq) {source}", [*wanted, *values])[0][0]

    def _any_below(self, folder: str) -> bool:
        statement = "SELECT 1 FROM memory_files WHERE file_path >= ? AND file_path < ? LIMIT 1"
        return bool(self._rows(statement, (folder, folder + LAST)))

    def _by_path(self, path: str, filters: Filters, cap: int) -> tuple[list[FileRow], int]:
        """The same for one file, however many memories it has: the index has them in order of time."""
        where, values = conditions(filters)
        tied = "FROM memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id WHERE f.file_path = ?"
        columns, order = (
            f"{_COLUMNS}, f.file_path, f.operation",
            "ORDER BY f.created_at DESC, f.memory_id DESC",
        )
        rows = self._rows(f"SELECT {columns} {tied} AND {where} {order} LIMIT ?", [path, *values, cap])
        if len(rows) < cap:
            return rows, len(rows)
        if filters.any() or filters.superseded:
            return rows, self._rows(f"SELECT count(*) {tied} AND {where}", [path, *values])[0][0]
        replaced = (
            "SELECT 1 FROM memories INDEXED BY memories_superseded WHERE id = memory_id AND superseded = 1"
        )
        statement = f"SELECT count(*) FROM memory_files WHERE file_path = ? AND NOT EXISTS ({replaced})"
        return rows, self._rows(statement, (path,))[0][0]

    def by_goal(self, goal: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories with exactly this goal, in whatever case."""
        where, values = conditions(filters)
        index = "INDEXED BY memories_goal"
        source = f"FROM memories AS m {index} WHERE m.intent_goal = ? COLLATE NOCASE AND {where}"
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        return self._rows(f"SELECT {_COLUMNS} {source} {order}", [goal, *values, cap])

    def known_paths(self, prefix: str) -> list[str]:
        """Every file any memory is tied to whose path begins with the prefix."""
        statement = "SELECT DISTINCT file_path FROM memory_files WHERE file_path >= ? AND file_path < ?"
        return [path for (path,) in self._rows(statement, (prefix, prefix + LAST))]

    def frequency(self, term: str, cap: int) -> int:
        """How many memories hold a term; counting stops at `cap`."""
        statement = "SELECT count(*) FROM (SELECT 1 FROM memory_text WHERE memory_text MATCH ? LIMIT ?)"
        return self._rows(statement, (quoted(term), cap))[0][0]

    def nth_newest(self, term: str, number: int) -> int:
        """Where the n-th newest memory with a term stands in the order of storing; 0 if there are fewer."""
        newest = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC"
        rows = self._rows(f"{newest} LIMIT 1 OFFSET ?", (quoted(term), number - 1))
        return rows[0][0] if rows else 0

    def by_terms(self, terms: Iterable[str], every: bool, filters: Filters, cap: int) -> list[TextRow]:
        """The best memories that hold every term, or any of them."""
        source, values = _holding(terms, every, filters)
        scored = f"SELECT memory_text.rowid AS seq, {_BM25} AS score {source}"
        best = f"{scored} ORDER BY score LIMIT ?"
        rows = f"({best}) AS best JOIN memories AS m ON m.seq = best.seq ORDER BY best.score, m.id DESC"
        return self._rows(f"SELECT {_COLUMNS}, -best.score FROM {rows}", [*values, cap])

    def newest_with(self, terms: Iterable[str], in_goal: bool, filters: Filters, cap: int) -> list[Row]:
        """The memories stored last of those with every term, anywhere or in the goal; quick, not ranked."""
        source, (match, *values) = _holding(terms, True, filters)
        newest = f"SELECT memory_text.rowid AS seq {source} ORDER BY memory_text.rowid DESC LIMIT ?"
        rows = f"({newest}) AS newest JOIN memories AS m ON m.seq = newest.seq ORDER BY m.seq DESC"
        match = f"goal : ({match})" if in_goal else match
        return self._rows(f"SELECT {_COLUMNS} FROM {rows}", [match, *values, cap])

    def sharing(self, terms: Iterable[str], rare: int, cap: int) -> list[str]:
        """The memories with most of the terms, of which only those count that at most `rare` of them hold."""
        holders = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? LIMIT ?"
        shared: Counter[int] = Counter()
        for term in terms:
            rows = self._rows(holders, (quoted(term), rare + 1))
            if len(rows) <= rare:
                shared.update(seq for (seq,) in rows)
        best = json.dumps([seq for seq, _ in shared.most_common(cap)])
        found = (
            "SELECT m.id FROM json_each(?) AS best JOIN memories AS m ON m.seq = best.value "
            "WHERE m.superseded = 0 ORDER BY best.key"
        )
        return [one for (one,) in self._rows(found, (best,))]

    def count_terms(self, terms: Iterable[str]) -> int:
        """How many memories hold any of the terms."""
        match = " OR ".join(map(quoted, terms)) or _NOTHING
        return self._rows("SELECT count(*) FROM memory_text WHERE memory_text MATCH ?", (match,))[0][0]

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of memories, field by field."""
        # Read where FTS5 keeps them: through the virtual table it takes twice as long.
        columns = ", ".join(f"t.c{at}" for at in range(len(FIELDS)))
        statement = (
            f"SELECT m.id, {columns} FROM json_each(?) AS wanted "
            "JOIN memories AS m ON m.id = wanted.value JOIN memory_text_content AS t ON t.id = m.seq"
        )
        return {row[0]: row[1:] for row in self._rows(statement, (json.dumps(list(ids)),))}

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index holds."""
        statement = (
            "SELECT t.term FROM json_each(?) AS wanted JOIN memory_terms AS t ON t.term = wanted.value"
        )
        return [term for (term,) in self._rows(statement, (json.dumps(list(terms)),))]

    def size(self) -> int:
        """About how many memories there are, without counting them."""
        return self._rows("SELECT max(seq) FROM memories", ())[0][0] or 0

    def common_tags(self, most: int) -> list[str]:
        """The tags used most."""
        statement = "SELECT tag FROM memory_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?"
        return [tag for (tag,) in self._rows(statement, (most,))]
