"""Find memories by filters, files, commits or issues, with SQL."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from rum.store.search import FileRow, Row, TiedRows
from rum.store.sqlite.rows import fetch_rows
from rum.store.sqlite.sql_text import conditions, quoted
from rum.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rum.store.filters import Filters
    from rum.store.sqlite.connect import Database

COLUMNS = "m.id, m.created_at, m.importance, m.session_id, m.seq"

# How a text may mention an issue or pull request, in lower case.
_ISSUE_MENTIONS = (
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

# Length of the commit id prefix that is looked up in the index; the full prefix is compared afterwards.
_INDEX_PREFIX_LENGTH = 7

# CROSS JOIN keeps the order: from the files to their memories, never the other way round.
_FILE_AND_MEMORY = "memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id"
# The index has the memories of one file in order of time, so that the newest are found at once.
_NEWEST_FIRST = "ORDER BY f.created_at DESC, f.memory_id DESC LIMIT ?"
_COUNT_BY_INDEX = """
SELECT count(*) FROM memory_files WHERE file_path = {path} AND NOT EXISTS (
  SELECT 1 FROM memories INDEXED BY memories_superseded WHERE id = memory_id AND superseded = 1
)
"""

# The memories of all files of a group `g`, and of all files below its folders.
_FILES_OF_GROUP = """
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(g.value, '$.files') AS p CROSS JOIN memory_files AS f ON f.file_path = p.value
UNION ALL
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(g.value, '$.folders') AS p CROSS JOIN memory_files AS f
  ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
