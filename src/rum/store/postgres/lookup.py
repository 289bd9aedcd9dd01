"""Find memories by filters, files, commits or issues, with SQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rum.store.postgres.statements import with_values
from rum.store.search import FileRow, Row, TiedRows
from rum.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rum.store.filters import Filters
    from rum.store.postgres.connect import Database
    from rum.store.postgres.values import PostgresRow

COLUMNS = "m.id, m.created_at, m.importance, m.session_id, m.seq"
PATHS = 256  # The bit of the field of paths in `memory_terms.fields`

# How a text may mention an issue or pull request, in lower case.
_ISSUE_MENTIONS = r"(#|!|gh-|/issues/|/pull/|/merge_requests/|issue |bug |pr )"
_LAST = "\U0010ffff"  # Comes after every other character

# Maximum number of earlier names per file (also of renames back), and of renames examined per file.
_MAX_EARLIER_NAMES, _MAX_RENAMES = 8, 64

_EARLIER_NAMES = f"""
WITH RECURSIVE earlier(position, origin, path, until, steps) AS (
  SELECT g.position, g.path COLLATE "C", r.before, r.renamed_at, 1
  FROM unnest(:renamed::text[]) WITH ORDINALITY AS g(path, position)
  JOIN renames AS r ON r.project = :project AND r.path = g.path
  UNION
  SELECT e.position, e.origin, r.before, r.renamed_at, e.steps + 1
  FROM earlier AS e JOIN renames AS r ON r.project = :project AND r.path = e.path AND r.renamed_at <= e.until
  WHERE e.steps < {_MAX_EARLIER_NAMES}
), first AS (
  SELECT * FROM earlier LIMIT :max_renames
), named AS (
  SELECT position, path, max(until) AS until,
    row_number() OVER (PARTITION BY position ORDER BY max(until) DESC, path) AS rank
  FROM first WHERE path <> origin GROUP BY position, path
)
"""


def conditions(filters: Filters, *, each: bool = False) -> tuple[str, dict[str, Any]]:
    """The SQL condition for the filters, on `memories AS m`, and its values.

    `each` is faster if only a few memories are checked: it does not list all memories with a tag.
    """
    parts: list[str] = []
    values: dict[str, Any] = {}
    for condition, name, value in (
        ("m.intent_type = :f_type", "f_type", filters.task_type),
        ("m.agent_id = :f_agent", "f_agent", filters.agent_id),
        ("m.session_id = :f_session", "f_session", filters.session_id),
        ("m.outcome_success = :f_success", "f_success", filters.success),
        ("m.created_at >= :f_since", "f_since", filters.since),
        ("m.created_at < :f_before", "f_before", filters.before),
    ):
        if value is not None:
            parts.append(condition)
            values[name] = value
    if tags := list(dict.fromkeys(filters.tags)):
        having = "GROUP BY memory_id HAVING count(*) = :f_tag_count"
        tagged = "memory_tags WHERE project = :project AND tag = ANY(:f_tags::text[])"
        own_tags = (
            "SELECT count(*) FROM memory_tags AS t "
            "WHERE t.project = :project AND t.memory_id = m.id AND t.tag = ANY(:f_tags::text[])"
        )
        parts.append(
            f"({own_tags}) = :f_tag_count" if each else f"m.id IN (SELECT memory_id FROM {tagged} {having})"
        )
        values |= {"f_tags": tags, "f_tag_count": len(tags)}
    if terms := list(dict.fromkeys(filters.symbol)):
        holders = " UNION ALL ".join(
            f"SELECT seq FROM {index} WHERE project = :project AND term = ANY(:f_symbol::text[]) "
            "GROUP BY seq HAVING count(DISTINCT term) = :f_symbol_count"
            for index in ("memory_terms", "archived_terms")
        )
        parts.append(f"m.seq IN ({holders})")
        values |= {"f_symbol": terms, "f_symbol_count": len(terms)}
    if not filters.superseded:
        parts.append("m.superseded = 0")
    return " AND ".join(["m.project = :project", *parts]), values


class Lookup:
    """Finds memories in one project; only reads, and never waits for a writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: dict[str, Any]) -> list[PostgresRow]:
        return self._database.fetch(with_values(statement), values)

    def by_filters(
        self, filters: Filters, cap: int, sort: str = "recent", uses: Sequence[tuple[str, int]] = ()
    ) -> tuple[list[Row], int]:
        where, values = conditions(filters)
        first, used = {"importance": "m.importance DESC,"}.get(sort, ""), ""
        if sort == "access_count":
            first = "u.times DESC NULLS LAST,"
            used = "LEFT JOIN unnest(:used::text[], :times::bigint[]) AS u(id, times) ON u.id = m.id"
        given = {**values, "used": [one for one, _ in uses], "times": [times for _, times in uses]}
        order = f"ORDER BY {first} m.created_at DESC, m.id DESC LIMIT :cap"
        rows = self._rows(
            f"SELECT {COLUMNS} FROM memories AS m {used} WHERE {where} {order}",
            {**given, "cap": cap},
        )
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
        asked = [(place, path) for place, group in enumerate(groups) for path in group]
        # Of each group: the newest of its memories, each with the first of its files, and how many there are.
        statement = f"""
WITH asked AS (SELECT * FROM unnest(:places::bigint[], :paths::text[]) AS a(place, path)), tied AS (
  SELECT a.place, f.memory_id, f.file_path, f.operation FROM asked AS a
  JOIN memory_files AS f ON f.project = :project AND f.file_path = a.path
  UNION ALL
  SELECT a.place, f.memory_id, f.file_path, f.operation FROM asked AS a
  JOIN memory_files AS f
    ON f.project = :project AND f.file_path > a.path AND f.file_path < a.path || '{_LAST}'
  WHERE right(a.path, 1) = '/'
), found AS (
  SELECT DISTINCT ON (t.place, m.seq) t.place, {COLUMNS}, t.file_path, t.operation
  FROM tied AS t JOIN memories AS m ON m.id = t.memory_id WHERE {where}
  ORDER BY t.place, m.seq, t.file_path COLLATE "C"
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY place ORDER BY created_at DESC, id DESC) AS rank,
    count(*) OVER (PARTITION BY place) AS total FROM found
)
SELECT place, total, id, created_at, importance, session_id, seq, file_path, operation
FROM ranked WHERE rank <= :cap ORDER BY place, rank
"""
        places, paths = [place for place, _ in asked], [path for _, path in asked]
        found = TiedRows([([], 0) for _ in groups], [[] for _ in renamed_files])
        for row in (
            self._rows(statement, {**values, "places": places, "paths": paths, "cap": cap}) if asked else ()
        ):
            place: int = row[0]
            found.groups[place][0].append(FileRow._make(row[2:]))
            found.groups[place] = found.groups[place][0], row[1]
        if renamed_files:
            self._add_former(found, where, values, renamed_files, cap)
        return found

    def _add_former(
        self, found: TiedRows, where: str, values: dict[str, Any], files: Sequence[str], cap: int
    ) -> None:
        """Add the memories under earlier names of files."""
        statement = f"""
{_EARLIER_NAMES}
SELECT n.position - 1, one.* FROM named AS n CROSS JOIN LATERAL (
  SELECT {COLUMNS}, f.file_path, f.operation
  FROM memory_files AS f JOIN memories AS m ON m.project = :project AND m.id = f.memory_id
  WHERE f.project = :project AND f.file_path = n.path AND f.created_at <= n.until AND {where}
  ORDER BY f.created_at DESC, f.memory_id DESC LIMIT :cap
) AS one WHERE n.rank <= {_MAX_EARLIER_NAMES} ORDER BY n.position, n.rank, one.created_at DESC, one.id DESC
"""
        by_id: list[dict[str, FileRow]] = [{} for _ in files]
        given = {**values, "renamed": list(files), "max_renames": _MAX_RENAMES * len(files), "cap": cap}
        for row in self._rows(statement, given):
            one = FileRow._make(row[1:])
            position: int = row[0]
            by_id[position].setdefault(one.id, one)
        for position, rows_by_id in enumerate(by_id):
            newest = sorted(rows_by_id.values(), key=lambda row: (row.created_at, row.id), reverse=True)
            found.former[position] = newest[:cap]

    def by_commit(self, commit_prefix: str, filters: Filters, cap: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        # Other memories mention the commit or were stored at it; only its own summary starts with its id.
        own = "m.git_commit >= :prefix AND m.git_commit < :after AND starts_with(m.outcome_summary, :short)"
        rows = self._rows(
            f"SELECT {COLUMNS} FROM memories AS m WHERE {where} AND {own} "
            "ORDER BY m.created_at DESC, m.id DESC LIMIT :cap",
            {
                **values,
                "prefix": commit_prefix,
                "after": commit_prefix + _LAST,
                "short": commit_prefix[:7],
                "cap": cap,
            },
        )
        return [Row._make(row) for row in rows]

    def by_issue(self, number: str, filters: Filters, cap: int, max_candidates: int) -> list[Row]:
        where, values = conditions(filters, each=True)
        # The columns are JSON, so at least a quote or bracket follows a number at the end of a text.
        full_text = "lower(m.intent || m.outcome || m.reasoning || m.perception || m.actions)"
        rows = self._rows(
            f"""
WITH hit AS MATERIALIZED (
  SELECT seq FROM memory_terms WHERE project = :project AND term = :number ORDER BY seq DESC LIMIT :candidates
)
SELECT {COLUMNS} FROM hit JOIN memories AS m ON m.seq = hit.seq
WHERE {where} AND {full_text} ~ :mention ORDER BY m.created_at DESC, m.id DESC LIMIT :cap
""",
            {
                **values,
                "number": number,
                "candidates": max_candidates,
                "mention": f"{_ISSUE_MENTIONS}{re.escape(number)}[^0-9a-z_]",
                "cap": cap,
            },
        )
        return [Row._make(row) for row in rows]

    def known_paths(self, prefixes: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in prefixes]
        statement = f"""
SELECT DISTINCT p.place - 1, f.file_path FROM unnest(:prefixes::text[]) WITH ORDINALITY AS p(prefix, place)
JOIN memory_files AS f
  ON f.project = :project AND f.file_path >= p.prefix AND f.file_path < p.prefix || '{_LAST}'
ORDER BY 1, 2
"""
        for row in self._rows(statement, {"prefixes": list(prefixes)}):
            place: int = row[0]
            found[place].append(row[1])
        return found

    def paths_within(self, parts: Sequence[str], cap: int) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in parts]
        # The words of the paths first: usually no memory has all of them, and no path is compared.
        for place, part in enumerate(parts):
            words = list(dict.fromkeys(terms(part)))
            if words:
                among = with_all(words, PATHS)
                rows = self._rows(
                    f"""
SELECT DISTINCT f.file_path FROM (SELECT seq FROM ({among[0]}) AS hit ORDER BY seq DESC LIMIT :cap) AS hit
JOIN memories AS m ON m.project = :project AND m.seq = hit.seq
JOIN memory_files AS f ON f.project = :project AND f.memory_id = m.id
WHERE strpos('/' || f.file_path || '/', :part) > 0 ORDER BY 1
""",
                    {**among[1], "cap": cap, "part": f"/{part}/"},
                )
                found[place] = [row[0] for row in rows]
        return found

    def tag_counts(self, limit: int) -> list[tuple[str, int]]:
        statement = (
            "SELECT tag, count(*) FROM memory_tags WHERE project = :project "
            "GROUP BY tag ORDER BY count(*) DESC, tag LIMIT :limit"
        )
        return [(row[0], row[1]) for row in self._rows(statement, {"limit": limit})]


def with_all(words: Sequence[str], field: int = 0, index: str = "memory_terms") -> tuple[str, dict[str, Any]]:
    """A query for the keys of the memories with all of some terms, the first of which is looked up first."""
    bit = f"AND h.fields & {field} <> 0" if field else ""
    others = " ".join(
        f"AND EXISTS (SELECT 1 FROM {index} AS h WHERE h.project = :project AND h.term = :term{place} "
        f"AND h.seq = first.seq {bit})"
        for place in range(1, len(words))
    )
    own = bit.replace("h.fields", "first.fields")
    source = f"{index} AS first WHERE first.project = :project AND first.term = :term0"
    return f"SELECT first.seq FROM {source} {own} {others}", {
        f"term{place}": word for place, word in enumerate(words)
    }
