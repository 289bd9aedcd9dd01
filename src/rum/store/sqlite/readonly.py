"""The read-only queries of hooks and offers on a project's databases; they never wait for a lock.

If a file is missing, busy, damaged, or of another schema, the result is empty.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from rum.store.sqlite.sql_text import quoted, quoted_parts, sqlite_uri

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from rum.store.sqlite.recall_store import RecallStore
    from rum.store.tables.rows import DamagedRows


class AttemptRow:
    """One attempt, how it is recognised (`size`, `marks`), and its result."""

    # Not a named tuple: making one takes longer than reading the rows.
    def __init__(
        self,
        memory_id: str,
        at: int,
        worked: int,
        size: int,
        marks: bytes,
        tried: str,
        why: str,
        instead: str,
        session_id: str,
    ) -> None:
        self.memory_id = memory_id
        self.at = at
        self.worked = worked
        self.size = size
        self.marks = marks
        self.tried = tried
        self.why = why
        self.instead = instead
        self.session_id = session_id


class MemoryRow:
    """The fields of a memory that offers use; reasoning and outcome are empty if it is damaged."""

    def __init__(
        self,
        id: str,
        created_at: int,
        goal: str,
        success: int,
        is_partial: int,
        is_settled: int,
        commit: str | None,
        imported_at: int | None,
        reverted_by: str | None,
        reasoning: dict[str, Any],
        outcome: dict[str, Any],
    ) -> None:
        self.id = id
        self.created_at = created_at
        self.goal = goal
        self.success = success
        self.is_partial = is_partial
        self.is_settled = is_settled
        """Whether nothing of it is left to do: it led to later work that succeeded, or was rejected."""
        self.commit = commit
        self.imported_at = imported_at
        self.reverted_by = reverted_by
        """What reverted the work: a short commit id, or a memory's id."""
        self.reasoning = reasoning
        self.outcome = outcome


class GuidanceRow:
    """What a user said that they want, when, and where it holds."""

    def __init__(self, id: str, at: int, condition: str, text: str) -> None:
        self.id = id
        self.at = at
        self.condition = condition
        self.text = text


_MAX_EVENTS = 200  # Maximum number of captured events read per session, newest first

# A file's earlier names count as its own.
_ATTEMPTS = """
WITH RECURSIVE names (name) AS (
  SELECT ? UNION SELECT r.before FROM names CROSS JOIN renames AS r ON r.path = names.name
)
SELECT m.id, a.at, a.worked, a.size, a.marks, a.tried, a.why, a.instead, m.session_id
FROM names CROSS JOIN attempts AS a ON a.key = names.name CROSS JOIN memories AS m ON m.seq = a.memory
WHERE m.superseded = 0 ORDER BY a.at DESC, a.memory DESC, a.number DESC LIMIT ?
"""
_MEMORY = """
SELECT m.id, m.created_at, m.intent_goal, m.outcome_success, m.tags LIKE '%"partial"%',
  m.tags LIKE '%"rejected"%' OR EXISTS (
    SELECT 1 FROM memory_links AS l CROSS JOIN memories AS later ON later.id = l.source_id
    WHERE l.target_id = m.id AND l.link_type = 'caused_by' AND later.outcome_success
      AND later.tags NOT LIKE '%"partial"%' AND later.created_at >= m.created_at
      AND later.reverted_by IS NULL),
  m.git_commit, m.imported_at, coalesce(substr(m.reverted_commit, 1, 10), m.reverted_by),
  m.reasoning, m.outcome, a.form, a.data, m.outcome_summary
"""
_NEWEST = f"""{_MEMORY}
FROM memories AS m LEFT JOIN archived AS a ON a.memory = m.seq
WHERE m.superseded = 0 ORDER BY m.created_at DESC, m.id DESC LIMIT ?
"""
_OF_FILE = f"""{_MEMORY}
FROM memory_files AS f CROSS JOIN memories AS m ON m.id = f.memory_id
LEFT JOIN archived AS a ON a.memory = m.seq
WHERE f.file_path = ? AND f.operation <> 'read' AND m.superseded = 0 AND m.session_id <> ?
ORDER BY f.created_at DESC, f.memory_id DESC LIMIT ?
"""
_USERS_WORDS = """
SELECT id, created_at, condition, action FROM rules WHERE source = 'user' AND superseded_by IS NULL
ORDER BY created_at DESC, seq DESC LIMIT ?
"""
_CHANGED_FILES = """
SELECT memory_id, file_path, content_hash FROM memory_files
WHERE memory_id IN (SELECT value FROM json_each(?)) AND operation <> 'read'
"""
_SOME = "SELECT count(*) FROM (SELECT 1 FROM memories LIMIT ?)"
_CREATED_AT = "SELECT created_at FROM memories WHERE id IN (SELECT value FROM json_each(?))"
_ANCHORS = """
SELECT m.id, a.data FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.id = wanted.value
CROSS JOIN anchors AS a ON a.memory = m.seq
"""
_RULE_ANCHORS = "SELECT name, data FROM text_anchors WHERE name IN (SELECT value FROM json_each(?))"
_LATER_NAMES = """
SELECT before, path FROM renames WHERE before IN (SELECT value FROM json_each(?))
ORDER BY renamed_at DESC, path
"""
_LAST_OF_SESSION = "SELECT id FROM memories WHERE session_id = ? ORDER BY created_at DESC, id DESC LIMIT 1"
_SESSION_EVENTS = """
SELECT data FROM seen WHERE client = ? AND session = ? AND kind IN (SELECT value FROM json_each(?))
ORDER BY at DESC LIMIT ?
"""
_MEMORIES_WITH_TERM = """
SELECT rowid FROM memory_text WHERE memory_text MATCH ?
UNION ALL SELECT rowid FROM archived_text WHERE archived_text MATCH ? LIMIT ?
"""


