"""Find memories by their words, and read their details, in one or two round trips per call."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from rum.store.postgres.lookup import COLUMNS, Lookup, conditions, with_all
from rum.store.postgres.statements import SQL
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
    from rum.store.postgres.connect import Database
    from rum.store.postgres.values import PostgresRow
    from rum.store.tables.memories import MemoryTable

_LAST_KEY = 2**63 - 1
GOAL = 1  # The bit of the goal in `memory_terms.fields`


def _newest_holders(index: str, cap: str) -> str:
    """The keys of the newest memories with any spelling of each term `asked`.

    Of each spelling the newest are enough, so that the holders of a common one are not all read.
    """
    return f"""
SELECT a.place, (array_agg(DISTINCT one.seq ORDER BY one.seq DESC))[1:({cap}::integer)]
FROM asked AS a CROSS JOIN LATERAL (
  SELECT h.seq FROM {index} AS h WHERE h.project = :project AND h.term = a.term
  ORDER BY h.seq DESC LIMIT {cap}
) AS one GROUP BY a.place
"""


_HOLDERS = f"""
WITH asked AS (SELECT * FROM unnest(:places::bigint[], :terms::text[]) AS a(place, term))
SELECT 0 AS packed, live.* FROM ({_newest_holders("memory_terms", ":cap")}) AS live(place, keys)
UNION ALL
SELECT 1, packed.* FROM ({_newest_holders("archived_terms", ":archived_cap")}) AS packed(place, keys)
"""

# Keys have few gaps, so taking every n-th of them gives an even sample.
_TIMELINE = """
WITH asked AS (
  SELECT coalesce(max(seq), 0) AS last FROM memories WHERE project = :project
), newest AS MATERIALIZED (
  SELECT created_at, seq FROM memories WHERE project = :project
  ORDER BY created_at DESC, id DESC LIMIT :newest
), spaced AS (
  SELECT generate_series(1, asked.last, greatest(1, asked.last / :spread::bigint)) AS at FROM asked
  WHERE asked.last > 0 AND :newest::bigint > 0 AND (SELECT count(*) FROM newest) = :newest::bigint
)
SELECT created_at, seq FROM newest
UNION
SELECT m.created_at, m.seq FROM spaced JOIN memories AS m ON m.project = :project AND m.seq = spaced.at
"""

_ABOUT = """
SELECT (SELECT max(seq) FROM memories WHERE project = :project),
  (SELECT value::bigint FROM derived WHERE project = :project AND name = 'archived'),
  ARRAY(SELECT seq FROM memories WHERE project = :project AND superseded = 1 ORDER BY seq),
  (SELECT count(*) FROM (
    SELECT 1 FROM memories WHERE project = :project AND session_id = :session
    LIMIT :max_session_size) AS own),
  ARRAY(SELECT seq FROM memories WHERE project = :project
    AND goal_key = md5(lower(:goal COLLATE "C"))
    AND lower(intent_goal) = lower(:goal COLLATE "C")
    ORDER BY created_at DESC, id DESC LIMIT :max_same_goal),
  EXISTS (SELECT 1 FROM chapters WHERE project = :project)
"""

_LENGTH = " + ".join(f"length(t.{name})" for name in FIELDS[:-1])
_TEXT = " || ' ' || ".join(f"t.{name}" for name in FIELDS)
_NOTHING = ", ".join(["NULL"] * 10)
# chr(63) is a question mark, which would be taken for a parameter.
_DESCRIBE = f"""
WITH chosen AS MATERIALIZED (
  SELECT {COLUMNS}, m.intent_goal, wanted.place
  FROM unnest(:keys::bigint[]) WITH ORDINALITY AS wanted(seq, place)
  JOIN memories AS m ON m.seq = wanted.seq WHERE {{where}}
  ORDER BY wanted.place LIMIT nullif(:limit::bigint, -1)
)
SELECT c.place, c.id, c.created_at, c.importance, c.session_id, c.seq, t.seq IS NULL AS archived,
  (SELECT max(seq) FROM memories WHERE project = :project) - c.seq,
  coalesce(t.goal, c.intent_goal), coalesce(t.paths, (
    SELECT string_agg(f.file_path, chr(10)) FROM memory_files AS f
    WHERE f.project = :project AND f.memory_id = c.id)),
  coalesce({_LENGTH}, (SELECT a.length FROM archived AS a WHERE a.project = :project AND a.memory = c.seq)),
  CASE WHEN :files = 1 THEN (
    SELECT count(*) FROM memory_files AS f WHERE f.project = :project AND f.memory_id = c.id) END,
  CASE WHEN :texts = 1 THEN {_TEXT} END, NULL::bigint[]
