-- name: weigh_live
-- What speaks against archiving each live memory, in order of time; '' where nothing does.
SELECT m.created_at, m.id, m.superseded, CASE
  WHEN greatest(m.created_at, coalesce(m.updated_at, 0)) >= :before THEN 'young'
  WHEN NOT is_json(m.outcome) THEN 'damaged'
  WHEN m.superseded = 1 THEN ''
  WHEN m.importance >= :importance::double precision THEN 'important'
  WHEN json_array_length(coalesce(m.outcome::json -> 'follow_up_needed', '[]')) > 0 AND NOT EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.project = :project AND n.id = l.source_id
    WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'caused_by' AND n.outcome_success = 1
  ) AND NOT EXISTS (
    SELECT 1 FROM memories AS n
    WHERE n.project = :project AND n.goal_key = m.goal_key
      AND lower(n.intent_goal) = lower(m.intent_goal) AND n.outcome_success = 1 AND n.created_at > m.created_at
  ) THEN 'follow_ups'
  WHEN EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.project = :project AND n.id = l.source_id
    WHERE l.project = :project AND l.target_id = m.id AND n.created_at >= :before
  ) OR EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.project = :project AND n.id = l.target_id
    WHERE l.project = :project AND l.source_id = m.id AND n.created_at >= :before
  ) THEN 'linked'
  ELSE '' END AS against
FROM memories AS m
WHERE m.project = :project AND (m.created_at, m.id) > (:at, :id)
  AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = m.seq)
ORDER BY m.created_at, m.id LIMIT :most;

-- name: layers_of_live
SELECT m.seq, m.id, m.version, m.intent_goal, m.outcome_summary,
  m.intent, m.perception, m.reasoning, m.actions, m.outcome
FROM memories AS m WHERE m.project = :project AND m.id = ANY(?::text[])
  AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = m.seq);

-- name: is_live_as
SELECT 1 FROM memories AS m WHERE m.project = :project AND m.seq = ? AND m.id = ? AND m.version = ?
AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = m.seq);

-- name: archive_memory
INSERT INTO archived (project, memory, archived_at, form, data, length, terms) VALUES (:project, ?, ?, ?, ?, ?, ?);

-- name: is_archived
SELECT 1 FROM archived WHERE project = :project AND memory = ?;

-- name: archived_row
SELECT a.form, a.data, m.intent_goal, m.outcome_summary, a.terms
FROM archived AS a JOIN memories AS m ON m.project = :project AND m.seq = a.memory
WHERE a.project = :project AND a.memory = ?;

-- name: unarchive_memory
DELETE FROM archived WHERE project = :project AND memory = ?;

-- name: set_layers
UPDATE memories SET intent = ?, perception = ?, reasoning = ?, actions = ?, outcome = ? WHERE project = :project AND seq = ?;

-- name: archived_blobs
SELECT a.memory, m.id, a.form, a.data, m.intent_goal, m.outcome_summary
FROM archived AS a JOIN memories AS m ON m.project = :project AND m.seq = a.memory
WHERE a.project = :project AND a.memory > ? ORDER BY a.memory LIMIT ?;

-- name: index_figures
-- Live memories, those with a text, rows of texts, terms that they should hold, and terms that are held; then the same
-- of the archive, with what is recorded of its size; then chapters and wisdom with a text, and rows of texts.
WITH live AS MATERIALIZED (
  SELECT m.seq FROM memories AS m WHERE m.project = :project
  AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = m.seq)
), texts AS MATERIALIZED (
  SELECT t.seq, t.seq IN (SELECT seq FROM live) AS is_live, (
    SELECT count(DISTINCT term) FROM unnest(string_to_array(concat_ws(' ', t.goal, t.intent, t.outcome, t.learnings,
      t.reasoning, t.perception, t.actions, t.tags, t.paths), ' ')) AS term WHERE term <> ''
  ) AS size FROM memory_text AS t WHERE t.project = :project
), numbers AS MATERIALIZED (
  SELECT 2 * seq AS number FROM chapters WHERE project = :project
  UNION ALL SELECT 2 * seq + 1 FROM wisdom WHERE project = :project
)
SELECT (SELECT count(*) FROM live) AS live,
  (SELECT count(*) FROM texts WHERE is_live) AS live_texts, (SELECT count(*) FROM texts) AS texts,
  (SELECT coalesce(sum(size), 0) FROM texts) AS live_terms,
  (SELECT count(*) FROM memory_terms WHERE project = :project) AS terms,
  (SELECT count(*) FROM archived WHERE project = :project) AS archived,
  (SELECT value::bigint FROM derived WHERE project = :project AND name = 'archived') AS recorded,
  (SELECT count(*) FROM archived WHERE project = :project AND terms IN (?, ?)) AS archived_texts,
  (SELECT coalesce(sum(cardinality(array_remove(string_to_array(held, ' '), ''))), 0)
    FROM archived WHERE project = :project) AS archived_held,
  (SELECT count(*) FROM archived_terms WHERE project = :project) AS archived_terms,
  (SELECT count(*) FROM numbers) AS groups,
  (SELECT count(*) FROM numbers JOIN knowledge_text AS k ON k.project = :project AND k.number = numbers.number) AS group_texts,
  (SELECT count(*) FROM knowledge_text WHERE project = :project) AS all_group_texts;

