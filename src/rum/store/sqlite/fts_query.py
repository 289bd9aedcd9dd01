"""How terms and filters are written in a statement: light, as hooks ask the index too."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.store.filters import Filters

NOTHING = '""'
_PART = re.compile(r"(?:[A-Za-z0-9]|[^\x00-\x7f])+")


def conditions(filters: Filters, *, each: bool = False) -> tuple[str, list[object]]:
    """The SQL that keeps what the filters allow, on `memories AS m`, and its parameters.

    `each`: a few memories are looked at one by one, so that not all memories with a tag need to be listed.
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
        marks = ", ".join("?" * len(tags))
        every = f"GROUP BY memory_id HAVING count(*) = {len(tags)}" if len(tags) > 1 else ""
        listed = f"m.id IN (SELECT memory_id FROM memory_tags WHERE tag IN ({marks}) {every})"
        own = f"SELECT count(*) FROM memory_tags AS t WHERE t.memory_id = m.id AND t.tag IN ({marks})"
        parts.append(f"({own}) = {len(tags)}" if each else listed)
        values += tags
    if not filters.superseded:
        parts.append("m.superseded = 0")
    return " AND ".join(parts) or "1", values


def quoted(term: str) -> str:
    """A term as an FTS5 string, whatever it holds."""
    # FTS5 takes a NUL for the end of the question; it is no part of a word anyway.
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def apart(term: str) -> str:
    """The same for an index that does not know what stands next to what: all parts of it, wherever."""
    return " AND ".join(map(quoted, _PART.findall(term))) or NOTHING


def distinct(values: Iterable[object]) -> str:
    """The values as JSON for `json_each`, each once: what is asked for twice is found once."""
    return json.dumps(list(dict.fromkeys(values)))
