-- name: get_facts
SELECT *, key AS id FROM facts WHERE project = :project AND key = ANY(:ids::text[]);

-- name: put_fact
INSERT INTO facts (project, key, value, agent_id, created_at, updated_at, version, imported_at, timestamp, extra)
VALUES (:project, :key, :value, :agent_id, :created_at, :updated_at, :version, :imported_at, :timestamp::text::json, :extra)
ON CONFLICT (project, key) DO UPDATE SET
  value = excluded.value, agent_id = excluded.agent_id, created_at = excluded.created_at,
  updated_at = excluded.updated_at, version = excluded.version, imported_at = excluded.imported_at,
  timestamp = excluded.timestamp, extra = excluded.extra;

-- name: page_of_facts
SELECT * FROM facts WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: latest_facts
SELECT * FROM facts WHERE project = :project AND starts_with(key, :prefix)
ORDER BY coalesce(updated_at, created_at) DESC, seq DESC LIMIT nullif(:limit::bigint, -1);

-- name: facts_after_key
SELECT * FROM facts WHERE project = :project AND key > :after AND key >= :prefix AND starts_with(key, :prefix)
ORDER BY key LIMIT :limit;

-- name: count_facts
SELECT count(*) FROM facts WHERE project = :project;

-- name: count_facts_below
SELECT count(*) FROM facts WHERE project = :project AND starts_with(key, ?);

-- name: delete_facts
DELETE FROM facts WHERE project = :project AND key = ANY(:ids::text[]);

-- name: clear_facts
DELETE FROM facts WHERE project = :project;

-- name: insert_fact_version
INSERT INTO fact_versions (project, fact, version, changed_at, changed_by, value)
SELECT f.project, f.seq, ?2, ?3, ?4, ?5 FROM facts AS f WHERE f.project = :project AND f.key = ?1;

-- name: delete_fact_versions
DELETE FROM fact_versions
WHERE project = :project AND fact = (SELECT seq FROM facts WHERE project = :project AND key = ?);

-- name: fact_versions_of
SELECT f.key AS id, v.version, v.changed_at, v.changed_by, v.value
FROM facts AS f JOIN fact_versions AS v ON v.project = :project AND v.fact = f.seq
WHERE f.project = :project AND f.key = ANY(:ids::text[]) ORDER BY v.version;

-- name: get_rules
SELECT * FROM rules WHERE project = :project AND id = ANY(:ids::text[]);

-- name: put_rule
INSERT INTO rules
  (project, id, condition, action, agent_id, created_at, updated_at, version, imported_at, timestamp, extra,
   source, about, superseded_by)
VALUES
  (:project, :id, :condition, :action, :agent_id, :created_at, :updated_at, :version, :imported_at,
   :timestamp::text::json, :extra, :source, :about, :superseded_by)
ON CONFLICT (project, id) DO UPDATE SET
  condition = excluded.condition, action = excluded.action, agent_id = excluded.agent_id,
  created_at = excluded.created_at, updated_at = excluded.updated_at, version = excluded.version,
  imported_at = excluded.imported_at, timestamp = excluded.timestamp, extra = excluded.extra,
  source = excluded.source, about = excluded.about, superseded_by = excluded.superseded_by;

-- name: tails_of_rules
SELECT id FROM rules
WHERE project = :project AND right(id, 8) = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: rules_with_texts
SELECT * FROM rules WHERE project = :project AND condition = ? AND action = ? ORDER BY seq;

-- name: page_of_rules
SELECT * FROM rules WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: latest_rules
SELECT * FROM rules WHERE project = :project ORDER BY seq DESC LIMIT nullif(?::bigint, -1);

-- name: rules_from
SELECT * FROM rules WHERE project = :project AND source = ? AND superseded_by IS NULL
ORDER BY created_at DESC, seq DESC LIMIT nullif(?::bigint, -1);

-- name: count_rules
SELECT count(*) FROM rules WHERE project = :project;

-- name: delete_rules
DELETE FROM rules WHERE project = :project AND id = ANY(:ids::text[]);

-- name: clear_rules
DELETE FROM rules WHERE project = :project;

-- name: insert_rule_version
INSERT INTO rule_versions (project, rule, version, changed_at, changed_by, condition, action)
SELECT r.project, r.seq, ?2, ?3, ?4, ?5, ?6 FROM rules AS r WHERE r.project = :project AND r.id = ?1;

-- name: delete_rule_versions
DELETE FROM rule_versions WHERE project = :project AND rule = (SELECT seq FROM rules WHERE project = :project AND id = ?);

-- name: rule_versions_of
SELECT r.id, v.version, v.changed_at, v.changed_by, v.condition, v.action
FROM rules AS r JOIN rule_versions AS v ON v.project = :project AND v.rule = r.seq
WHERE r.project = :project AND r.id = ANY(:ids::text[]) ORDER BY v.version;

-- name: insert_event
INSERT INTO events (project, seq, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
VALUES (:project, coalesce(:seq::bigint, nextval(pg_get_serial_sequence('rum.events', 'seq'))), :id, :content, :metadata,
  :timestamp::text::json, :extra, :agent_id, :session_id, :created_at, :imported_at);

-- name: insert_event_unless_known
INSERT INTO events (project, id, content, metadata, timestamp, extra, agent_id, session_id, created_at, imported_at)
SELECT :project, :id, :content, :metadata, :timestamp::text::json, :extra, :agent_id, :session_id, :created_at::bigint,
  :imported_at::bigint
WHERE NOT EXISTS (SELECT 1 FROM events WHERE project = :project AND id = :id);

-- name: get_events
SELECT * FROM events WHERE project = :project AND id = ANY(:ids::text[]) ORDER BY seq;

-- name: page_of_events
SELECT * FROM events WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: tails_of_events
SELECT DISTINCT id FROM events
WHERE project = :project AND right(id, 8) = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: older_events
SELECT * FROM (SELECT * FROM events WHERE project = :project ORDER BY seq DESC OFFSET ?) AS older ORDER BY seq;

-- name: count_event_places
SELECT count(*) FROM events WHERE project = :project AND seq = ANY(?::bigint[]);

-- name: delete_event_places
DELETE FROM events WHERE project = :project AND seq = ANY(?::bigint[]);

-- name: count_events
SELECT count(*) FROM events WHERE project = :project;

-- name: delete_events
DELETE FROM events WHERE project = :project AND id = ANY(:ids::text[]);

-- name: clear_events
DELETE FROM events WHERE project = :project;
