-- Table `seen` holds the captured events; a turn's outcome is in `became`.

-- name: insert_event_once
INSERT INTO seen (project, id, client, session, agent, turn, kind, at, data, taken_at)
VALUES (:project, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: replace_events
INSERT INTO seen (project, id, client, session, agent, turn, kind, at, data, taken_at)
VALUES (:project, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, id) DO UPDATE SET data = excluded.data;

-- name: touch_turn
INSERT INTO turns AS t (project, client, session, agent, turn, first, last, is_open)
VALUES (:project, ?1, ?2, ?3, ?4, ?5::double precision, ?5::double precision, 1)
ON CONFLICT (project, client, session, agent, turn) DO UPDATE SET first = least(t.first, excluded.first),
  last = greatest(t.last, excluded.last), is_open = (t.became <> 'forgotten')::integer;

-- name: events_of_turn
SELECT * FROM seen
WHERE project = :project AND client = :client AND session = :session AND agent = :agent AND turn = :turn
  AND (:kinds::text[] IS NULL OR kind = ANY(:kinds::text[])) ORDER BY at, seq;

-- name: events_of_session
SELECT * FROM seen
WHERE project = :project AND client = :client AND session = :session
  AND (:kinds::text[] IS NULL OR kind = ANY(:kinds::text[])) ORDER BY at, seq;

-- name: open_turns
SELECT *, became AS outcome FROM turns WHERE project = :project AND is_open = 1 ORDER BY last LIMIT nullif(?::bigint, -1);

-- name: turns_of_session
SELECT *, became AS outcome FROM turns WHERE project = :project AND client = ? AND session = ?
ORDER BY first, agent LIMIT nullif(?::bigint, -1);

-- name: sessions
-- A session is found at its newest turn.
SELECT t.client, t.session, t.last, o.first, o.turns, o.open_turns, o.memories
FROM turns AS t CROSS JOIN LATERAL (
  SELECT min(o.first) AS first, count(*) AS turns, count(*) FILTER (WHERE o.is_open = 1) AS open_turns,
    count(DISTINCT o.memory_id) FILTER (WHERE o.became IN ('memory', 'completed')) AS memories
  FROM turns AS o WHERE o.project = :project AND o.client = t.client AND o.session = t.session
) AS o
WHERE t.project = :project AND t.last <= :last::double precision
  AND (t.last < :last::double precision OR (t.client, t.session) > (:after_client, :after_session))
  AND (:client::text IS NULL OR t.client = :client)
  AND NOT EXISTS (
    SELECT 1 FROM turns AS n WHERE n.project = :project AND n.client = t.client AND n.session = t.session
      AND (n.last > t.last OR (n.last = t.last AND (n.agent, n.turn) > (t.agent, t.turn))))
ORDER BY t.last DESC, t.client, t.session LIMIT :limit;

-- name: turn_by_key
SELECT *, became AS outcome FROM turns
WHERE project = :project AND client = ? AND session = ? AND agent = ? AND turn = ? LIMIT nullif(?::bigint, -1);

-- name: conclude_turn
INSERT INTO turns AS t (project, client, session, agent, turn, first, last, is_open, became, memory_id, why, concluded_at)
VALUES (:project, :client, :session, :agent, :turn, :first, :last, 0, :outcome, :memory_id, :why, :now)
ON CONFLICT (project, client, session, agent, turn) DO UPDATE SET is_open = 0, became = excluded.became,
  memory_id = coalesce(excluded.memory_id, t.memory_id), why = excluded.why, concluded_at = excluded.concluded_at;

-- name: reopen_turn
UPDATE turns SET is_open = 1
WHERE project = :project AND client = ? AND session = ? AND agent = ? AND turn = ? AND became <> 'forgotten';

-- name: delete_events_of_memory
DELETE FROM seen WHERE project = :project AND (client, session, agent, turn) IN (
  SELECT client, session, agent, turn FROM turns WHERE project = :project AND memory_id = ?);

-- name: count_events_of_memory
SELECT count(*) FROM turns AS t JOIN seen AS s USING (project, client, session, agent, turn)
WHERE t.project = :project AND t.memory_id = ?;

-- name: forget_turns
UPDATE turns SET is_open = 0, became = 'forgotten', why = '' WHERE project = :project AND memory_id = ?;

-- name: rule_candidates
-- Only files of earlier versions have any.
SELECT '', '', '', '', 0 WHERE :project IS NULL;

-- name: delete_candidates
DELETE FROM failures WHERE project = :project AND false;

-- name: delete_captured
DELETE FROM seen WHERE project = :project AND id = ANY(:ids::text[]);

-- name: clear_captured
DELETE FROM seen WHERE project = :project;

-- name: forget_all_turns
UPDATE turns SET is_open = 0, became = 'forgotten', why = '' WHERE project = :project;

-- name: clear_offers
DELETE FROM offers WHERE project = :project;

-- name: memories_with_traces
SELECT wanted.memory_id FROM unnest(?::text[]) WITH ORDINALITY AS wanted(memory_id, place)
WHERE EXISTS (SELECT 1 FROM turns AS t WHERE t.project = :project AND t.memory_id = wanted.memory_id AND t.became <> 'forgotten')
  OR EXISTS (SELECT 1 FROM offers AS o WHERE o.project = :project AND o.memory_id = wanted.memory_id)
ORDER BY wanted.place;

-- name: drop_events
DELETE FROM seen AS s WHERE s.project = :project AND s.taken_at < :before AND NOT EXISTS (
  SELECT 1 FROM turns AS t WHERE t.project = :project AND t.client = s.client AND t.session = s.session
  AND t.agent = s.agent AND t.turn = s.turn AND (t.is_open = 1 OR t.concluded_at >= :before));

-- name: find_events
SELECT s.id, s.client, s.session, s.agent, s.turn, s.kind, s.at, s.data,
  coalesce(t.became, '') AS outcome, t.memory_id, coalesce(t.why, '') AS why, coalesce(t.is_open, 0) AS is_open
FROM seen AS s LEFT JOIN turns AS t USING (project, client, session, agent, turn)
WHERE s.project = :project
  AND (:session::text IS NULL OR s.session = :session OR right(s.session, length(:session::text)) = :session)
  AND (:client::text IS NULL OR s.client = :client)
  AND (:kind::text IS NULL OR s.kind = :kind)
  AND (:memory::text IS NULL OR t.memory_id = :memory)
  AND s.at >= :since::double precision
ORDER BY s.at DESC, s.seq DESC LIMIT nullif(:limit::bigint, -1);

-- name: count_kinds
SELECT kind, count(*) AS number FROM seen WHERE project = :project AND at >= ?::double precision GROUP BY kind;

-- name: count_outcomes
SELECT became, count(*) AS number FROM turns
WHERE project = :project AND concluded_at >= ?::double precision AND became <> '' GROUP BY became ORDER BY became;

-- name: count_open_turns
SELECT count(*) FROM turns WHERE project = :project AND is_open = 1;

-- name: transcript_stamps
SELECT path, stamp FROM transcripts WHERE project = :project AND path = ANY(?::text[]);

-- name: set_transcript_stamp
INSERT INTO transcripts (project, path, stamp, read_at) VALUES (:project, ?, ?, ?)
ON CONFLICT (project, path) DO UPDATE SET stamp = excluded.stamp, read_at = excluded.read_at;