FROM chosen AS c LEFT JOIN memory_text AS t ON t.project = :project AND t.seq = c.seq
UNION ALL
SELECT -1, NULL, s.place, {_NOTHING}, ARRAY(
  SELECT CASE WHEN strpos(m.intent_goal, chr(63)) > 0 THEN -m.seq ELSE m.seq END
  FROM memories AS m WHERE m.project = :project AND m.session_id = s.session_id
  ORDER BY m.created_at, m.seq LIMIT :session_limit)
FROM (
  SELECT session_id, min(place) AS place FROM chosen WHERE session_id <> ALL(:known::text[])
  GROUP BY session_id
) AS s
UNION ALL
SELECT -2, NULL, row_number() OVER (ORDER BY e.source_id, e.target_id, e.link_type), {_NOTHING},
  ARRAY[s.seq, t.seq]
FROM (
  SELECT l.source_id, l.target_id, l.link_type
  FROM chosen AS c JOIN memory_links AS l ON l.project = :project AND l.source_id = c.id
  UNION
  SELECT l.source_id, l.target_id, l.link_type
  FROM chosen AS c JOIN memory_links AS l ON l.project = :project AND l.target_id = c.id
) AS e JOIN memories AS s ON s.project = :project AND s.id = e.source_id
JOIN memories AS t ON t.project = :project AND t.id = e.target_id
"""

_USED = """
SELECT w.term FROM unnest(:wanted::text[]) AS w(term)
WHERE EXISTS (SELECT 1 FROM memory_terms AS h WHERE h.project = :project AND h.term = w.term)
  OR EXISTS (SELECT 1 FROM archived_terms AS h WHERE h.project = :project AND h.term = w.term)
"""
_SPELLED = f"""
SELECT w.term,
  left(m.intent || m.outcome || m.reasoning || m.perception || m.tags || m.actions, {MAX_TEXT_LENGTH})