-- name: drop_stray_text
DELETE FROM memory_text AS t WHERE t.project = :project
  AND EXISTS (SELECT 1 FROM archived AS a WHERE a.project = :project AND a.memory = t.seq);

-- name: drop_stray_terms
DELETE FROM memory_terms AS h WHERE h.project = :project
  AND NOT EXISTS (SELECT 1 FROM memory_text AS t WHERE t.project = :project AND t.seq = h.seq);

-- name: count_archived
SELECT count(*) FROM archived WHERE project = :project;

-- name: recount_archived
UPDATE derived SET value = (SELECT count(*)::text FROM archived WHERE project = :project)
WHERE project = :project AND name = 'archived';

-- name: more_archived
UPDATE derived SET value = (value::bigint + ?::bigint)::text WHERE project = :project AND name = 'archived';

-- name: add_archived_terms
WITH noted AS (UPDATE archived SET held = ?2 WHERE project = :project AND memory = ?1)
INSERT INTO archived_terms (project, term, seq)
SELECT :project, term, ?1::bigint FROM unnest(string_to_array(?2::text, ' ')) AS term WHERE term <> '';

-- name: drop_archived_terms
WITH noted AS (
  SELECT unnest(string_to_array(held, ' ')) AS term FROM archived WHERE project = :project AND memory = ?1::bigint
)
DELETE FROM archived_terms AS h USING noted
WHERE h.project = :project AND h.seq = ?1::bigint AND h.term = noted.term COLLATE "C";

-- name: note_archived_terms
UPDATE archived SET length = ?2, terms = ?3 WHERE project = :project AND memory = ?1;

-- name: page_of_archived
SELECT a.memory, m.id FROM archived AS a JOIN memories AS m ON m.project = :project AND m.seq = a.memory
WHERE a.project = :project AND a.memory > ? ORDER BY a.memory LIMIT ?;

-- name: archive_vectors
INSERT INTO archived_vectors (project, memory, model, data)
SELECT project, memory, model, data FROM memory_vectors WHERE project = :project AND memory = ? ON CONFLICT DO NOTHING;

-- name: drop_live_vectors
DELETE FROM memory_vectors WHERE project = :project AND memory = ?;

-- name: unarchive_vectors
INSERT INTO memory_vectors (project, memory, model, data)
SELECT project, memory, model, data FROM archived_vectors WHERE project = :project AND memory = ? ON CONFLICT DO NOTHING;

-- name: drop_archived_vectors
DELETE FROM archived_vectors WHERE project = :project AND memory = ?;

-- name: delete_archived_vectors
DELETE FROM archived_vectors WHERE project = :project AND model = ?;

-- name: role_figures
SELECT current_user AS name, (r.rolsuper OR r.rolbypassrls) AS passes, (
  SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'project' AND NOT a.attisdropped
  WHERE c.relnamespace = 'rum'::regnamespace AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
) AS open_tables
FROM pg_roles AS r WHERE r.rolname = current_user AND :project IS NOT NULL;

-- name: status_figures
SELECT current_setting('server_version') AS server, (SELECT max(number) FROM migrations) AS schema,
  (SELECT count(*) FROM memories WHERE project = :project) AS memories,
  (SELECT count(*) FROM archived WHERE project = :project) AS archived,
  (SELECT count(*) FROM chapters WHERE project = :project) AS chapters,
  (SELECT count(*) FROM wisdom WHERE project = :project) AS wisdom,
  pg_database_size(current_database()) AS bytes;