_COMMITS = (
    "SELECT git_commit FROM memories WHERE git_commit IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ?",
    "SELECT git_commit FROM memories WHERE git_commit IS NOT NULL ORDER BY created_at, id LIMIT ?",
    "SELECT origin_reference FROM memories WHERE origin_kind = 'commit' ORDER BY created_at DESC LIMIT ?",
)
_MAX_COMMITS = 130  # Maximum number of commits read of each kind: the newest, the oldest, the imported


def known_commits(folder: str) -> list[str]:
    """The commits at which work was remembered, or of which there are memories; the newest and the oldest."""
    database = ReadOnlyDatabase(folder, "rum")
    try:
        rows = (row for statement in _COMMITS for row in database.rows(statement, (_MAX_COMMITS,)))
        return list(dict.fromkeys(str(sha) for (sha,) in rows if sha))
    finally:
        database.close()


class ReadOnlyDatabase:
    """One database of a project, opened when it is first read."""

    def __init__(self, folder: str, name: str) -> None:
        self._path = os.path.join(folder, f"{name}.db")
        self._connection: sqlite3.Connection | None = None
        self._open_attempted = False
        self._damaged_rows: DamagedRows | None = None

    @property
    def damaged_rows(self) -> DamagedRows:
        """The rows that could not be read; loaded late, as hooks rarely need it."""
        if self._damaged_rows is None:
            damaged: DamagedRows = _rows_module().DamagedRows()
            self._damaged_rows = damaged
        return self._damaged_rows

    def close(self) -> None:
        if self._connection is not None:
            with suppress(_driver().Error):  # opened by another thread: closed when it is freed
                self._connection.close()

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        connection = self._open()
        if connection is None:
            return []
        try:
            return connection.execute(statement, values).fetchall()
        except _driver().Error:
            return []

    def _open(self) -> sqlite3.Connection | None:
        if not self._open_attempted:
            self._open_attempted = True
            if os.path.exists(self._path):
                self._connection = _connect(self._path)
        return self._connection

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection; FileNotFoundError if the file is missing or cannot be opened."""
        connection = self._open()
        if connection is None:
            raise FileNotFoundError(self._path)
        return connection


# By name, as a database server has its own text for each (`postgres/queries/offers.sql`).
_STATEMENTS = {
    "attempts": _ATTEMPTS,
    "newest": _NEWEST,
    "of_file": _OF_FILE,
    "users_words": _USERS_WORDS,
    "changed_files": _CHANGED_FILES,
    "some": _SOME,
    "created_at": _CREATED_AT,
    "anchors": _ANCHORS,
    "rule_anchors": _RULE_ANCHORS,
    "later_names": _LATER_NAMES,
    "last_of_session": _LAST_OF_SESSION,
}


class ReadOnlyStore:
    """Reads the memory of one project folder, for callers that must not wait.

    With `server`, a store that is not in files, it reads that instead.
    """

    def __init__(self, folder: str, server: Any = None) -> None:
        self._memories = ReadOnlyDatabase(folder, "rum")
        self._activity = ReadOnlyDatabase(folder, "activity")
        self._server = server

    def _rows(self, name: str, *values: object) -> list[tuple[Any, ...]]:
        if self._server is not None:
            return self._server.offer_rows(name, values)
        return self._memories.rows(_STATEMENTS[name], values)

    def close(self) -> None:
        self._memories.close()
        self._activity.close()

    def attempts(self, key: str, limit: int) -> list[AttemptRow]:
        """What was tried under a key (a path or its earlier names, or a kind of command), newest first."""
        return [AttemptRow(*row) for row in self._rows("attempts", key, limit)]

    def memories_of_file(self, path: str, excluded_session: str, limit: int) -> Iterator[MemoryRow]:
        """The memories that changed a file, newest first, without those of the session `excluded_session`."""
        return map(_memory, self._rows("of_file", path, excluded_session, limit))

    def newest_memories(self, limit: int) -> Iterator[MemoryRow]:
        """The newest memories, newest first, without superseded ones."""
        return map(_memory, self._rows("newest", limit))

    def changed_files(self, memory_ids: Iterable[str]) -> dict[str, dict[str, str | None]]:
        """The files that each of these memories changed, with git's hash of what they became."""
        files: dict[str, dict[str, str | None]] = {}
        for memory_id, path, known in self._rows("changed_files", json.dumps(list(memory_ids))):
            files.setdefault(memory_id, {})[path] = known
        return files

    def anchors(self, memory_ids: Iterable[str]) -> dict[str, bytes]:
        """The anchors of each of these memories and rules that has some."""
        ids = list(memory_ids)
        rules = [one for one in ids if one.startswith("rule_")]
        found = dict(self._rows("anchors", json.dumps(ids)))
        return found | dict(self._rows("rule_anchors", json.dumps(rules))) if rules else found

    def later_names(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """The names that files got later, the newest first."""
        found: dict[str, list[str]] = {}
        for before, path in self._rows("later_names", json.dumps(list(paths))):
            found.setdefault(before, []).append(path)
        return found

    def users_words(self, limit: int) -> list[GuidanceRow]:
        """What users said that they want and did not take back, newest first."""
        return [GuidanceRow(*row) for row in self._rows("users_words", limit)]

    def has_memories(self, count: int) -> bool:
        """Whether there are at least so many memories."""
        return any(found >= count for (found,) in self._rows("some", count))

    def created_at(self, memory_ids: Iterable[str]) -> list[int]:
        """The times of memories; other ids are left out."""
        return [at for (at,) in self._rows("created_at", json.dumps(list(memory_ids)))]

    def last_of_session(self, session: str) -> str | None:
        """The id of the newest memory of a session."""
        return next((memory_id for (memory_id,) in self._rows("last_of_session", session)), None)

    def session_events(self, client: str, session: str, kinds: Sequence[str]) -> list[str]:
        """The JSON of a session's captured events of some kinds, newest first."""
        values = (client, session, json.dumps(kinds), _MAX_EVENTS)
        if self._server is not None:
            return [data for (data,) in self._server.offer_rows("session_events", values)]
        return [data for (data,) in self._activity.rows(_SESSION_EVENTS, values)]

    def has_two_rare_terms(self, terms: Iterable[str], max_memories: int) -> bool:
        """Whether a memory, archived or not, has two rare terms: each in at most `max_memories` memories."""
        with_earlier_term: set[int] = set()
        for term in terms:
            holders = self._holders(term, max_memories + 1)
            if len(holders) <= max_memories:
                if holders & with_earlier_term:
                    return True
                with_earlier_term |= holders
        return False

    def _holders(self, term: str, limit: int) -> set[int]:
        if self._server is not None:
            return {seq for (seq,) in self._server.offer_rows("holders", (term, limit))}
        values = (quoted(term), quoted_parts(term), limit)
        return {seq for (seq,) in self._memories.rows(_MEMORIES_WITH_TERM, values)}

    def recall_store(self) -> RecallStore:
        """The part of a store that recall without vectors needs; slow to import."""
        if self._server is not None:
            return self._server
        from rum.store.sqlite.recall_store import RecallStore  # noqa: PLC0415

        return RecallStore(self._memories, self._activity)


def _memory(row: tuple[Any, ...]) -> MemoryRow:
    *head, reasoning, outcome, form, data, summary = row
    layers: list[dict[str, Any]]
    try:
        if data is not None:
            _, _, goal, *_ = head
            _, _, reasoning, _, outcome = _rows_module().unpacked(form, data, goal, summary)
        layers = [json.loads(reasoning), json.loads(outcome)]
    except ValueError:
        layers = [{}, {}]
    return MemoryRow(*head, *layers)


def _connect(path: str) -> sqlite3.Connection | None:
    driver = _driver()
    try:
        return driver.connect(sqlite_uri(path, "ro"), uri=True, timeout=0)
    except (driver.Error, ValueError):
        return None


def _rows_module() -> Any:
    """The reader of damaged and of archived rows, which hooks rarely need."""
    from rum.store.tables import rows  # noqa: PLC0415

    return rows


def _driver() -> Any:
    """The C module of `sqlite3`, which loads faster than the package; imported only when it is needed."""
    try:
        import _sqlite3 as driver  # noqa: PLC0415
    except ImportError:  # another Python than CPython
        import sqlite3 as driver  # noqa: PLC0415
    return driver