FROM unnest(:wanted::text[]) AS w(term) CROSS JOIN LATERAL (
  SELECT h.seq FROM memory_terms AS h WHERE h.project = :project AND h.term = w.term
  ORDER BY h.seq DESC LIMIT :sample
) AS one JOIN memories AS m ON m.project = :project AND m.seq = one.seq
"""


class PostgresSearch(IndexedTexts, Lookup):
    """Finds the memories of one project, including archived ones."""

    def __init__(self, database: Database, memories: MemoryTable) -> None:
        IndexedTexts.__init__(self, memories)
        Lookup.__init__(self, database)

    def terms(
        self, spellings: Sequence[Sequence[str]], cap: int, archived_cap: int, also: Also = NOTHING_ELSE
    ) -> TermLookup:
        with self._database.hold():
            held = self._holders(spellings, cap, archived_cap)
            values = also._asdict()
            [(size, archived, superseded, session_size, same_goal, has_chapters)] = self._rows(_ABOUT, values)
            timeline = self._rows(_TIMELINE, {**values, "spread": max(1, also.spread)}) if also.newest else ()
            [state] = self._database.fetch(SQL["vector_state"], {"p1": also.model})
        counts = Counts(size or 0, archived or 0, cap, archived_cap)
        last = max((packed[0] for _, packed in held if packed), default=0)
        return TermLookup(
            [counts.holders(live, packed, last) for live, packed in held],
            counts.size,
            counts.archived,
            superseded,
            session_size,
            same_goal,
            sorted(((row[0], row[1]) for row in timeline), reverse=True),
            has_chapters,
            vector_state(*state),
        )

    def _holders(
        self, spellings: Sequence[Sequence[str]], cap: int, archived_cap: int
    ) -> list[tuple[list[int], list[int]]]:
        """The newest live and archived holders of each term."""
        asked = [(place, way) for place, ways in enumerate(spellings) for way in ways]
        held: list[tuple[list[int], list[int]]] = [([], []) for _ in spellings]
        values = {
            "places": [place for place, _ in asked],
            "terms": [way for _, way in asked],
            "cap": cap,
            "archived_cap": archived_cap,
        }
        for row in self._rows(_HOLDERS, values) if asked else ():
            packed: int = row[0]
            place: int = row[1]
            held[place][packed].extend(row[2])
        return held

    def corrections(self, terms: Iterable[str], sample: int, cap: int, archived_cap: int) -> list[Correction]:
        wanted = list(dict.fromkeys(terms))
        used = {row[0] for row in self._rows(_USED, {"wanted": wanted})}
        if not used:
            return []
        found = [term for term in wanted if term in used]
        words: dict[str, set[str]] = {term: set() for term in found}
        for term, text in self._rows(_SPELLED, {"wanted": found, "sample": sample}):
            words[term].update(words_for(term, text))
        lookup = self.terms([[term] for term in found], cap, archived_cap)
        return [
            Correction(term, frozenset(words[term]), holders)
            for term, holders in zip(found, lookup.holders, strict=True)
        ]

    def newest_with(
        self, term_sets: Sequence[Sequence[str]], in_goal: Sequence[str], filters: Filters, cap: int
    ) -> list[list[Row]]:
        where, values = conditions(filters, each=True)
        sets = [(terms, 0) for terms in term_sets]
        if in_goal:
            sets.append((in_goal, GOAL))
        found: list[list[Row]] = []
        for terms, field in sets:
            rows: list[Row] = []
            if terms:
                query, named = with_all(list(dict.fromkeys(terms)), field)
                statement = (
                    f"SELECT {COLUMNS} FROM ({query}) AS hit JOIN memories AS m ON m.seq = hit.seq "
                    f"WHERE {where} ORDER BY hit.seq DESC LIMIT :cap"
                )
                rows = [Row._make(row) for row in self._rows(statement, {**values, **named, "cap": cap})]
            if rows:
                found.append(rows)
            if len(rows) < cap:
                break
        return found

    def archived_with(
        self,
        sets: Sequence[tuple[Sequence[str], Sequence[str]]],
        cap: int,
        among: Sequence[int] | None = None,
    ) -> list[list[int]]:
        with self._database.hold():
            return [self._archived_with(every, some, cap, among) for every, some in sets]

    def _archived_with(
        self, every: Sequence[str], some: Sequence[str], cap: int, among: Sequence[int] | None
    ) -> list[int]:
        values = {"some": list(some), "among": list(among or ()), "cap": cap}
        if every:
            query, named = with_all(list(dict.fromkeys(every)), index="archived_terms")
            either = (
                "EXISTS (SELECT 1 FROM archived_terms AS s WHERE s.project = :project AND s.seq = hit.seq "
                "AND s.term = ANY(:some::text[]))"
            )
            conditions = [either] if some else []
        elif some:
            index = "archived_terms WHERE project = :project AND term = ANY(:some::text[])"
            query = f"SELECT DISTINCT seq FROM {index}"
            named, conditions = {}, list[str]()
        else:
            return []
        if among is not None:
            conditions.append("hit.seq = ANY(:among::bigint[])")
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        newest = "ORDER BY hit.seq DESC LIMIT nullif(:cap::bigint, -1)"
        statement = f"SELECT hit.seq FROM ({query}) AS hit {where} {newest}"
        return [row[0] for row in self._rows(statement, {**values, **named})]

    def describe(self, keys: Sequence[int], filters: Filters, wanted: Wanted = KEYS_ONLY) -> Described:
        where, values = conditions(filters, each=True)
        asked, limit = in_order(keys, wanted)
        given = {
            **values,
            "keys": [key for key in asked if 0 < key <= _LAST_KEY],
            "limit": limit,
            "files": wanted.files,
            "texts": wanted.texts,
            "session_limit": wanted.session_limit + 1,
            "known": list(wanted.known_sessions),
        }
        found: dict[int, list[PostgresRow]] = {}
        for row in self._rows(_DESCRIBE.format(where=where), given):
            found.setdefault(min(row[0], 0), []).append(row)
        # Memories come in the order of asking; what belongs to them has its place in the third column.
        chosen = sorted(found.get(0, ()), key=itemgetter(0))
        sessions, links = (sorted(found.get(kind, ()), key=itemgetter(2)) for kind in (-1, -2))
        return Described(
            [details(row[:-1]) for row in chosen],
            [row[-1] for row in sessions if len(row[-1]) <= wanted.session_limit],
            [(row[-1][0], row[-1][1]) for row in links],
        )

    def _stored_texts(self, ids: list[str]) -> dict[str, tuple[str, ...]]:
        columns = ", ".join(f"t.{name}" for name in FIELDS)
        statement = (
            f"SELECT m.id, {columns} FROM memories AS m "
            "JOIN memory_text AS t ON t.project = :project AND t.seq = m.seq "
            "WHERE m.project = :project AND m.id = ANY(:wanted::text[])"
        )
        return {row[0]: tuple(row[1:]) for row in self._rows(statement, {"wanted": ids})}
