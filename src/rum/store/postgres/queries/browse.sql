-- name: entries_by_id
SELECT m.id, m.created_at, m.intent_goal AS goal, m.intent_type AS task_type, m.outcome_success AS success,
  m.outcome_summary AS summary, m.agent_id, m.session_id, m.tags,
  (SELECT count(*) FROM memory_files AS f WHERE f.project = :project AND f.memory_id = m.id) AS files,
  m.git_branch AS branch, m.origin_kind AS origin, m.superseded, m.reverted_by IS NOT NULL AS reverted,
  EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = m.seq) AS archived
FROM memories AS m WHERE m.project = :project AND m.id = ANY(:ids::text[]);

-- name: count_periods
SELECT p.place AS period,
  (SELECT count(*) FROM memories
    WHERE project = :project AND created_at >= p.start AND created_at < p.stop) AS memories,
  (SELECT count(*) FROM memories
    WHERE project = :project AND outcome_success = 0 AND created_at >= p.start AND created_at < p.stop) AS failures,
  (SELECT count(*) FROM memories WHERE project = :project AND strpos(tags, '"unverified"') > 0
    AND created_at >= p.start AND created_at < p.stop) AS unverified
FROM unnest(:starts::bigint[], :ends::bigint[]) WITH ORDINALITY AS p(start, stop, place) ORDER BY 1;

-- name: count_periods_of_agent
SELECT p.place AS period,
  (SELECT count(*) FROM memories
    WHERE project = :project AND agent_id = :agent AND created_at >= p.start AND created_at < p.stop) AS memories,
  (SELECT count(*) FROM memories WHERE project = :project AND outcome_success = 0
    AND created_at >= p.start AND created_at < p.stop AND agent_id = :agent) AS failures,
  (SELECT count(*) FROM memories WHERE project = :project AND strpos(tags, '"unverified"') > 0
    AND created_at >= p.start AND created_at < p.stop AND agent_id = :agent) AS unverified
FROM unnest(:starts::bigint[], :ends::bigint[]) WITH ORDINALITY AS p(start, stop, place) ORDER BY 1;

-- name: count_by_agent
SELECT agent_id, count(*) AS number FROM memories WHERE project = :project GROUP BY agent_id;

-- name: failing_files
WITH failed AS MATERIALIZED (
  SELECT id, created_at FROM memories
  WHERE project = :project AND outcome_success = 0 AND created_at >= :since ORDER BY created_at DESC LIMIT :failures
), found AS (
  SELECT f.file_path AS path, count(*) AS failures, max(failed.created_at) AS last,
    (array_agg(f.memory_id ORDER BY failed.created_at DESC))[1] AS last_id
  FROM failed JOIN memory_files AS f ON f.project = :project AND f.memory_id = failed.id WHERE f.operation <> 'read'
  GROUP BY f.file_path ORDER BY 2 DESC, 3 DESC, 1 LIMIT :limit
)
SELECT found.*, (SELECT count(*) FROM memory_files AS f
  WHERE f.project = :project AND f.file_path = found.path AND f.created_at >= :since) AS memories
FROM found ORDER BY failures DESC, last DESC, path;

-- name: recent_paths
WITH recent AS MATERIALIZED (
  SELECT id, outcome_success FROM memories WHERE project = :project AND created_at >= :since
  ORDER BY created_at DESC, id DESC LIMIT :limit
)
SELECT f.file_path AS path, f.memory_id, r.outcome_success AS success
FROM recent AS r JOIN memory_files AS f ON f.project = :project AND f.memory_id = r.id WHERE f.operation <> 'read';

-- name: children
-- Each step looks up the first path after all that is below the child before. A path that begins with a slash is
-- outside of the repository.
WITH RECURSIVE child(rest, step) AS (
  SELECT substr(min(file_path), length(:folder::text) + 1), 1 FROM memory_files
  WHERE project = :project AND file_path > :folder || :after::text AND file_path < :folder || chr(1114111)
  UNION ALL
  SELECT (
    SELECT substr(min(f.file_path), length(:folder::text) + 1) FROM memory_files AS f
    WHERE f.project = :project AND f.file_path < :folder || chr(1114111) AND f.file_path > :folder || CASE
      WHEN strpos(substr(child.rest, 2), '/') > 0
      THEN substr(child.rest, 1, strpos(substr(child.rest, 2), '/')) || '/' || chr(1114111)
      ELSE child.rest END
  ), child.step + 1
  FROM child WHERE child.rest IS NOT NULL AND child.step < :limit
)
SELECT CASE WHEN slash > 0 THEN substr(rest, 1, slash) ELSE rest END AS path, slash > 0 AS is_folder
FROM (SELECT rest, step, strpos(substr(rest, 2), '/') AS slash FROM child WHERE rest IS NOT NULL) AS found ORDER BY step;

-- name: count_below
SELECT count(*) AS rows_read, count(DISTINCT f.memory_id) AS memories, coalesce(max(f.created_at), 0) AS last,
  count(DISTINCT f.memory_id) FILTER (WHERE m.outcome_success = 0) AS failures
FROM (
  SELECT memory_id, created_at FROM memory_files
  WHERE project = :project AND file_path >= :first AND file_path <= :last
  ORDER BY file_path DESC, created_at DESC LIMIT :cap
) AS f JOIN memories AS m ON m.project = :project AND m.id = f.memory_id;
