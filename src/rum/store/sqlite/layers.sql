-- name: fact_by_key
SELECT key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra FROM facts WHERE key = ?;

-- name: put_fact
INSERT INTO facts (key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra)
VALUES (:key, :value, :agent_id, :created_at, :updated_at, :version, :imported_at, :timestamp, :extra)
ON CONFLICT (key) DO UPDATE SET
  value = excluded.value, agent_id = excluded.agent_id, created_at = excluded.created_at,
  updated_at = excluded.updated_at, version = excluded.version, imported_at = excluded.imported_at,
  timestamp = excluded.timestamp, extra = excluded.extra;

-- name: facts_in_order
SELECT key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra, seq
FROM facts WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: latest_facts
SELECT key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra FROM facts
WHERE substr(key, 1, length(:prefix)) = :prefix
ORDER BY coalesce(updated_at, created_at) DESC, seq DESC LIMIT :most;

-- name: count_facts
SELECT count(*) FROM facts WHERE substr(key, 1, length(:prefix)) = :prefix;

-- name: insert_fact_version
INSERT INTO fact_versions (fact, version, changed_at, changed_by, value)
SELECT seq, :version, :changed_at, :changed_by, :value FROM facts WHERE key = :key;

-- name: fact_versions_of
SELECT v.version, v.changed_at, v.changed_by, v.value
FROM facts AS f JOIN fact_versions AS v ON v.fact = f.seq WHERE f.key = ? ORDER BY v.version;

-- name: delete_fact
DELETE FROM facts WHERE key = ?;

-- name: fact_authors
SELECT DISTINCT agent_id, imported_at IS NOT NULL FROM facts;

-- name: clear_facts
DELETE FROM facts;

-- name: insert_rule
INSERT INTO rules
  (id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra)
VALUES
  (:id, :condition, :action, :agent_id, :created_at, :updated_at, :version, :imported_at, :timestamp, :extra);

-- name: put_rule
UPDATE rules SET
  condition = :condition, action = :action, agent_id = :agent_id, created_at = :created_at,
  updated_at = :updated_at, version = :version, imported_at = :imported_at, timestamp = :timestamp,
  extra = :extra
WHERE id = :id;

-- name: insert_rule_version
INSERT INTO rule_versions (rule, version, changed_at, changed_by, condition, action)
SELECT seq, :version, :changed_at, :changed_by, :condition, :action FROM rules WHERE id = :id;

-- name: rule_versions_of
SELECT v.version, v.changed_at, v.changed_by, v.condition, v.action
FROM rules AS r JOIN rule_versions AS v ON v.rule = r.seq WHERE r.id = ? ORDER BY v.version;

-- name: rules_by_id
SELECT
  r.id, r.condition, r.action, r.agent_id, r.created_at, r.updated_at, r.version, r.imported_at, r.timestamp,
  r.extra
FROM json_each(?) AS wanted JOIN rules AS r ON r.id = wanted.value;

-- name: rules_by_tail
SELECT id FROM rules WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: rules_saying
SELECT id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra
FROM rules WHERE condition = ? AND action = ? ORDER BY seq;

-- name: rules_in_order
SELECT id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra, seq
FROM rules WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: latest_rules
SELECT id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra
FROM rules ORDER BY seq DESC LIMIT ?;

-- name: older_rules
SELECT id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra
FROM (SELECT * FROM rules ORDER BY seq DESC LIMIT -1 OFFSET ?) ORDER BY seq;

-- name: count_rules
SELECT count(*) FROM rules;

-- name: delete_rules
DELETE FROM rules WHERE id IN (SELECT value FROM json_each(?));

-- name: insert_event
INSERT INTO events (seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
VALUES (:seq, :id, :content, :metadata, :timestamp, :extra, :agent_id, :session_id, :created_at, :imported_at);

-- name: put_event
INSERT INTO events (seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
SELECT :seq, :id, :content, :metadata, :timestamp, :extra, :agent_id, :session_id, :created_at, :imported_at
WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = :id);

-- name: events_in_order
SELECT seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at
FROM events WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: events_by_id
SELECT seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at
FROM events WHERE id = ? ORDER BY seq;

-- name: events_by_tail
SELECT DISTINCT id FROM events WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: older_events
SELECT seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at
FROM (SELECT * FROM events ORDER BY seq DESC LIMIT -1 OFFSET ?) ORDER BY seq;

-- name: count_event_places
SELECT count(*) FROM events WHERE seq IN (SELECT value FROM json_each(?));

-- name: delete_event_places
DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?));

-- name: count_events
SELECT count(*) FROM events;

-- name: delete_event
DELETE FROM events WHERE id = ?;

-- name: event_authors
SELECT DISTINCT agent_id, imported_at IS NOT NULL FROM events;

-- name: clear_events
DELETE FROM events;
