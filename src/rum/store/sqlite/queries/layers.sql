-- name: get_facts
SELECT *, key AS id FROM facts WHERE key IN (:ids);

-- name: put_fact
INSERT INTO facts (key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra)
VALUES (:key, :value, :agent_id, :created_at, :updated_at, :version, :imported_at, :timestamp, :extra)
ON CONFLICT (key) DO UPDATE SET
  value = excluded.value, agent_id = excluded.agent_id, created_at = excluded.created_at,
  updated_at = excluded.updated_at, version = excluded.version, imported_at = excluded.imported_at,
  timestamp = excluded.timestamp, extra = excluded.extra;

-- name: page_of_facts
SELECT * FROM facts WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: latest_facts
SELECT * FROM facts WHERE substr(key, 1, length(:prefix)) = :prefix
ORDER BY coalesce(updated_at, created_at) DESC, seq DESC LIMIT :limit;

-- name: facts_after_key
SELECT * FROM facts WHERE key > :after AND key >= :prefix AND substr(key, 1, length(:prefix)) = :prefix
ORDER BY key LIMIT :limit;

-- name: count_facts
SELECT count(*) FROM facts;

-- name: count_facts_below
SELECT count(*) FROM facts WHERE substr(key, 1, length(?1)) = ?1;

-- name: delete_facts
DELETE FROM facts WHERE key IN (:ids);

-- name: clear_facts
DELETE FROM facts;

-- name: insert_fact_version
INSERT INTO fact_versions (fact, version, changed_at, changed_by, value)
SELECT seq, ?2, ?3, ?4, ?5 FROM facts WHERE key = ?1;

-- name: delete_fact_versions
DELETE FROM fact_versions WHERE fact = (SELECT seq FROM facts WHERE key = ?);

-- name: fact_versions_of
SELECT f.key AS id, v.version, v.changed_at, v.changed_by, v.value
FROM facts AS f JOIN fact_versions AS v ON v.fact = f.seq WHERE f.key IN (:ids) ORDER BY v.version;

-- name: get_rules
SELECT * FROM rules WHERE id IN (:ids);

-- name: put_rule
INSERT INTO rules
  (id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra,
   source, about, superseded_by)
VALUES
  (:id, :condition, :action, :agent_id, :created_at, :updated_at, :version, :imported_at, :timestamp, :extra,
   :source, :about, :superseded_by)
ON CONFLICT (id) DO UPDATE SET
  condition = excluded.condition, action = excluded.action, agent_id = excluded.agent_id,
  created_at = excluded.created_at, updated_at = excluded.updated_at, version = excluded.version,
  imported_at = excluded.imported_at, timestamp = excluded.timestamp, extra = excluded.extra,
  source = excluded.source, about = excluded.about, superseded_by = excluded.superseded_by;

-- name: tails_of_rules
SELECT id FROM rules WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: rules_with_texts
SELECT * FROM rules WHERE condition = ? AND action = ? ORDER BY seq;

-- name: page_of_rules
SELECT * FROM rules WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: latest_rules
SELECT * FROM rules ORDER BY seq DESC LIMIT ?;

-- name: rules_from
SELECT * FROM rules WHERE source = ? AND superseded_by IS NULL ORDER BY created_at DESC, seq DESC LIMIT ?;

-- name: count_rules
SELECT count(*) FROM rules;

-- name: delete_rules
DELETE FROM rules WHERE id IN (:ids);

-- name: clear_rules
DELETE FROM rules;

-- name: insert_rule_version
INSERT INTO rule_versions (rule, version, changed_at, changed_by, condition, action)
SELECT seq, ?2, ?3, ?4, ?5, ?6 FROM rules WHERE id = ?1;

-- name: delete_rule_versions
DELETE FROM rule_versions WHERE rule = (SELECT seq FROM rules WHERE id = ?);

-- name: rule_versions_of
SELECT r.id, v.version, v.changed_at, v.changed_by, v.condition, v.action
FROM rules AS r JOIN rule_versions AS v ON v.rule = r.seq WHERE r.id IN (:ids) ORDER BY v.version;

-- name: insert_event
INSERT INTO events (seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
VALUES (:seq, :id, :content, :metadata, :timestamp, :extra, :agent_id, :session_id, :created_at, :imported_at);

-- name: insert_event_unless_known
INSERT INTO events (seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
SELECT :seq, :id, :content, :metadata, :timestamp, :extra, :agent_id, :session_id, :created_at, :imported_at
WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = :id);

-- name: get_events
SELECT * FROM events WHERE id IN (:ids) ORDER BY seq;

-- name: page_of_events
SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: tails_of_events
SELECT DISTINCT id FROM events WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: older_events
SELECT * FROM (SELECT * FROM events ORDER BY seq DESC LIMIT -1 OFFSET ?) ORDER BY seq;

-- name: count_event_places
SELECT count(*) FROM events WHERE seq IN (SELECT value FROM json_each(?));

-- name: delete_event_places
DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?));

-- name: count_events
SELECT count(*) FROM events;

-- name: delete_events
DELETE FROM events WHERE id IN (:ids);

-- name: clear_events
DELETE FROM events;
