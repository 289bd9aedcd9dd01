"""Find memories by their words, and read their details, with one statement per call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rum.store.search import (
    KEYS_ONLY,
    NOTHING_ELSE,
    Also,
    Correction,
    Described,
    Row,
    TermLookup,
    Wanted,
)
from rum.store.sqlite.lookup import COLUMNS, Lookup
from rum.store.sqlite.records import SQL
from rum.store.sqlite.sql_text import NO_MATCH, conditions, quoted, quoted_parts
from rum.store.tables.search_rows import (
    FIELDS,
    MAX_TEXT_LENGTH,
    Counts,
    IndexedTexts,
    details,
    in_order,
    words_for,
)
from rum.store.tables.vectors import vector_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.store.filters import Filters
    from rum.store.sqlite.connect import Database
    from rum.store.sqlite.memories import SqliteMemories

_SMALL_STORE = 1000  # With fewer memories, all terms with the same first letter can be read quickly
# The number of archived memories, updated whenever memories are archived or restored.
_ARCHIVED = "(SELECT CAST(value AS INTEGER) FROM derived WHERE name = 'archived')"


def _holders(index: str, match: str, cap: str = "?") -> str:
    """The sequence numbers of the matches, as JSON: fetching them row by row takes twice as long."""
    newest = f"SELECT rowid FROM {index} WHERE {index} MATCH {match} ORDER BY rowid DESC LIMIT {cap}"
    return f"(SELECT json_group_array(rowid) FROM ({newest}))"


# Sequence numbers have few gaps, so taking every n-th of them gives an even sample.
_TIMELINE = """
WITH RECURSIVE asked(newest, spread, last) AS (
  SELECT ?, ?, (SELECT coalesce(max(seq), 0) FROM memories)
), newest AS MATERIALIZED (
  SELECT created_at, seq FROM memories ORDER BY created_at DESC, id DESC LIMIT (SELECT newest FROM asked)
), spaced(at) AS (
  SELECT 1 FROM asked WHERE last > 0 AND newest > 0 AND (SELECT count(*) FROM newest) = newest
  UNION ALL SELECT at + max(1, last / spread) FROM spaced, asked WHERE at + max(1, last / spread) <= last
)
SELECT created_at, seq FROM newest
UNION
SELECT m.created_at, m.seq FROM spaced CROSS JOIN memories AS m ON m.seq = spaced.at
ORDER BY 1 DESC, 2 DESC
"""

_TERMS = f"""
WITH asked AS MATERIALIZED (
  SELECT key, {_holders("memory_text", "value")} AS live,
    CASE WHEN {_ARCHIVED} > 0
      THEN {_holders("archived_text", "json_extract(?, '$[' || key || ']')")} END AS archived
  FROM json_each(?)
)
SELECT key, live, archived, NULL, NULL, NULL, NULL, NULL, NULL FROM asked
UNION ALL
SELECT NULL, (SELECT max(seq) FROM memories), {_ARCHIVED},
  (SELECT json_group_array(seq) FROM memories INDEXED BY memories_superseded WHERE superseded = 1),
  (SELECT count(*) FROM (SELECT 1 FROM memories WHERE session_id = ? LIMIT ?)),
  (SELECT json_group_array(seq) FROM (
    SELECT m.seq FROM memories AS m INDEXED BY memories_goal
    WHERE m.intent_goal = ? COLLATE NOCASE ORDER BY m.created_at DESC, m.id DESC LIMIT ?
  )),
  (SELECT json_group_array(json_array(created_at, seq)) FROM ({_TIMELINE})),
  EXISTS (SELECT 1 FROM chapters),
  (SELECT json_array(live, archived, pending, scale) FROM ({SQL["vector_state"]}))
"""

_QUOTED = """'"' || replace(e.term, '"', '""') || '"'"""
_CORRECTIONS = f"""
WITH ranges AS (
  SELECT json_extract(value, '$[0]') AS first, json_extract(value, '$[1]') AS last FROM json_each(:ranges)
), used AS MATERIALIZED (
  SELECT t.term, 0 AS packed FROM ranges CROSS JOIN memory_terms AS t
    ON t.term >= ranges.first AND t.term <= ranges.last
  WHERE +t.term IN (SELECT value FROM json_each(:terms))
  UNION ALL
  SELECT t.term, 1 FROM ranges CROSS JOIN archived_terms AS t
    ON t.term >= ranges.first AND t.term <= ranges.last
  WHERE {_ARCHIVED} > 0 AND +t.term IN (SELECT value FROM json_each(:terms))
)
SELECT e.term, e.packed, CASE e.packed
    WHEN 0 THEN {_holders("memory_text", _QUOTED, ":cap")}
    ELSE {_holders("archived_text", _QUOTED, ":archived_cap")} END,
  (SELECT max(seq) FROM memories), {_ARCHIVED}
FROM used AS e
UNION ALL
SELECT e.term, NULL,
  substr(m.intent || m.outcome || m.reasoning || m.perception || m.tags || m.actions, 1,
    {MAX_TEXT_LENGTH}), NULL, NULL
