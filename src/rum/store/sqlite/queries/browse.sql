-- name: entries_by_id
SELECT m.id, m.created_at, m.intent_goal AS goal, m.intent_type AS task_type, m.outcome_success AS success,
  m.outcome_summary AS summary, m.agent_id, m.session_id, m.tags,
  (SELECT count(*) FROM memory_files AS f WHERE f.memory_id = m.id) AS files,
  m.git_branch AS branch, m.origin_kind AS origin, m.superseded, m.reverted_by IS NOT NULL AS reverted,
  EXISTS (SELECT 1 FROM archived AS a WHERE a.memory = m.seq) AS archived
FROM memories AS m WHERE m.id IN (:ids);

-- name: count_periods
SELECT p.key AS period,
  (SELECT count(*) FROM memories WHERE created_at >= p.value AND created_at < json_extract(:ends, p.path)) AS memories,
  (SELECT count(*) FROM memories INDEXED BY memories_failed
    WHERE outcome_success = 0 AND created_at >= p.value AND created_at < json_extract(:ends, p.path)) AS failures,
  (SELECT count(*) FROM memories INDEXED BY memories_unverified
    WHERE instr(tags, '"unverified"') > 0 AND created_at >= p.value
      AND created_at < json_extract(:ends, p.path)) AS unverified
FROM (SELECT key, value, '$[' || key || ']' AS path FROM json_each(:starts)) AS p ORDER BY 1;

-- name: count_periods_of_agent
SELECT p.key AS period,
  (SELECT count(*) FROM memories
    WHERE agent_id = :agent AND created_at >= p.value AND created_at < json_extract(:ends, p.path)) AS memories,
  (SELECT count(*) FROM memories INDEXED BY memories_failed
    WHERE outcome_success = 0 AND created_at >= p.value AND created_at < json_extract(:ends, p.path)
      AND agent_id = :agent) AS failures,
  (SELECT count(*) FROM memories INDEXED BY memories_unverified
    WHERE instr(tags, '"unverified"') > 0 AND created_at >= p.value
      AND created_at < json_extract(:ends, p.path) AND agent_id = :agent) AS unverified
FROM (SELECT key, value, '$[' || key || ']' AS path FROM json_each(:starts)) AS p ORDER BY 1;

-- name: count_by_agent
SELECT agent_id, count(*) AS number FROM memories GROUP BY agent_id;

-- name: failing_files
WITH failed AS MATERIALIZED (
  SELECT id, created_at FROM memories INDEXED BY memories_failed
  WHERE outcome_success = 0 AND created_at >= :since ORDER BY created_at DESC LIMIT :failures
), found AS (
  -- In a query with max(), SQLite takes the other columns from the row with the maximum.
  SELECT f.file_path AS path, count(*) AS failures, max(failed.created_at) AS last, f.memory_id AS last_id
  FROM failed CROSS JOIN memory_files AS f ON f.memory_id = failed.id WHERE f.operation <> 'read'
  GROUP BY f.file_path ORDER BY 2 DESC, 3 DESC, 1 LIMIT :limit
)
SELECT found.*, (SELECT count(*) FROM memory_files AS f
  WHERE f.file_path = found.path AND f.created_at >= :since) AS memories
FROM found ORDER BY failures DESC, last DESC, path;

-- name: recent_paths
WITH recent AS MATERIALIZED (
  SELECT id, outcome_success FROM memories WHERE created_at >= :since ORDER BY created_at DESC, id DESC LIMIT :limit
)
SELECT f.file_path AS path, f.memory_id, r.outcome_success AS success
FROM recent AS r CROSS JOIN memory_files AS f ON f.memory_id = r.id WHERE f.operation <> 'read';

-- name: children
-- Each step looks up the first path after all that is below the child before. A path that begins with a slash is
-- outside of the repository.
WITH RECURSIVE child(rest, step) AS (
  SELECT substr(min(file_path), length(:folder) + 1), 1 FROM memory_files
  WHERE file_path > :folder || :after AND file_path < :folder || char(1114111)
  UNION ALL
  SELECT (
    SELECT substr(min(f.file_path), length(:folder) + 1) FROM memory_files AS f
    WHERE f.file_path < :folder || char(1114111) AND f.file_path > :folder || iif(
      instr(substr(child.rest, 2), '/'),
      substr(child.rest, 1, instr(substr(child.rest, 2), '/')) || '/' || char(1114111),
      child.rest
    )
  ), child.step + 1
  FROM child WHERE child.rest IS NOT NULL AND child.step < :limit
)
SELECT iif(slash, substr(rest, 1, slash), rest) AS path, slash > 0 AS is_folder
FROM (SELECT rest, instr(substr(rest, 2), '/') AS slash FROM child WHERE rest IS NOT NULL);

-- name: count_below
SELECT count(*) AS rows_read, count(DISTINCT f.memory_id) AS memories, coalesce(max(f.created_at), 0) AS last,
  count(DISTINCT CASE WHEN m.outcome_success = 0 THEN f.memory_id END) AS failures
FROM (
  SELECT memory_id, created_at FROM memory_files WHERE file_path >= :first AND file_path <= :last
  ORDER BY file_path DESC, created_at DESC LIMIT :cap
) AS f CROSS JOIN memories AS m ON m.id = f.memory_id;

-- name: count_rows_below
SELECT count(*) FROM (
  SELECT 1 FROM memory_files WHERE file_path >= ? AND file_path < ? LIMIT ?
);

-- name: count_tagged
SELECT count(*) FROM (SELECT 1 FROM memory_tags WHERE tag = ? LIMIT ?);
