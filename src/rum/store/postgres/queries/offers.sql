-- What offers read; the same as in `sqlite/readonly.py`. Lists come as JSON.

-- name: offer_attempts
WITH RECURSIVE names (name) AS (
  SELECT ?1::text COLLATE "C"
  UNION SELECT r.before FROM names JOIN renames AS r ON r.project = :project AND r.path = names.name
)
SELECT m.id, a.at, a.worked, a.size, a.marks, a.tried, a.why, a.instead, m.session_id
FROM names JOIN attempts AS a ON a.project = :project AND a.key = names.name
JOIN memories AS m ON m.project = :project AND m.seq = a.memory
WHERE m.superseded = 0 ORDER BY a.at DESC, a.memory DESC, a.number DESC LIMIT ?2::bigint;

-- name: offer_newest
SELECT m.id, m.created_at, m.intent_goal, m.outcome_success, (strpos(m.tags, '"partial"') > 0)::integer,
  (strpos(m.tags, '"rejected"') > 0 OR EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS later ON later.project = :project AND later.id = l.source_id
    WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'caused_by' AND later.outcome_success = 1
      AND strpos(later.tags, '"partial"') = 0 AND later.created_at >= m.created_at
      AND later.reverted_by IS NULL))::integer,
  m.git_commit, m.imported_at, coalesce(left(m.reverted_commit, 10), m.reverted_by),
  m.reasoning, m.outcome, a.form, a.data, m.outcome_summary
FROM memories AS m LEFT JOIN archived AS a ON a.project = :project AND a.memory = m.seq
WHERE m.project = :project AND m.superseded = 0 ORDER BY m.created_at DESC, m.id DESC LIMIT ?;

-- name: offer_of_file
SELECT m.id, m.created_at, m.intent_goal, m.outcome_success, (strpos(m.tags, '"partial"') > 0)::integer,
  (strpos(m.tags, '"rejected"') > 0 OR EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS later ON later.project = :project AND later.id = l.source_id
    WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'caused_by' AND later.outcome_success = 1
      AND strpos(later.tags, '"partial"') = 0 AND later.created_at >= m.created_at
      AND later.reverted_by IS NULL))::integer,
  m.git_commit, m.imported_at, coalesce(left(m.reverted_commit, 10), m.reverted_by),
  m.reasoning, m.outcome, a.form, a.data, m.outcome_summary
FROM memory_files AS f JOIN memories AS m ON m.project = :project AND m.id = f.memory_id
LEFT JOIN archived AS a ON a.project = :project AND a.memory = m.seq
WHERE f.project = :project AND f.file_path = ? AND f.operation <> 'read' AND m.superseded = 0 AND m.session_id <> ?
ORDER BY f.created_at DESC, f.memory_id DESC LIMIT ?;

-- name: offer_users_words
SELECT id, created_at, condition, action FROM rules
WHERE project = :project AND source = 'user' AND superseded_by IS NULL ORDER BY created_at DESC, seq DESC LIMIT ?;

-- name: offer_changed_files
SELECT memory_id, file_path, content_hash FROM memory_files
WHERE project = :project AND memory_id IN (SELECT json_array_elements_text(?::json)) AND operation <> 'read';

-- name: offer_some
SELECT count(*) FROM (SELECT 1 FROM memories WHERE project = :project LIMIT ?) AS counted;

-- name: offer_created_at
SELECT created_at FROM memories WHERE project = :project AND id IN (SELECT json_array_elements_text(?::json));

-- name: offer_anchors
SELECT m.id, a.data FROM memories AS m JOIN anchors AS a ON a.project = :project AND a.memory = m.seq
WHERE m.project = :project AND m.id IN (SELECT json_array_elements_text(?::json));

-- name: offer_rule_anchors
SELECT name, data FROM text_anchors WHERE project = :project AND name IN (SELECT json_array_elements_text(?::json));

-- name: offer_later_names
SELECT before, path FROM renames WHERE project = :project AND before IN (SELECT json_array_elements_text(?::json))
ORDER BY renamed_at DESC, path;

-- name: offer_last_of_session
SELECT id FROM memories WHERE project = :project AND session_id = ? ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: offer_session_events
SELECT data FROM seen WHERE project = :project AND client = ? AND session = ?
  AND kind IN (SELECT json_array_elements_text(?::json)) ORDER BY at DESC LIMIT ?;

-- name: offer_holders
(SELECT seq FROM memory_terms WHERE project = :project AND term = ?1 LIMIT ?2)
UNION ALL (SELECT seq FROM archived_terms WHERE project = :project AND term = ?1 LIMIT ?2) LIMIT ?2;
