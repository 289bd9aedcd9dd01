-- Table `seen` holds the captured events; a turn's outcome is in `became`. Table `candidates` has possible
-- rules of earlier versions.

-- name: insert_event_once
INSERT OR IGNORE INTO seen (id, client, session, agent, turn, kind, at, data, taken_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: replace_events
INSERT INTO seen (id, client, session, agent, turn, kind, at, data, taken_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET data = excluded.data;

-- name: touch_turn
INSERT INTO turns (client, session, agent, turn, first, last, is_open) VALUES (?, ?, ?, ?, ?5, ?5, 1)
ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
  is_open = became <> 'forgotten';

-- name: events_of_turn
SELECT * FROM seen
WHERE client = :client AND session = :session AND agent = :agent AND turn = :turn
  AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds))) ORDER BY at, seq;

-- name: events_of_session
SELECT * FROM seen
WHERE client = :client AND session = :session
  AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds))) ORDER BY at, seq;

-- name: open_turns
SELECT *, became AS outcome FROM turns WHERE is_open ORDER BY last LIMIT ?;

-- name: turns_of_session
SELECT *, became AS outcome FROM turns WHERE client = ? AND session = ? ORDER BY first, agent LIMIT ?;

-- name: sessions
-- A session is found at its newest turn.
SELECT t.client, t.session, t.last,
  (SELECT min(first) FROM turns AS o WHERE o.client = t.client AND o.session = t.session) AS first,
  (SELECT count(*) FROM turns AS o WHERE o.client = t.client AND o.session = t.session) AS turns,
  (SELECT count(*) FROM turns AS o WHERE o.client = t.client AND o.session = t.session AND o.is_open) AS open_turns,
  (SELECT count(DISTINCT memory_id) FROM turns AS o WHERE o.client = t.client AND o.session = t.session
    AND o.became IN ('memory', 'completed')) AS memories
FROM turns AS t INDEXED BY turns_last
WHERE t.last <= :last AND (t.last < :last OR (t.client, t.session) > (:after_client, :after_session))
  AND (:client IS NULL OR t.client = :client)
  AND NOT EXISTS (
    SELECT 1 FROM turns AS o WHERE o.client = t.client AND o.session = t.session
      AND (o.last > t.last OR (o.last = t.last AND (o.agent, o.turn) > (t.agent, t.turn))))
ORDER BY t.last DESC, t.client, t.session LIMIT :limit;

-- name: turn_by_key
SELECT *, became AS outcome FROM turns WHERE client = ? AND session = ? AND agent = ? AND turn = ? LIMIT ?;

-- name: conclude_turn
INSERT INTO turns (client, session, agent, turn, first, last, is_open, became, memory_id, why, concluded_at)
VALUES (:client, :session, :agent, :turn, :first, :last, 0, :outcome, :memory_id, :why, :now)
ON CONFLICT DO UPDATE SET is_open = 0, became = :outcome, memory_id = coalesce(:memory_id, memory_id), why = :why,
  concluded_at = :now;

-- name: reopen_turn
UPDATE turns SET is_open = 1 WHERE client = ? AND session = ? AND agent = ? AND turn = ? AND became <> 'forgotten';

-- name: delete_events_of_memory
DELETE FROM seen WHERE (client, session, agent, turn) IN (
  SELECT client, session, agent, turn FROM turns WHERE memory_id = ?);

-- name: count_events_of_memory
SELECT count(*) FROM turns AS t JOIN seen AS s USING (client, session, agent, turn) WHERE t.memory_id = ?;

-- name: forget_turns
UPDATE turns SET is_open = 0, became = 'forgotten', why = '' WHERE memory_id = ?;

-- name: rule_candidates
SELECT id, condition, action, said, at FROM candidates WHERE state = 'open' ORDER BY at;

-- name: delete_candidates
DELETE FROM candidates;

-- name: delete_captured
DELETE FROM seen WHERE id IN (:ids);

-- name: clear_captured
DELETE FROM seen;

-- name: forget_all_turns
UPDATE turns SET is_open = 0, became = 'forgotten', why = '';

-- name: clear_offers
DELETE FROM offers;

-- name: memories_with_traces
SELECT value AS memory_id FROM json_each(?)
WHERE EXISTS (SELECT 1 FROM turns WHERE memory_id = value AND became <> 'forgotten')
  OR EXISTS (SELECT 1 FROM offers WHERE memory_id = value);

-- name: drop_events
DELETE FROM seen WHERE taken_at < :before AND NOT EXISTS (
  SELECT 1 FROM turns AS t WHERE t.client = seen.client AND t.session = seen.session AND t.agent = seen.agent
  AND t.turn = seen.turn AND (t.is_open OR t.concluded_at >= :before));

-- name: find_events
SELECT s.id, s.client, s.session, s.agent, s.turn, s.kind, s.at, s.data,
  coalesce(t.became, '') AS outcome, t.memory_id, coalesce(t.why, '') AS why, coalesce(t.is_open, 0) AS is_open
FROM seen AS s LEFT JOIN turns AS t USING (client, session, agent, turn)
WHERE (:session IS NULL OR s.session = :session OR substr(s.session, -length(:session)) = :session)
  AND (:client IS NULL OR s.client = :client)
  AND (:kind IS NULL OR s.kind = :kind)
  AND (:memory IS NULL OR t.memory_id = :memory)
  AND s.at >= :since
ORDER BY s.at DESC, s.seq DESC LIMIT :limit;

-- name: count_kinds
SELECT kind, count(*) AS number FROM seen WHERE at >= ? GROUP BY kind;

-- name: count_outcomes
SELECT became, count(*) AS number FROM turns
WHERE concluded_at >= ? AND became <> '' GROUP BY became ORDER BY became;

-- name: count_open_turns
SELECT count(*) FROM turns WHERE is_open;

-- name: transcript_stamps
SELECT t.path, t.stamp FROM json_each(?) AS wanted JOIN transcripts AS t ON t.path = wanted.value;

-- name: set_transcript_stamp
INSERT INTO transcripts (path, stamp, read_at) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET stamp = excluded.stamp, read_at = excluded.read_at;
