"""Write terms, filters and file names for SQLite. Imports little, as hooks use it too."""

from __future__ import annotations

import json
import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.store.filters import Filters

NO_MATCH = '""'
_UNESCAPED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/")
_PART = re.compile(r"(?:[A-Za-z0-9]|[^\x00-\x7f])+")


_HOLDERS = (
    "SELECT rowid FROM memory_text WHERE memory_text MATCH ? "
    "UNION ALL SELECT rowid FROM archived_text WHERE archived_text MATCH ?"
)


def conditions(filters: Filters, *, each: bool = False) -> tuple[str, list[object]]:
    """The SQL condition for the filters, on `memories AS m`, and its parameters.

    `each` is faster if only a few memories are checked: it does not list all memories with a tag.
    """
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
        placeholders = ", ".join("?" * len(tags))
        every = f"GROUP BY memory_id HAVING count(*) = {len(tags)}" if len(tags) > 1 else ""
        has_tags = f"m.id IN (SELECT memory_id FROM memory_tags WHERE tag IN ({placeholders}) {every})"
        own_tags = (
            f"SELECT count(*) FROM memory_tags AS t WHERE t.memory_id = m.id AND t.tag IN ({placeholders})"
        )
        parts.append(f"({own_tags}) = {len(tags)}" if each else has_tags)
        values += tags
    if filters.symbol:
        parts.append(f"m.seq IN ({_HOLDERS})")
        values += [" AND ".join(map(write, filters.symbol)) for write in (quoted, quoted_parts)]
    if not filters.superseded:
        parts.append("m.superseded = 0")
    return " AND ".join(parts) or "1", values


def quoted(term: str) -> str:
    """A term as an FTS5 string, with quotes escaped."""
    # For FTS5 a NUL ends the query; no word contains one.
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def quoted_parts(term: str) -> str:
    """The parts of a term joined by AND, for an index without positions."""
    return " AND ".join(map(quoted, _PART.findall(term))) or NO_MATCH


def distinct(values: Iterable[object]) -> str:
    """The distinct values as JSON for `json_each`."""
    return json.dumps(list(dict.fromkeys(values)))


def sqlite_uri(path: str, mode: str) -> str:
    """The URI of a file, to be opened in a mode such as `ro`."""
    # Not by `urllib`, which takes as long to load as SQLite.
    plain = "".join([chr(byte) if byte in _UNESCAPED else f"%{byte:02x}" for byte in os.fsencode(path)])
    return f"file:{plain}?mode={mode}"
