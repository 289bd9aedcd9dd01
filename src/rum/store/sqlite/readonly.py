"""The read-only queries of hooks and offers on a project's databases; they never wait for a lock.

If a file is missing, busy, damaged, or of another schema, the result is empty.
"""

from __future__ import annotations

import json
import os
from collections import namedtuple
from contextlib import suppress

from rum.store.sqlite.sql_text import quoted, quoted_parts, sqlite_uri

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, NamedTuple

    from rum.store.sqlite.recall_store import RecallStore
    from rum.store.tables.rows import DamagedRows

    class AttemptRow(NamedTuple):
        """One attempt, how it is recognised (`size`, `marks`), and its result."""

        memory_id: str
        at: int
        worked: int
        size: int
        marks: bytes
        tried: str
        why: str
        instead: str
        session_id: str

    class MemoryRow(NamedTuple):
        """The fields of a memory that offers use; reasoning and outcome are empty if it is damaged."""

        id: str
        created_at: int
        goal: str
        success: int
        is_partial: int
        # Whether it led to later work that succeeded, or the user rejected it: nothing of it is left to do.
        is_settled: int
        commit: str | None
        imported_at: int | None
        # What reverted the work: a short commit id, or a memory's id.
        reverted_by: str | None
        reasoning: dict[str, Any]
        outcome: dict[str, Any]

    class GuidanceRow(NamedTuple):
        """What a user said that they want, when, and where it holds."""

        id: str
        at: int
        condition: str
        text: str

else:
    # `typing` is slow to load.
    GuidanceRow = namedtuple("GuidanceRow", ("id", "at", "condition", "text"))
    AttemptRow = namedtuple(
        "AttemptRow", ("memory_id", "at", "worked", "size", "marks", "tried", "why", "instead", "session_id")
    )
    MemoryRow = namedtuple(
        "MemoryRow",
        (
            "id",
            "created_at",
            "goal",
            "success",
            "is_partial",
            "is_settled",
            "commit",
            "imported_at",
            "reverted_by",
            "reasoning",
            "outcome",
        ),
    )

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


class ReadOnlyStore:
    """Reads the memory of one project folder, for callers that must not wait."""

    def __init__(self, folder: str) -> None:
        self._memories = ReadOnlyDatabase(folder, "rum")
        self._activity = ReadOnlyDatabase(folder, "activity")

    def close(self) -> None:
        self._memories.close()
        self._activity.close()

    def attempts(self, key: str, limit: int) -> list[AttemptRow]:
        """What was tried under a key (a path or its earlier names, or a kind of command), newest first."""
        return [AttemptRow._make(row) for row in self._memories.rows(_ATTEMPTS, (key, limit))]

    def memories_of_file(self, path: str, excluded_session: str, limit: int) -> Iterator[MemoryRow]:
        """The memories that changed a file, newest first, without those of the session `excluded_session`."""
        return map(_memory, self._memories.rows(_OF_FILE, (path, excluded_session, limit)))

    def newest_memories(self, limit: int) -> Iterator[MemoryRow]:
        """The newest memories, newest first, without superseded ones."""
        return map(_memory, self._memories.rows(_NEWEST, (limit,)))

    def changed_files(self, memory_ids: Iterable[str]) -> dict[str, dict[str, str | None]]:
        """The files that each of these memories changed, with git's hash of what they became."""
        files: dict[str, dict[str, str | None]] = {}
        for memory_id, path, known in self._memories.rows(_CHANGED_FILES, (json.dumps(list(memory_ids)),)):
            files.setdefault(memory_id, {})[path] = known
        return files

    def anchors(self, memory_ids: Iterable[str]) -> dict[str, bytes]:
        """The anchors of each of these memories that has some."""
        return dict(self._memories.rows(_ANCHORS, (json.dumps(list(memory_ids)),)))

    def later_names(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """The names that files got later, the newest first."""
        found: dict[str, list[str]] = {}
        for before, path in self._memories.rows(_LATER_NAMES, (json.dumps(list(paths)),)):
            found.setdefault(before, []).append(path)
        return found

    def users_words(self, limit: int) -> list[GuidanceRow]:
        """What users said that they want and did not take back, newest first."""
        return [GuidanceRow._make(row) for row in self._memories.rows(_USERS_WORDS, (limit,))]

    def has_memories(self, count: int) -> bool:
        """Whether there are at least so many memories."""
        return any(found >= count for (found,) in self._memories.rows(_SOME, (count,)))

    def created_at(self, memory_ids: Iterable[str]) -> list[int]:
        """The times of memories; other ids are left out."""
        return [at for (at,) in self._memories.rows(_CREATED_AT, (json.dumps(list(memory_ids)),))]

    def last_of_session(self, session: str) -> str | None:
        """The id of the newest memory of a session."""
        return next((memory_id for (memory_id,) in self._memories.rows(_LAST_OF_SESSION, (session,))), None)

    def session_events(self, client: str, session: str, kinds: Sequence[str]) -> list[str]:
        """The JSON of a session's captured events of some kinds, newest first."""
        values = (client, session, json.dumps(kinds), _MAX_EVENTS)
        return [data for (data,) in self._activity.rows(_SESSION_EVENTS, values)]

    def has_two_rare_terms(self, terms: Iterable[str], max_memories: int) -> bool:
        """Whether a memory, archived or not, has two rare terms: each in at most `max_memories` memories."""
        with_earlier_term: set[int] = set()
        for term in terms:
            values = (quoted(term), quoted_parts(term), max_memories + 1)
            holders = {seq for (seq,) in self._memories.rows(_MEMORIES_WITH_TERM, values)}
            if len(holders) <= max_memories:
                if holders & with_earlier_term:
                    return True
                with_earlier_term |= holders
        return False

    def recall_store(self) -> RecallStore:
        """The part of a store that recall without vectors needs; slow to import."""
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
    return MemoryRow._make([*head, *layers])


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
