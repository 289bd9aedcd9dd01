"""Find memories by file, by words or by filters alone: plain SQL in, plain tuples out."""

from __future__ import annotations

import json

from rum.store.sqlite.fts_lookup import COLUMNS, WordLookup, conditions, distinct, quoted
from rum.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.store.filters import Filters

    Row = tuple[str, int, float, str, int]
    """(memory id, created_at, importance, session id, number in the order of storing)."""

    FileRow = tuple[str, int, float, str, int, str, str]
    """A row, the path and the operation."""

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
"""How an issue or pull request is named in a text, in lower case."""

_TELLING = 7
"""So many characters of a commit's id are enough for the index; the rest is compared with what it finds."""

LAST = "\U0010ffff"
"""Sorts after every character, so that a prefix and what begins with it lie between two bounds."""

_TIED = """
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(?) AS p CROSS JOIN memory_files AS f ON f.file_path = p.value
UNION ALL
SELECT f.memory_id, f.file_path, f.operation
FROM json_each(?) AS p CROSS JOIN memory_files AS f
  ON f.file_path >= p.value AND f.file_path < p.value || char(1114111)
"""


_NAMES, _FOLLOWED = 8, 64
"""So many earlier names of a file are asked for, as many renames back; so many renames are looked at."""

_EARLIER = """
WITH RECURSIVE earlier(path, until, steps) AS (
  SELECT before, renamed_at, 1 FROM renames WHERE path = ?
  UNION
  SELECT r.before, r.renamed_at, e.steps + 1
  FROM earlier AS e CROSS JOIN renames AS r ON r.path = e.path AND r.renamed_at <= e.until
  WHERE e.steps < ?
  LIMIT ?
)
SELECT path, max(until) FROM earlier WHERE path <> ? GROUP BY path ORDER BY max(until) DESC, path LIMIT ?
"""


