"""Find memories by filters, files, or what they were made of: plain SQL in, plain rows out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rum.store.search import FileRow, Row, TiedRows
from rum.store.sqlite.fts_query import conditions, quoted
from rum.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rum.store.filters import Filters
    from rum.store.sqlite.connect import Database

COLUMNS = "m.id, m.created_at, m.importance, m.session_id, m.seq"

# How an issue or pull request is named in a text, in lower case.
_NAMING = (
    "#{}",
    "!{}",
    "gh-{}",
    "/issues/{}",
    "/pull/{}",
    "/merge_requests/{}",
    "issue {}",
    "bug {}",
    "pr {}",
)

# So many characters of a commit's id are enough for the index; the rest is compared with what it finds.
_TELLING = 7

# What is tied to any file of a group, `g`, or to any below its folders.
_TIED = """
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(g.value, '$.files') AS p CROSS JOIN memory_files AS f ON f.file_path = p.value
UNION ALL
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(g.value, '$.folders') AS p CROSS JOIN memory_files AS f
  ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
"""

_ANY_BELOW = """
EXISTS (
  SELECT 1 FROM json_each(g.value, '$.folders') AS p CROSS JOIN memory_files AS f
    ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
)
"""

# So many earlier names of a file are asked for, as many renames back; so many renames are looked at.
_NAMES, _FOLLOWED = 8, 64

_EARLIER = """
earlier(place, origin, path, until, steps) AS (
  SELECT g.key, g.value, r.before, r.renamed_at, 1
  FROM json_each(?) AS g CROSS JOIN renames AS r ON r.path = g.value
  UNION
  SELECT e.place, e.origin, r.before, r.renamed_at, e.steps + 1
  FROM earlier AS e CROSS JOIN renames AS r ON r.path = e.path AND r.renamed_at <= e.until
  WHERE e.steps < ?
  LIMIT ?
), named AS (
  SELECT place, path, max(until) AS until,
    row_number() OVER (PARTITION BY place ORDER BY max(until) DESC, path) AS rank
  FROM earlier WHERE path <> origin GROUP BY place, path
)
"""


class Lookup:
    """The finders of one database; each reads, none waits for a writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object]) -> list[Any]:
        return self._database.connection.execute(statement, values).fetchall()

    def by_filters(self, filters: Filters, cap: int) -> tuple[list[Row], int]:
        where, values = conditions(filters)
        source = f"FROM memories AS m WHERE {where}"
        rows = self._rows(
            f"SELECT {COLUMNS} {source} ORDER BY m.created_at DESC, m.id DESC LIMIT ?", [*values, cap]
        )
        total = len(rows) if len(rows) < cap else self._rows(f"SELECT count(*) {source}", values)[0][0]
        return [Row._make(row) for row in rows], total

    def listed(
        self, filters: Filters, sort: str, limit: int, uses: Sequence[tuple[str, int]]
    ) -> tuple[list[str], int]:
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

    def by_paths(
        self, groups: Sequence[Sequence[str]], filters: Filters, cap: int, *, formerly: Sequence[str] = ()
    ) -> TiedRows:
        where, values = conditions(filters)
        wanted = [
            {
                "files": [path for path in group if not path.endswith("/")],
                "folders": [path for path in group if path.endswith("/")],
            }
            for group in groups
        ]
        earlier = [json.dumps(list(formerly)), _NAMES, _FOLLOWED * max(1, len(formerly))]
        tied = [*values, cap, *values, cap, json.dumps(wanted), cap, *values, *values]
        rows = self._rows(_by_paths(filters, where), [*earlier, *tied, *values, cap, _NAMES])
        found = TiedRows([([], 0) for _ in groups], [[] for _ in formerly])
        known: list[dict[str, FileRow]] = [{} for _ in formerly]
        for line in rows:
            place: int = line[1]
            row = FileRow._make(line[4:-1])
            if line[0]:
                known[place].setdefault(row.id, row)
            else:
                rows_of, total = found.groups[place]
                rows_of.append(row)
                found.groups[place] = rows_of, max(total, line[-1])
        for place, one in enumerate(known):
            newest = sorted(one.values(), key=lambda row: (row.created_at, row.id), reverse=True)
            found.former[place] = newest[:cap]
        return found

    def by_commit(self, start: str, filters: Filters, cap: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        telling = start[:_TELLING]
        # Many memories name a commit, and many were stored while it was checked out: only its own begins so.
        own = "substr(m.git_commit, 1, ?) = ? AND m.outcome_summary LIKE ? || '%'"
        found: list[Row] = []
        start_of = quoted(telling)
        for index, match in (("memory_text", f"outcome : {start_of} *"), ("archived_text", f"{start_of} *")):
            source = f"FROM {index} CROSS JOIN memories AS m ON m.seq = {index}.rowid"
            order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
            statement = f"SELECT {COLUMNS} {source} WHERE {index} MATCH ? AND {own} AND {where} {order}"
            told = [match, len(start), start, telling, *values, cap]
            found += map(Row._make, self._rows(statement, told))
        return sorted(found, key=lambda row: (row.created_at, row.id), reverse=True)[:cap]

    def by_issue(self, number: str, filters: Filters, cap: int, most: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        holders = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        # What each field holds is JSON, in which no text ends without a sign that is no part of a number.
        said = "lower(m.intent || m.outcome || m.reasoning || m.perception || m.actions)"
        source = f"FROM ({holders}) AS held CROSS JOIN memories AS m ON m.seq = held.rowid WHERE {where}"
        once = f"WITH told AS MATERIALIZED (SELECT m.seq AS number, {said} AS said {source})"
        named = " OR ".join(["told.said GLOB ?"] * len(_NAMING))
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        found = f"FROM told CROSS JOIN memories AS m ON m.seq = told.number WHERE {named} {order}"
        globs = [f"*{one.format(number)}[^0-9a-z_]*" for one in _NAMING]
        rows = self._rows(f"{once} SELECT {COLUMNS} {found}", [quoted(number), most, *values, *globs, cap])
        return [Row._make(row) for row in rows]

    def known_paths(self, prefixes: Sequence[str]) -> list[list[str]]:
        below = "f.file_path >= p.value AND f.file_path < p.value || char(1114111)"
        source = f"FROM json_each(?) AS p CROSS JOIN memory_files AS f ON {below}"
        statement = f"SELECT DISTINCT p.key, f.file_path {source} ORDER BY 1, 2"
        found: list[list[str]] = [[] for _ in prefixes]
        for line in self._rows(statement, (json.dumps(list(prefixes)),)):
            place: int = line[0]
            found[place].append(line[1])
        return found

    def paths_within(self, parts: Sequence[str], cap: int) -> list[list[str]]:
        # By the words of paths: where nobody knows them, as is usual, no path is looked at.
        words = [" AND ".join(map(quoted, dict.fromkeys(terms(part)))) or quoted("") for part in parts]
        newest = "SELECT rowid FROM memory_text WHERE memory_text MATCH q.value ORDER BY rowid DESC LIMIT ?"
        source = (
            "FROM json_each(?) AS q "
            f"CROSS JOIN json_each((SELECT json_group_array(rowid) FROM ({newest}))) AS held "
            "CROSS JOIN memories AS m ON m.seq = held.value "
            "CROSS JOIN memory_files AS f ON f.memory_id = m.id"
        )
        within = "instr('/' || f.file_path || '/', json_extract(?, '$[' || q.key || ']'))"
        statement = f"SELECT DISTINCT q.key, f.file_path {source} WHERE {within} ORDER BY 1, 2"
        queries = json.dumps([f"paths : ({match})" for match in words])
        found: list[list[str]] = [[] for _ in parts]
        for line in self._rows(statement, (queries, cap, json.dumps([f"/{part}/" for part in parts]))):
            place: int = line[0]
            found[place].append(line[1])
        return found

    def tag_counts(self, most: int) -> list[tuple[str, int]]:
        statement = "SELECT tag, count(*) FROM memory_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?"
        return self._rows(statement, (most,))

    def busiest(self, most: int) -> list[str]:
        statement = "SELECT agent_id FROM memories GROUP BY agent_id ORDER BY count(*) DESC, agent_id LIMIT ?"
        return [agent for (agent,) in self._rows(statement, (most,))]


def _by_paths(filters: Filters, where: str) -> str:
    """The statement of `Lookup.by_paths`."""
    # The index has the memories of one file in order of time, so that the newest are found at once.
    one_file = (
        "memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id "
        f"WHERE f.file_path = json_extract(g.value, '$.files[0]') AND {where}"
    )
    newest = "ORDER BY f.created_at DESC, f.memory_id DESC LIMIT ?"
    of_one = f"SELECT m.seq, f.file_path, f.operation FROM {one_file} {newest}"
    # CROSS JOIN keeps the order: from the files to their memories, never the other way round.
    tied = f"({_TIED}) AS f CROSS JOIN memories AS m ON m.id = f.memory_id WHERE {where}"
    # Beside min(), SQLite takes the other columns from the same row.
    of_many = (
        f"SELECT m.seq, min(f.file_path) AS file_path, f.operation FROM {tied} "
        "GROUP BY m.seq ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
    )
    listed = "SELECT json_group_array(json_array(seq, file_path, operation)) FROM"
    counted = f"SELECT count(*) FROM {one_file}"
    if not filters.any() and not filters.superseded:  # no memory needs to be looked at
        superseded = "memories INDEXED BY memories_superseded WHERE id = memory_id AND superseded = 1"
        counted = (
            "SELECT count(*) FROM memory_files WHERE file_path = json_extract(g.value, '$.files[0]') "
            f"AND NOT EXISTS (SELECT 1 FROM {superseded})"
        )
    alone = f"json_array_length(g.value, '$.files') = 1 AND NOT {_ANY_BELOW}"
    former = (
        "SELECT m.seq FROM memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id "
        f"WHERE f.file_path = named.path AND f.created_at <= named.until AND {where} {newest}"
    )
    return f"""
WITH RECURSIVE {_EARLIER.strip()}, found AS MATERIALIZED (
  SELECT g.key AS place, g.value, {alone} AS alone,
    CASE WHEN {alone} THEN ({listed} ({of_one})) ELSE ({listed} ({of_many})) END AS tied
  FROM json_each(?) AS g
)
SELECT 0, g.place, 0, one.key, {COLUMNS},
  json_extract(one.value, '$[1]'), json_extract(one.value, '$[2]'), CASE
  WHEN json_array_length(g.tied) < ? THEN json_array_length(g.tied)
  WHEN one.key > 0 THEN 0
  WHEN g.alone THEN ({counted})
  ELSE (SELECT count(DISTINCT m.seq) FROM {tied}) END
FROM found AS g CROSS JOIN json_each(g.tied) AS one
CROSS JOIN memories AS m ON m.seq = json_extract(one.value, '$[0]')
UNION ALL
SELECT 1, named.place, named.rank, one.key, {COLUMNS}, f.file_path, f.operation, 0
FROM named CROSS JOIN json_each((SELECT json_group_array(seq) FROM ({former}))) AS one
CROSS JOIN memories AS m ON m.seq = one.value
CROSS JOIN memory_files AS f ON f.memory_id = m.id AND f.file_path = named.path
WHERE named.rank <= ?
ORDER BY 1, 2, 3, 4
"""