FROM used AS e CROSS JOIN json_each({_holders("memory_text", _QUOTED, ":sample")}) AS held
CROSS JOIN memories AS m ON m.seq = held.value WHERE e.packed = 0
"""

_LENGTH = " + ".join(f"length(t.c{at})" for at in range(len(FIELDS) - 1))
_TEXT = " || ' ' || ".join(f"t.c{at}" for at in range(len(FIELDS)))
_PATHS = "SELECT group_concat(f.file_path, char(10)) FROM memory_files AS f WHERE f.memory_id = c.id"
# Terms are read from the content table of FTS5: through the virtual table it takes twice as long.
_DESCRIBE = f"""
WITH chosen AS MATERIALIZED (
  SELECT {COLUMNS}, wanted.key AS place FROM json_each(?) AS wanted
  CROSS JOIN memories AS m ON m.seq = wanted.value WHERE {{where}} LIMIT ?
)
SELECT c.place, c.id, c.created_at, c.importance, c.session_id, c.seq, t.id IS NULL,
  (SELECT max(seq) FROM memories) - c.seq,
  CASE WHEN t.id THEN t.c0 ELSE (SELECT intent_goal FROM memories WHERE seq = c.seq) END,
  CASE WHEN t.id THEN t.c{len(FIELDS) - 1} ELSE ({_PATHS}) END,
  CASE WHEN t.id THEN {_LENGTH} ELSE (SELECT length FROM archived WHERE memory = c.seq) END,
  CASE WHEN ? THEN (SELECT count(*) FROM memory_files AS f WHERE f.memory_id = c.id) END,
  CASE WHEN ? AND t.id THEN {_TEXT} END
FROM chosen AS c LEFT JOIN memory_text_content AS t ON t.id = c.seq
UNION ALL
SELECT -1, (SELECT json_group_array(signed) FROM (
    SELECT CASE WHEN instr(intent_goal, '?') THEN -seq ELSE seq END AS signed
    FROM memories WHERE session_id = s.session_id ORDER BY created_at, seq LIMIT ?
  )), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT DISTINCT session_id FROM chosen WHERE session_id NOT IN (SELECT value FROM json_each(?))) AS s