class Lookup(WordLookup):
    """The finders of one database; each reads, none waits for a writer."""

    def by_filters(self, filters: Filters, cap: int) -> tuple[list[Row], int]:
        """The newest memories that pass, and how many there are."""
        where, values = conditions(filters)
        source = f"FROM memories AS m WHERE {where}"
        rows = self._rows(
            f"SELECT {COLUMNS} {source} ORDER BY m.created_at DESC, m.id DESC LIMIT ?", [*values, cap]
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
        columns, each = f"{COLUMNS}, min(f.file_path), f.operation", "GROUP BY m.seq"
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
            f"{COLUMNS}, f.file_path, f.operation",
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

    def formerly(self, path: str, filters: Filters, cap: int) -> list[FileRow]:
        """The newest memories tied to a file under names that it had before, each once.

        What was done to a file of such a name later is no concern of it.
        """
        where, values = conditions(filters)
        tied = "FROM memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id"
        of_name = f"{tied} WHERE f.file_path = ? AND f.created_at <= ? AND {where}"
        order = "ORDER BY f.created_at DESC, f.memory_id DESC LIMIT ?"
        statement = f"SELECT {COLUMNS}, f.file_path, f.operation {of_name} {order}"
        found: dict[str, FileRow] = {}
        for name, until in self._rows(_EARLIER, (path, _NAMES, _FOLLOWED, path, _NAMES)):
            for row in self._rows(statement, [name, until, *values, cap]):
                found.setdefault(row[0], row)
        return sorted(found.values(), key=lambda row: (row[1], row[0]), reverse=True)[:cap]

    def by_goal(self, goal: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories with exactly this goal, in whatever case."""
        where, values = conditions(filters)
        index = "INDEXED BY memories_goal"
        source = f"FROM memories AS m {index} WHERE m.intent_goal = ? COLLATE NOCASE AND {where}"
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        return self._rows(f"SELECT {COLUMNS} {source} {order}", [goal, *values, cap])

    def by_commit(self, start: str, filters: Filters, cap: int) -> list[Row]:
        """The newest memories made of a commit whose id begins so; at least 7 characters tell it apart."""
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
            found += self._rows(statement, told)
        return sorted(found, key=lambda row: (row[1], row[0]), reverse=True)[:cap]

    def naming(self, number: str, filters: Filters, cap: int, most: int) -> list[Row]:
        """The newest memories that name an issue of a number, of the last so many that hold the number."""
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
        return self._rows(f"{once} SELECT {COLUMNS} {found}", [quoted(number), most, *values, *globs, cap])

    def known_paths(self, prefix: str) -> list[str]:
        """Every file any memory is tied to whose path begins with the prefix."""
        statement = "SELECT DISTINCT file_path FROM memory_files WHERE file_path >= ? AND file_path < ?"
        return [path for (path,) in self._rows(statement, (prefix, prefix + LAST))]

    def paths_within(self, part: str, cap: int) -> list[str]:
        """The files with these folders and names in their path, of the last so many memories with such."""
        # By the words of paths: where nobody knows them, as is usual, no path is looked at.
        match = " AND ".join(map(quoted, dict.fromkeys(terms(part)))) or quoted("")
        newest = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        source = (
            f"FROM ({newest}) AS held CROSS JOIN memories AS m ON m.seq = held.rowid "
            "CROSS JOIN memory_files AS f ON f.memory_id = m.id"
        )
        statement = (
            f"SELECT DISTINCT f.file_path {source} WHERE instr('/' || f.file_path || '/', ?) ORDER BY 1"
        )
        return [path for (path,) in self._rows(statement, (f"paths : ({match})", cap, f"/{part}/"))]

    def at(self, numbers: Iterable[int], filters: Filters) -> list[Row]:
        """The memories with these numbers that pass."""
        where, values = conditions(filters, each=True)
        source = "FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.seq = wanted.value"
        return self._rows(f"SELECT {COLUMNS} {source} WHERE {where}", [distinct(numbers), *values])

    def by_ids(self, ids: Iterable[str], filters: Filters) -> list[Row]:
        """The memories with these ids that pass."""
        where, values = conditions(filters, each=True)
        source = "FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.id = wanted.value"
        return self._rows(f"SELECT {COLUMNS} {source} WHERE {where}", [distinct(ids), *values])

    def in_sessions(self, sessions: Iterable[str], most: int) -> list[list[int]]:
        """The numbers of the memories of each session that has no more than so many, in order of time."""
        # A session that is too long is left after its first memories: it may have any number.
        first = "SELECT seq FROM memories WHERE session_id = asked.value ORDER BY created_at, seq LIMIT ?"
        statement = f"SELECT (SELECT json_group_array(seq) FROM ({first})) FROM json_each(?) AS asked"
        listed = ",".join(numbers for (numbers,) in self._rows(statement, (most + 1, distinct(sessions))))
        found: list[list[int]] = json.loads(f"[{listed}]")
        return [numbers for numbers in found if 0 < len(numbers) <= most]

    def superseded(self) -> list[int]:
        """The numbers of the memories that others supersede."""
        return self._numbers(
            "SELECT seq FROM memories INDEXED BY memories_superseded WHERE superseded = 1", ()
        )

    def session_size(self, session: str, cap: int) -> int:
        """How many memories a session has; counting stops at `cap`."""
        counted = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE session_id = ? LIMIT ?)"
        return self._rows(counted, (session, cap))[0][0]

    def moments(self, newest: int, spread: int) -> list[tuple[int, int]]:
        """(created_at, number) of the newest memories and of some spread evenly over all, newest first."""
        order = "ORDER BY created_at DESC, id DESC LIMIT ?"
        last = self._rows(f"SELECT created_at, seq FROM memories {order}", (newest,))
        size = self.size()
        some = json.dumps(list(range(1, size + 1, max(1, size // spread))))
        source = "FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.seq = wanted.value"
        spaced = self._rows(f"SELECT m.created_at, m.seq {source}", (some,)) if len(last) == newest else []
        return sorted({*last, *spaced}, reverse=True)

    def breadths(self, ids: Iterable[str]) -> dict[str, int]:
        """How many files each memory is tied to, for those that are tied to any."""
        source = "FROM json_each(?) AS wanted CROSS JOIN memory_files AS f ON f.memory_id = wanted.value"
        return dict(self._rows(f"SELECT f.memory_id, count(*) {source} GROUP BY 1", (distinct(ids),)))

    def size(self) -> int:
        """About how many memories there are, without counting them."""
        return self._rows("SELECT max(seq) FROM memories", ())[0][0] or 0

    def common_tags(self, most: int) -> list[str]:
        """The tags used most."""
        return [tag for tag, _ in self.tag_counts(most)]

    def tag_counts(self, most: int) -> list[tuple[str, int]]:
        """The tags used most, and how many memories have each."""
        statement = "SELECT tag, count(*) FROM memory_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?"
        return self._rows(statement, (most,))

    def busiest(self, most: int) -> list[str]:
        """The ids of the agents with most memories."""
        statement = "SELECT agent_id FROM memories GROUP BY agent_id ORDER BY count(*) DESC, agent_id LIMIT ?"
        return [agent for (agent,) in self._rows(statement, (most,))]