"""

_HAS_FILES_IN_FOLDERS = """
EXISTS (
  SELECT 1 FROM json_each(g.value, '$.folders') AS p CROSS JOIN memory_files AS f
    ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
)
"""

# Maximum number of earlier names per file (also of renames back), and of renames examined per file.
_MAX_EARLIER_NAMES, _MAX_RENAMES = 8, 64

_EARLIER_NAMES = """
earlier(position, origin, path, until, steps) AS (
  SELECT g.key, g.value, r.before, r.renamed_at, 1
  FROM json_each(?) AS g CROSS JOIN renames AS r ON r.path = g.value
  UNION
  SELECT e.position, e.origin, r.before, r.renamed_at, e.steps + 1
  FROM earlier AS e CROSS JOIN renames AS r ON r.path = e.path AND r.renamed_at <= e.until
  WHERE e.steps < ?
  LIMIT ?
), named AS (
  SELECT position, path, max(until) AS until,
    row_number() OVER (PARTITION BY position ORDER BY max(until) DESC, path) AS rank
  FROM earlier WHERE path <> origin GROUP BY position, path
)
"""


class Lookup:
    """Finds memories in one database; only reads, and never waits for a writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object]) -> list[Any]:
        return fetch_rows(self._database.connection, statement, values)

    def by_filters(
        self, filters: Filters, cap: int, sort: str = "recent", uses: Sequence[tuple[str, int]] = ()
    ) -> tuple[list[Row], int]:
        where, values = conditions(filters)
        first, used, counts = {"importance": "m.importance DESC,"}.get(sort, ""), "", list[object]()
        if sort == "access_count":
            first = "u.times DESC NULLS LAST,"
            pair = "json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS times"
            used = f"LEFT JOIN (SELECT {pair} FROM json_each(?)) AS u ON u.id = m.id"
            counts = [json.dumps(uses)]
        order = f"ORDER BY {first} m.created_at DESC, m.id DESC LIMIT ?"
        statement = f"SELECT {COLUMNS} FROM memories AS m {used} WHERE {where} {order}"
        rows = self._rows(statement, [*counts, *values, cap])
        total = len(rows)
        if total == cap:
            total = self._rows(f"SELECT count(*) FROM memories AS m WHERE {where}", values)[0][0]
        return [Row._make(row) for row in rows], total

    def by_paths(
        self,
        groups: Sequence[Sequence[str]],
        filters: Filters,
        cap: int,
        *,
        renamed_files: Sequence[str] = (),
    ) -> TiedRows:
        where, values = conditions(filters)
        found = TiedRows([([], 0) for _ in groups], [[] for _ in renamed_files])
        former_by_id: list[dict[str, FileRow]] = [{} for _ in renamed_files]
        wanted = [
            {
                "files": [path for path in group if not path.endswith("/")],
                "folders": [path for path in group if path.endswith("/")],
            }
            for group in groups
        ]
        parameters: list[object] = []
        if renamed_files:
            max_renames = _MAX_RENAMES * len(renamed_files)
            parameters += [json.dumps(list(renamed_files)), _MAX_EARLIER_NAMES, max_renames]
        parameters += [*values, cap, *values, cap, json.dumps(wanted), cap, *values, *values]
        if renamed_files:
            parameters += [*values, cap, _MAX_EARLIER_NAMES]
        statement = _by_paths_statement(where, _is_plain(filters), bool(renamed_files))
        for record in self._rows(statement, parameters):
            position: int = record[1]
            row = FileRow._make(record[4:-1])
            if record[0]:
                former_by_id[position].setdefault(row.id, row)
            else:
                group_rows, total = found.groups[position]
                group_rows.append(row)
                found.groups[position] = group_rows, max(total, record[-1])
        for position, rows_by_id in enumerate(former_by_id):
            newest = sorted(rows_by_id.values(), key=lambda row: (row.created_at, row.id), reverse=True)
            found.former[position] = newest[:cap]
        return found

    def by_commit(self, commit_prefix: str, filters: Filters, cap: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        index_prefix = commit_prefix[:_INDEX_PREFIX_LENGTH]
        # Other memories mention the commit or were stored at it; only its own summary starts with its id.
        is_own_memory = "substr(m.git_commit, 1, ?) = ? AND m.outcome_summary LIKE ? || '%'"
        found: list[Row] = []
        quoted_prefix = quoted(index_prefix)
        for index, match in (
            ("memory_text", f"outcome : {quoted_prefix} *"),
            ("archived_text", f"{quoted_prefix} *"),
        ):
            source = f"FROM {index} CROSS JOIN memories AS m ON m.seq = {index}.rowid"
            order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
            statement = (
                f"SELECT {COLUMNS} {source} WHERE {index} MATCH ? AND {is_own_memory} AND {where} {order}"
            )
            parameters = [match, len(commit_prefix), commit_prefix, index_prefix, *values, cap]
            found += map(Row._make, self._rows(statement, parameters))
        return sorted(found, key=lambda row: (row.created_at, row.id), reverse=True)[:cap]

    def by_issue(self, number: str, filters: Filters, cap: int, max_candidates: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        candidates = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        # The columns are JSON, so at least a quote or bracket follows a number at the end of a text.
        full_text = "lower(m.intent || m.outcome || m.reasoning || m.perception || m.actions)"
        source = f"FROM ({candidates}) AS hit CROSS JOIN memories AS m ON m.seq = hit.rowid WHERE {where}"
        candidate_texts = (
            f"WITH candidate AS MATERIALIZED (SELECT m.seq AS number, {full_text} AS text {source})"
        )
        is_mentioned = " OR ".join(["candidate.text GLOB ?"] * len(_ISSUE_MENTIONS))
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        joined = "FROM candidate CROSS JOIN memories AS m ON m.seq = candidate.number"
        globs = [f"*{pattern.format(number)}[^0-9a-z_]*" for pattern in _ISSUE_MENTIONS]
        rows = self._rows(
            f"{candidate_texts} SELECT {COLUMNS} {joined} WHERE {is_mentioned} {order}",
            [quoted(number), max_candidates, *values, *globs, cap],
        )
        return [Row._make(row) for row in rows]

    def known_paths(self, prefixes: Sequence[str]) -> list[list[str]]:
        below = "f.file_path >= p.value AND f.file_path < p.value || char(1114111)"
        source = f"FROM json_each(?) AS p CROSS JOIN memory_files AS f ON {below}"
        statement = f"SELECT DISTINCT p.key, f.file_path {source} ORDER BY 1, 2"
        found: list[list[str]] = [[] for _ in prefixes]
        for record in self._rows(statement, (json.dumps(list(prefixes)),)):
            position: int = record[0]
            found[position].append(record[1])
        return found

    def paths_within(self, parts: Sequence[str], cap: int) -> list[list[str]]:
        # Search the index for the words of the paths first: usually there is no hit, and no path is compared.
        words = [" AND ".join(map(quoted, dict.fromkeys(terms(part)))) or quoted("") for part in parts]
        newest = "SELECT rowid FROM memory_text WHERE memory_text MATCH q.value ORDER BY rowid DESC LIMIT ?"
        source = (
            "FROM json_each(?) AS q "
            f"CROSS JOIN json_each((SELECT json_group_array(rowid) FROM ({newest}))) AS hit "
            "CROSS JOIN memories AS m ON m.seq = hit.value "
            "CROSS JOIN memory_files AS f ON f.memory_id = m.id"
        )
        within = "instr('/' || f.file_path || '/', json_extract(?, '$[' || q.key || ']'))"
        statement = f"SELECT DISTINCT q.key, f.file_path {source} WHERE {within} ORDER BY 1, 2"
        queries = json.dumps([f"paths : ({match})" for match in words])
        found: list[list[str]] = [[] for _ in parts]
        for record in self._rows(statement, (queries, cap, json.dumps([f"/{part}/" for part in parts]))):
            position: int = record[0]
            found[position].append(record[1])
        return found

    def tag_counts(self, limit: int) -> list[tuple[str, int]]:
        statement = "SELECT tag, count(*) FROM memory_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?"
        return self._rows(statement, (limit,))


def _is_plain(filters: Filters) -> bool:
    """Whether only superseded memories are left out, so that an index is enough for counting."""
    return not filters.any() and not filters.superseded


@lru_cache(maxsize=64)
def _by_paths_statement(where: str, is_plain: bool, with_renames: bool) -> str:
    """The statement of `Lookup.by_paths`."""
    first_file = "json_extract(g.value, '$.files[0]')"
    one_file = f"{_FILE_AND_MEMORY} WHERE f.file_path = {first_file} AND {where}"
    select_single_file = f"SELECT m.seq, f.file_path, f.operation FROM {one_file} {_NEWEST_FIRST}"
    files_of_group = f"({_FILES_OF_GROUP}) AS f CROSS JOIN memories AS m ON m.id = f.memory_id WHERE {where}"
    # In a query with min(), SQLite takes the other columns from the row with the minimum.
    select_files = (
        f"SELECT m.seq, min(f.file_path) AS file_path, f.operation FROM {files_of_group} "
        "GROUP BY m.seq ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
    )
    as_json_array = "SELECT json_group_array(json_array(seq, file_path, operation)) FROM"
    counted = _COUNT_BY_INDEX.format(path=first_file) if is_plain else f"SELECT count(*) FROM {one_file}"
    is_single_file = f"json_array_length(g.value, '$.files') = 1 AND NOT {_HAS_FILES_IN_FOLDERS}"
    of_groups = f"""
found AS MATERIALIZED (
  SELECT g.key AS position, g.value, {is_single_file} AS is_single_file,
    CASE WHEN {is_single_file}
      THEN ({as_json_array} ({select_single_file}))
      ELSE ({as_json_array} ({select_files})) END AS memory_list
  FROM json_each(?) AS g
)
SELECT 0, g.position, 0, item.key, {COLUMNS},
  json_extract(item.value, '$[1]'), json_extract(item.value, '$[2]'), CASE
  WHEN json_array_length(g.memory_list) < ? THEN json_array_length(g.memory_list)
  WHEN item.key > 0 THEN 0
  WHEN g.is_single_file THEN ({counted})
  ELSE (SELECT count(DISTINCT m.seq) FROM {files_of_group}) END
FROM found AS g CROSS JOIN json_each(g.memory_list) AS item
CROSS JOIN memories AS m ON m.seq = json_extract(item.value, '$[0]')
"""
    if not with_renames:
        return f"WITH {of_groups} ORDER BY 1, 2, 3, 4"
    former = (
        f"SELECT m.seq FROM {_FILE_AND_MEMORY} "
        f"WHERE f.file_path = named.path AND f.created_at <= named.until AND {where} {_NEWEST_FIRST}"
    )
    return f"""
WITH RECURSIVE {_EARLIER_NAMES.strip()}, {of_groups}
UNION ALL
SELECT 1, named.position, named.rank, item.key, {COLUMNS}, f.file_path, f.operation, 0
FROM named CROSS JOIN json_each((SELECT json_group_array(seq) FROM ({former}))) AS item
CROSS JOIN memories AS m ON m.seq = item.value
CROSS JOIN memory_files AS f ON f.memory_id = m.id AND f.file_path = named.path
WHERE named.rank <= ?
ORDER BY 1, 2, 3, 4
"""
