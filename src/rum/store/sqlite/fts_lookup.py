"""Find memories by their words: what the text index is asked, in plain SQL."""

from __future__ import annotations

import json
import re
from collections import Counter

from rum.text.terms import spelt
from rum.text.terms import terms as terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rum.store.filters import Filters
    from rum.store.sqlite.connect import Database

    Row = tuple[str, int, float, str, int]
    """(memory id, created_at, importance, session id, number in the order of storing)."""

FIELDS = ("goal", "intent", "outcome", "learnings", "reasoning", "perception", "actions", "tags", "paths")
COLUMNS = "m.id, m.created_at, m.importance, m.session_id, m.seq"

_NOTHING = '""'
_ESCAPED = re.compile(r"\\[bfnrt]")
_READ = 20_000
"""So many characters of a memory are read for how its words are spelt."""
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
    return " AND ".join(map(quoted, _PART.findall(term))) or _NOTHING


def distinct(values: Iterable[object]) -> str:
    """The values as JSON for `json_each`, each once: what is asked for twice is found once."""
    return json.dumps(list(dict.fromkeys(values)))


class WordLookup:
    """The finders that go by words; each reads, none waits for a writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Sequence[object]) -> list[Any]:
        return self._database.connection.execute(statement, values).fetchall()

    def _numbers(self, statement: str, values: Sequence[object]) -> list[int]:
        """The one column that a statement gives, in its order."""
        # As one text: fetched row by row, numbers take Python more than twice as long.
        return json.loads(self._rows(f"SELECT json_group_array(seq) FROM ({statement})", values)[0][0])

    def holders(self, term: str, cap: int) -> list[int]:
        """The numbers of the memories that hold a term, the one stored last first."""
        newest = "SELECT rowid AS seq FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        return self._numbers(newest, (quoted(term), cap))

    def newest_with(self, terms: Iterable[str], in_goal: bool, filters: Filters, cap: int) -> list[Row]:
        """The memories stored last of those with every term, anywhere or in the goal; quick, not ranked."""
        match = " AND ".join(map(quoted, terms)) or _NOTHING
        match = f"goal : ({match})" if in_goal else match
        where, values = conditions(filters, each=True)
        source = "FROM memory_text CROSS JOIN memories AS m ON m.seq = memory_text.rowid"
        order = "ORDER BY memory_text.rowid DESC LIMIT ?"
        statement = f"SELECT {COLUMNS} {source} WHERE memory_text MATCH ? AND {where} {order}"
        return self._rows(statement, [match, *values, cap])

    def sharing(self, terms: Iterable[str], rare: int, cap: int) -> list[str]:
        """The memories with most of the terms, of which only those count that at most `rare` of them hold."""
        holders = (
            "SELECT rowid FROM memory_text WHERE memory_text MATCH ? UNION ALL "
            "SELECT rowid FROM archived_text WHERE archived_text MATCH ? LIMIT ?"
        )
        shared: Counter[int] = Counter()
        for term in terms:
            rows = self._rows(holders, (quoted(term), apart(term), rare + 1))
            if len(rows) <= rare:
                shared.update(seq for (seq,) in rows)
        best = json.dumps([seq for seq, _ in shared.most_common(cap)])
        found = (
            "SELECT m.id FROM json_each(?) AS best JOIN memories AS m ON m.seq = best.value "
            "WHERE m.superseded = 0 ORDER BY best.key"
        )
        return [one for (one,) in self._rows(found, (best,))]

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The indexed terms of live memories, field by field."""
        # Read where FTS5 keeps them: through the virtual table it takes twice as long.
        columns = ", ".join(f"t.c{at}" for at in range(len(FIELDS)))
        statement = (
            f"SELECT m.id, {columns} FROM json_each(?) AS wanted "
            "JOIN memories AS m ON m.id = wanted.value JOIN memory_text_content AS t ON t.id = m.seq"
        )
        return {row[0]: row[1:] for row in self._rows(statement, (distinct(ids),))}

    def outlines(self, numbers: Iterable[int]) -> dict[int, tuple[str, str, int]]:
        """The indexed terms of goal and paths, and the length of all that is said, by the memory's number."""
        length = " + ".join(f"length(t.c{at})" for at in range(len(FIELDS) - 1))
        source = "FROM json_each(?) AS wanted CROSS JOIN memory_text_content AS t ON t.id = wanted.value"
        wanted = list(dict.fromkeys(numbers))
        rows = self._rows(
            f"SELECT t.id, t.c0, t.c{len(FIELDS) - 1}, {length} {source}", (json.dumps(wanted),)
        )
        found = {number: (goal, paths, size) for number, goal, paths, size in rows}
        if len(found) < len(wanted):
            found |= self._archived_outlines([number for number in wanted if number not in found])
        return found

    def _archived_outlines(self, numbers: list[int]) -> dict[int, tuple[str, str, int]]:
        """The same of archived memories, whose terms are not kept: made of what stands in plain rows."""
        source = (
            "FROM json_each(?) AS wanted CROSS JOIN archived AS a ON a.memory = wanted.value "
            "JOIN memories AS m ON m.seq = a.memory"
        )
        paths = "SELECT group_concat(f.file_path, char(10)) FROM memory_files AS f WHERE f.memory_id = m.id"
        rows = self._rows(
            f"SELECT a.memory, m.intent_goal, ({paths}), a.length {source}", (json.dumps(numbers),)
        )
        return {
            number: (" ".join(terms_of(goal)), " ".join(terms_of(paths or "")), size)
            for number, goal, paths, size in rows
        }

    def existing(self, terms: Iterable[str]) -> list[str]:
        """Which of the terms the index holds."""
        statement = (
            "SELECT t.term FROM json_each(?) AS wanted JOIN memory_terms AS t ON t.term = wanted.value"
        )
        return [term for (term,) in self._rows(statement, (distinct(terms),))]

    def spellings(self, term: str, cap: int) -> set[str]:
        """The words, in lower case, that stand for a term in the last so many live memories that hold it."""
        said = "m.intent || m.outcome || m.reasoning || m.perception || m.tags || m.actions"
        source = "FROM json_each(?) AS held CROSS JOIN memories AS m ON m.seq = held.value"
        held = json.dumps(self.holders(term, cap))
        rows = self._rows(f"SELECT substr({said}, 1, ?) {source}", (_READ, held))
        words = {word for (text,) in rows for word in spelt(_ESCAPED.sub(" ", text))}
        return {word for word in words if term in terms_of(word)}