UNION ALL
SELECT -2, s.seq, t.seq, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (
  SELECT l.source_id, l.target_id, l.link_type
  FROM chosen AS c CROSS JOIN memory_links AS l ON l.source_id = c.id
  UNION
  SELECT l.source_id, l.target_id, l.link_type
  FROM chosen AS c CROSS JOIN memory_links AS l ON l.target_id = c.id
  ORDER BY 1, 2, 3
) AS e CROSS JOIN memories AS s ON s.id = e.source_id CROSS JOIN memories AS t ON t.id = e.target_id
"""

_NEWEST = """
WITH RECURSIVE step(place, found) AS (
  SELECT 0, {first}
  UNION ALL
  SELECT place + 1, {next} FROM step
  WHERE json_array_length(found) >= :cap AND place + 1 < json_array_length(:sets)
)
SELECT step.place, {columns} FROM step CROSS JOIN json_each(step.found) AS one
CROSS JOIN memories AS m ON m.seq = one.value ORDER BY step.place, one.key
"""


class SqliteSearch(IndexedTexts, Lookup):
    """Finds the memories of one project, including archived ones."""

    def __init__(self, database: Database, memories: SqliteMemories) -> None:
        IndexedTexts.__init__(self, memories)
        Lookup.__init__(self, database)
        self._size = 0
        """The approximate number of memories at the last lookup of terms."""

    def terms(
        self, spellings: Sequence[Sequence[str]], cap: int, archived_cap: int, also: Also = NOTHING_ELSE
    ) -> TermLookup:
        live = [" OR ".join(map(quoted, ways)) or NO_MATCH for ways in spellings]
        packed = [" OR ".join(f"({quoted_parts(way)})" for way in ways) or NO_MATCH for ways in spellings]
        terms = (cap, json.dumps(packed), archived_cap, json.dumps(live))
        session = (also.session, also.max_session_size)
        goal = (also.goal, also.max_same_goal)
        rows = self._rows(_TERMS, (*terms, *session, *goal, also.newest, also.spread, also.model))
        _, size, archived, superseded, session_size, same_goal, timeline, has_chapters, vectors = rows.pop()
        counts = Counts(size or 0, archived or 0, cap, archived_cap)
        self._size = counts.size
        held = [(json.loads(own), json.loads(other or "[]")) for _, own, other, *_ in rows]
        last = max((other[0] for _, other in held if other), default=0)
        return TermLookup(
            [counts.holders(own, other, last) for own, other in held],
            counts.size,
            counts.archived,
            json.loads(superseded),
            session_size,
            json.loads(same_goal),
            [(at, key) for at, key in json.loads(timeline)],
            bool(has_chapters),
            vector_state(*json.loads(vectors)),
        )

    def corrections(self, terms: Iterable[str], sample: int, cap: int, archived_cap: int) -> list[Correction]:
        wanted = list(dict.fromkeys(terms))
        rows = self._rows(
            _CORRECTIONS,
            {
                "terms": json.dumps(wanted),
                "ranges": json.dumps(_ranges(wanted, 1 if self._size < _SMALL_STORE else 2)),
                "cap": cap,
                "archived_cap": archived_cap,
                "sample": sample,
            },
        )
        held: dict[str, dict[int, list[int]]] = {}
        words: dict[str, set[str]] = {}
        counts = Counts(0, 0, cap, archived_cap)
        for term, packed, found, size, archived in rows:
            if packed is None:
                words.setdefault(term, set()).update(words_for(term, found))
            else:
                held.setdefault(term, {})[packed] = json.loads(found)
                counts = Counts(size or 0, archived or 0, cap, archived_cap)
        newest = max((one[1][0] for one in held.values() if one.get(1)), default=0)
        return [
            Correction(
                term,
                frozenset(words.get(term, ())),
                counts.holders(held[term].get(0, []), held[term].get(1, []), newest),
            )
            for term in wanted
            if term in held
        ]

    def newest_with(
        self, term_sets: Sequence[Sequence[str]], in_goal: Sequence[str], filters: Filters, cap: int
    ) -> list[list[Row]]:
        sets = [" AND ".join(map(quoted, terms)) or NO_MATCH for terms in term_sets]
        if in_goal:
            sets.append(f"goal : ({' AND '.join(map(quoted, in_goal))})")
        if not sets:
            return []
        where, values = conditions(filters, each=True)
        named = {f"value{at}": value for at, value in enumerate(values)}
        for name in named:
            where = where.replace("?", f":{name}", 1)

        def newest(place: str) -> str:
            match = f"memory_text MATCH json_extract(:sets, '$[' || {place} || ']')"
            source = "memory_text CROSS JOIN memories AS m ON m.seq = memory_text.rowid"
            found = f"SELECT m.seq FROM {source} WHERE {match} AND {where}"
            return f"(SELECT json_group_array(seq) FROM ({found} ORDER BY memory_text.rowid DESC LIMIT :cap))"

        statement = _NEWEST.format(first=newest("0"), next=newest("(step.place + 1)"), columns=COLUMNS)
        parameters = {"sets": json.dumps(sets), "cap": cap, **named}
        found: list[list[Row]] = []
        for line in self._rows(statement, parameters):
            place: int = line[0]
            found += [list[Row]() for _ in range(place + 1 - len(found))]
            found[place].append(Row._make(line[1:]))
        return found

    def archived_with(
        self,
        sets: Sequence[tuple[Sequence[str], Sequence[str]]],
        cap: int,
        among: Sequence[int] | None = None,
    ) -> list[list[int]]:
        queries: list[str] = []
        for every, some in sets:
            either = [f"({' OR '.join(f'({quoted_parts(term)})' for term in some)})"] if some else []
            queries.append(
                " AND ".join([*(f"({quoted_parts(term)})" for term in every), *either]) or NO_MATCH
            )
        if among is None:
            statement = f"SELECT {_holders('archived_text', 'value')} FROM json_each(?)"
            rows = self._rows(statement, (cap, json.dumps(queries)))
        else:
            match = "query.value AND rowid IN (SELECT value FROM json_each(?))"
            statement = f"SELECT {_holders('archived_text', match)} FROM json_each(?) AS query"
            rows = self._rows(statement, (json.dumps(list(among)), cap, json.dumps(queries)))
        return [json.loads(found) for (found,) in rows]

    def describe(self, keys: Sequence[int], filters: Filters, wanted: Wanted = KEYS_ONLY) -> Described:
        where, values = conditions(filters, each=True)
        asked, limit = in_order(keys, wanted)
        known = json.dumps(list(wanted.known_sessions))
        shown = (wanted.files, wanted.texts, wanted.session_limit + 1, known)
        rows = self._rows(_DESCRIBE.format(where=where), [json.dumps(asked), *values, limit, *shown])
        memories = [details(row) for row in rows if row[0] >= 0]
        session_arrays = ",".join(row[1] for row in rows if row[0] == -1)
        sessions: list[list[int]] = json.loads(f"[{session_arrays}]")
        return Described(
            memories,
            [keys for keys in sessions if len(keys) <= wanted.session_limit],
            [(row[1], row[2]) for row in rows if row[0] == -2],
        )

    def _stored_texts(self, ids: list[str]) -> dict[str, tuple[str, ...]]:
        columns = ", ".join(f"t.c{at}" for at in range(len(FIELDS)))
        statement = (
            f"SELECT m.id, {columns} FROM json_each(?) AS wanted "
            "JOIN memories AS m ON m.id = wanted.value JOIN memory_text_content AS t ON t.id = m.seq"
        )
        return {row[0]: row[1:] for row in self._rows(statement, (json.dumps(ids),))}


def _ranges(terms: Iterable[str], letters: int) -> list[tuple[str, str]]:
    """The first and last of the terms that begin with the same letters.

    Looking up a single term takes FTS5 a statement for every part of its index, so terms with the same first
    letters are read as one range, with all terms between them.
    """
    groups: dict[str, list[str]] = {}
    for term in terms:
        groups.setdefault(term[:letters], []).append(term)
    return [(min(group), max(group)) for group in groups.values()]
