-- Values are written as in SQLite's files: `?`, `?2` or `:name`; `:project` is always there, and lists are arrays.

-- name: insert_memory
-- A project has one writer at a time, so its keys follow each other.
INSERT INTO memories (
  project, seq, id, agent_id, project_id, session_id, created_at, updated_at, version,
  intent_goal, intent_type, outcome_success, outcome_summary,
  intent, perception, reasoning, actions, outcome, tags, importance, git_commit, git_branch, imported_at,
  origin_kind, origin_reference, reverted_by, reverted_commit, reverted_in_part, reverted_reason
) VALUES (
  :project, (SELECT coalesce(max(m.seq), 0) + 1 FROM memories AS m WHERE m.project = :project),
  :id, :agent_id, :project_id, :session_id, :created_at, :updated_at, :version,
  :intent_goal, :intent_type, :outcome_success, :outcome_summary,
  :intent, :perception, :reasoning, :actions, :outcome, :tags, :importance, :git_commit, :git_branch, :imported_at,
  :origin_kind, :origin_reference, :reverted_by, :reverted_commit, :reverted_in_part, :reverted_reason
) RETURNING seq;

-- name: update_memory
UPDATE memories SET
  updated_at = :updated_at, version = :version,
  intent_goal = :intent_goal, intent_type = :intent_type,
  outcome_success = :outcome_success, outcome_summary = :outcome_summary,
  intent = :intent, perception = :perception, reasoning = :reasoning, actions = :actions, outcome = :outcome,
  tags = :tags, importance = :importance, git_commit = :git_commit, git_branch = :git_branch,
  imported_at = :imported_at, reverted_by = :reverted_by, reverted_commit = :reverted_commit,
  reverted_in_part = :reverted_in_part, reverted_reason = :reverted_reason
WHERE project = :project AND id = :id;

-- name: memories_by_id
-- Lists come as JSON, so that one statement gives all; {json ...} puts a NUL back as JSON writes it.
SELECT m.id, m.agent_id, m.project_id, m.session_id, m.created_at, m.updated_at, m.version,
  m.intent_goal, m.intent_type, m.outcome_success, m.outcome_summary,
  m.intent, m.perception, m.reasoning, m.actions, m.outcome, m.tags, m.importance,
  m.git_commit, m.git_branch, m.imported_at, m.origin_kind, m.origin_reference,
  m.reverted_by, m.reverted_commit, m.reverted_in_part, m.reverted_reason, a.form, a.data,
  coalesce({json (SELECT json_agg(json_build_array(f.file_path, f.operation, f.content_hash) ORDER BY f.file_path)
    FROM memory_files AS f WHERE f.project = :project AND f.memory_id = m.id)}, '[]') AS files,
  CASE WHEN m.superseded = 1 THEN coalesce({json (SELECT json_agg(l.source_id ORDER BY l.source_id) FROM memory_links AS l
    WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'supersedes')}, '[]') ELSE '[]' END AS superseded_by,
  coalesce({json (SELECT json_agg(json_build_array(r.id, r.git_commit, r.reverted_in_part) ORDER BY r.created_at, r.id)
    FROM memories AS r WHERE r.project = :project AND r.reverted_by = m.id)}, '[]') AS reverts
FROM memories AS m LEFT JOIN archived AS a ON a.project = :project AND a.memory = m.seq
WHERE m.project = :project AND m.id = ANY(:ids::text[]);

-- name: headlines_by_id
SELECT m.id, m.agent_id, m.project_id, m.session_id, m.created_at, m.version,
  m.intent_goal, m.intent_type, m.outcome_success, m.outcome_summary, m.origin_kind, m.origin_reference,
  m.reverted_by, m.reverted_commit, m.reverted_in_part, m.reverted_reason,
  CASE WHEN m.superseded = 1 THEN coalesce({json (SELECT json_agg(l.source_id ORDER BY l.source_id) FROM memory_links AS l
    WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'supersedes')}, '[]') ELSE '[]' END AS superseded_by,
  coalesce({json (SELECT json_agg(json_build_array(r.id, r.git_commit, r.reverted_in_part) ORDER BY r.created_at, r.id)
    FROM memories AS r WHERE r.project = :project AND r.reverted_by = m.id)}, '[]') AS reverts
FROM memories AS m WHERE m.project = :project AND m.id = ANY(:ids::text[]);

-- name: files_of
SELECT f.memory_id, f.file_path, f.operation, f.content_hash FROM memory_files AS f
WHERE f.project = :project AND f.memory_id = ANY(:ids::text[]) ORDER BY f.memory_id, f.file_path;

-- name: insert_file
INSERT INTO memory_files (project, memory_id, file_path, operation, content_hash, created_at)
VALUES (:project, ?, ?, ?, ?, ?);

-- name: delete_files
DELETE FROM memory_files WHERE project = :project AND memory_id = ?;

-- name: insert_rename
INSERT INTO renames (project, path, before, memory, renamed_at)
SELECT m.project, :path, :before, m.seq, m.created_at FROM memories AS m WHERE m.project = :project AND m.id = :id
ON CONFLICT DO NOTHING;

-- name: renames_of
SELECT r.before, r.path FROM memories AS m JOIN renames AS r ON r.project = :project AND r.memory = m.seq
WHERE m.project = :project AND m.id = ? ORDER BY r.path, r.before;

-- name: insert_tag
INSERT INTO memory_tags (project, tag, memory_id) VALUES (:project, ?, ?);

-- name: delete_tags
DELETE FROM memory_tags WHERE project = :project AND memory_id = ?;

-- name: insert_text
WITH texts AS (
  INSERT INTO memory_text (project, seq, goal, intent, outcome, learnings, reasoning, perception, actions, tags, paths)
  VALUES (:project, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
)
INSERT INTO memory_terms (project, term, seq, fields)
SELECT :project, held.term, ?1::bigint, bit_or(field.bit)::smallint
FROM (VALUES (1, ?2::text), (2, ?3), (4, ?4), (8, ?5), (16, ?6), (32, ?7), (64, ?8), (128, ?9), (256, ?10)) AS field(bit, body)
CROSS JOIN LATERAL unnest(string_to_array(field.body, ' ')) AS held(term)
WHERE held.term <> '' GROUP BY held.term;

-- name: delete_text
WITH gone AS (
  DELETE FROM memory_text AS t WHERE t.project = :project AND t.seq = ?1::bigint
  RETURNING concat_ws(' ', t.goal, t.intent, t.outcome, t.learnings, t.reasoning, t.perception, t.actions, t.tags, t.paths) AS body
)
DELETE FROM memory_terms AS h USING (SELECT DISTINCT unnest(string_to_array(body, ' ')) AS term FROM gone) AS held
WHERE h.project = :project AND h.seq = ?1::bigint AND h.term = held.term COLLATE "C";

-- name: insert_attempt
INSERT INTO attempts (project, memory, number, key, at, worked, size, marks, tried, why, instead)
VALUES (:project, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: delete_attempts
DELETE FROM attempts WHERE project = :project AND memory = ?;

-- name: seq_of
SELECT seq FROM memories WHERE project = :project AND id = ?;

-- name: delete_memory
DELETE FROM memories WHERE project = :project AND id = ?;

-- name: count_versions
SELECT count(*) FROM memory_versions WHERE project = :project AND memory_id = ?;

-- name: ids_by_tail
SELECT id FROM memories
WHERE project = :project AND tail = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: in_time_order
SELECT created_at, id FROM memories WHERE project = :project AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?;

-- name: count_memories
SELECT count(*) FROM memories WHERE project = :project;

-- name: reverted_memories
SELECT id FROM memories WHERE project = :project AND reverted_by IS NOT NULL ORDER BY id;

-- name: of_commits
SELECT id, origin_reference FROM memories WHERE project = :project AND created_at >= ? AND origin_kind = 'commit';

-- name: checked_out
SELECT id, git_commit FROM memories WHERE project = :project AND git_commit IS NOT NULL;

-- name: insert_memory_version
INSERT INTO memory_versions (project, memory_id, version, changed_at, changed_by, data) VALUES (:project, ?, ?, ?, ?, ?);

-- name: delete_memory_versions
DELETE FROM memory_versions WHERE project = :project AND memory_id = ?;

-- name: memory_versions_of
SELECT memory_id AS id, version, changed_at, changed_by, data FROM memory_versions
WHERE project = :project AND memory_id = ANY(:ids::text[]) ORDER BY version;

-- name: insert_tombstone
INSERT INTO tombstones (project, hash, kind, created_at) VALUES (:project, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: all_tombstones
SELECT kind, hash FROM tombstones WHERE project = :project;

-- name: tombstones_among
SELECT t.hash FROM tombstones AS t WHERE t.project = :project AND t.hash = ANY(:hashes::text[])
UNION
SELECT m.hash FROM trash_tombstones AS m JOIN trash AS t ON t.project = :project AND t.number = m.item
WHERE m.project = :project AND m.hash = ANY(:hashes::text[]) AND (:pending::bigint = 1 OR t.pending = 0);

-- name: delete_tombstone
DELETE FROM tombstones WHERE project = :project AND hash = ?;

-- name: insert_link
INSERT INTO memory_links (project, source_id, target_id, link_type, created_at) VALUES (:project, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: edges_of
SELECT source_id, target_id, link_type, created_at FROM memory_links
WHERE project = :project AND source_id = ANY(:ids::text[])
UNION
SELECT source_id, target_id, link_type, created_at FROM memory_links
WHERE project = :project AND target_id = ANY(:ids::text[]);

-- name: all_edges
SELECT source_id, target_id, link_type, created_at FROM memory_links
WHERE project = :project ORDER BY source_id, target_id, link_type;

-- name: supersedes_reaches
WITH RECURSIVE older(id) AS (
  SELECT :source_id::text COLLATE "C"
  UNION
  SELECT l.target_id FROM older JOIN memory_links AS l
    ON l.project = :project AND l.source_id = older.id AND l.link_type = 'supersedes'
)
SELECT 1 FROM older WHERE id = :target_id;

-- name: mark_superseded
UPDATE memories AS m SET superseded = (EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'supersedes'
))::integer WHERE m.project = :project AND m.id = ANY(?::text[]);

-- name: renew_superseded
UPDATE memories AS m SET superseded = 1 - m.superseded WHERE m.project = :project AND m.superseded <> (EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'supersedes'
))::integer;

-- name: wrongly_superseded
SELECT count(*) FROM memories AS m WHERE m.project = :project AND m.superseded <> (EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.project = :project AND l.target_id = m.id AND l.link_type = 'supersedes'
))::integer;

-- name: untagged
SELECT count(*) FROM memories AS m
WHERE m.project = :project AND json_array_length(m.tags::json)
  <> (SELECT count(*) FROM memory_tags AS t WHERE t.project = :project AND t.memory_id = m.id);

-- name: superseded_by
SELECT target_id FROM memory_links WHERE project = :project AND source_id = ? AND link_type = 'supersedes';

-- name: insert_agent
INSERT INTO agents (project, id, type, parent_id, project_id, name, client, created_at, last_active, imported_at, metadata)
VALUES (:project, :id, :type, :parent_id, :project_id, :name, :client, :created_at, :last_active, :imported_at, :metadata);

-- name: agent_by_id
SELECT * FROM agents WHERE project = :project AND id = ?;

-- name: agents_by_tail
SELECT id FROM agents WHERE project = :project AND right(id, length(?1)) = ?1 LIMIT 5;

-- name: agent_by_name
SELECT id FROM agents WHERE project = :project AND name = ?;

-- name: last_main_agent
SELECT * FROM agents
WHERE project = :project AND type = 'main' AND client IS NOT DISTINCT FROM ?::text AND imported_at IS NULL
ORDER BY last_active DESC, id DESC LIMIT 1;

-- name: all_agents
SELECT * FROM agents WHERE project = :project ORDER BY created_at, id;

-- name: update_agent
UPDATE agents SET name = coalesce(:name, name), last_active = greatest(last_active, :last_active),
  metadata = coalesce(:metadata, metadata) WHERE project = :project AND id = :id;

-- name: agent_figures
SELECT wanted.id, count(m.id) AS memories, coalesce(sum(m.outcome_success), 0) AS successes,
  count(DISTINCT m.session_id) AS sessions,
  coalesce((SELECT json_agg(a.id ORDER BY a.created_at, a.id) FROM agents AS a
    WHERE a.project = :project AND a.parent_id = wanted.id)::text, '[]') AS children
FROM unnest(?::text[]) AS wanted(id)
LEFT JOIN memories AS m ON m.project = :project AND m.agent_id = wanted.id GROUP BY wanted.id;

-- name: forget_meaning
DELETE FROM memory_vectors AS v USING memories AS m
WHERE v.project = :project AND m.project = :project AND v.memory = m.seq AND m.id = :id
  AND (m.intent, m.reasoning, m.outcome) IS DISTINCT FROM (:intent::text, :reasoning::text, :outcome::text);

-- name: queue_if_changed
INSERT INTO unembedded (project, memory, model)
SELECT m.project, m.seq, k.number FROM memories AS m CROSS JOIN vector_models AS k
WHERE m.project = :project AND k.project = :project AND m.id = :id
  AND (m.intent, m.reasoning, m.outcome) IS DISTINCT FROM (:intent::text, :reasoning::text, :outcome::text)
ON CONFLICT DO NOTHING;

-- name: queue_memory
INSERT INTO unembedded (project, memory, model) SELECT project, ?, number FROM vector_models WHERE project = :project;

-- name: queue_missing
INSERT INTO unembedded (project, memory, model)
SELECT m.project, m.seq, k.number FROM vector_models AS k CROSS JOIN memories AS m
WHERE k.project = :project AND m.project = :project AND k.number = ? AND NOT EXISTS (
  SELECT 1 FROM memory_vectors AS v WHERE v.project = :project AND v.memory = m.seq AND v.model = k.number
) AND NOT EXISTS (
  SELECT 1 FROM archived_vectors AS v WHERE v.project = :project AND v.memory = m.seq AND v.model = k.number
)
ON CONFLICT DO NOTHING;

-- name: use_model
INSERT INTO vector_models AS k (project, number, name, used_at)
VALUES (:project, (SELECT coalesce(max(number), 0) + 1 FROM vector_models WHERE project = :project), :name, :now)
ON CONFLICT (project, name) DO UPDATE SET used_at = greatest(k.used_at, excluded.used_at);

-- name: model_noted_before
SELECT 1 FROM vector_models WHERE project = :project AND name = ? AND used_at < ?;

-- name: renew_model
UPDATE vector_models SET used_at = greatest(used_at, ?) WHERE project = :project AND name = ?;

-- name: model_number
SELECT number FROM vector_models WHERE project = :project AND name = ?;

-- name: vector_models
SELECT name, number FROM vector_models WHERE project = :project ORDER BY number;

-- name: unused_models
SELECT number FROM vector_models WHERE project = :project AND name <> :kept AND used_at < :before ORDER BY number;

-- name: pending_vectors
WITH used AS (SELECT (SELECT number FROM vector_models WHERE project = :project AND name = :model) AS model)
SELECT id FROM (
  SELECT m.id, m.seq FROM used JOIN unembedded AS u ON u.project = :project AND u.model = used.model
  JOIN memories AS m ON m.project = :project AND m.seq = u.memory ORDER BY u.memory DESC LIMIT :most
) AS waiting
UNION ALL -- all memories, where nobody has noted yet which of them the model has to see
SELECT id FROM (
  SELECT m.id FROM used JOIN memories AS m ON m.project = :project AND used.model IS NULL ORDER BY m.seq DESC LIMIT :most
) AS every_one;

-- name: vector_state
WITH used AS (SELECT (SELECT number FROM vector_models WHERE project = :project AND name = ?) AS model)
SELECT (EXISTS (SELECT 1 FROM memory_vectors AS v
    WHERE v.project = :project AND v.model = used.model AND v.data <> ''))::integer AS live,
  (EXISTS (SELECT 1 FROM archived_vectors AS v
    WHERE v.project = :project AND v.model = used.model AND v.data <> ''))::integer AS archived,
  -- All memories are pending where the model was never used.
  (CASE WHEN used.model IS NULL THEN EXISTS (SELECT 1 FROM memories WHERE project = :project)
    ELSE EXISTS (SELECT 1 FROM unembedded AS u WHERE u.project = :project AND u.model = used.model) END)::integer AS pending,
  (SELECT value FROM derived WHERE project = :project AND name = 'scale of model ' || used.model) AS scale
FROM used;

-- name: owners_of_vectors
SELECT 'live', NULL::bigint, (SELECT coalesce(max(number), 0) FROM memory_vectors WHERE project = :project)
UNION ALL
SELECT 'archived', NULL, (SELECT coalesce(max(number), 0) FROM archived_vectors WHERE project = :project)
UNION ALL
SELECT 'live', number, memory FROM memory_vectors WHERE project = :project AND number = ANY(:live::bigint[])
UNION ALL
SELECT 'archived', number, memory FROM archived_vectors WHERE project = :project AND number = ANY(:archived::bigint[]);

-- name: vectors_since_live
SELECT number, data FROM memory_vectors WHERE project = :project AND number > :number
  AND model = (SELECT number FROM vector_models WHERE project = :project AND name = :model)
  AND data <> '' ORDER BY number LIMIT :most;

-- name: vectors_since_archived
SELECT number, data FROM archived_vectors WHERE project = :project AND number > :number
  AND model = (SELECT number FROM vector_models WHERE project = :project AND name = :model)
  AND data <> '' ORDER BY number LIMIT :most;

-- name: vectors_of
SELECT v.memory, v.number, NULL::bytea FROM memory_vectors AS v
WHERE v.project = :project AND v.memory = ANY(:keys::bigint[])
  AND v.model = (SELECT number FROM vector_models WHERE project = :project AND name = :model)
UNION ALL
SELECT v.memory, NULL, v.data FROM archived_vectors AS v
WHERE v.project = :project AND v.memory = ANY(:keys::bigint[])
  AND v.model = (SELECT number FROM vector_models WHERE project = :project AND name = :model);

-- name: packed_vectors_among
SELECT v.memory, v.data FROM memory_vectors AS v
WHERE v.project = :project AND v.memory = ANY(:keys::bigint[])
  AND v.model = (SELECT number FROM vector_models WHERE project = :project AND name = :model)
UNION ALL
SELECT v.memory, v.data FROM archived_vectors AS v
WHERE v.project = :project AND v.memory = ANY(:keys::bigint[])
  AND v.model = (SELECT number FROM vector_models WHERE project = :project AND name = :model);

-- name: vector_indexes
-- The model's number, the schema of pgvector if there is one, and the names of the project's indexes of vectors.
SELECT k.number AS model, (
    SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
    WHERE e.extname = 'vector') AS place, i.name
FROM vector_models AS k LEFT JOIN LATERAL (
  SELECT c.relname::text AS name FROM pg_class AS c JOIN pg_index AS x ON x.indexrelid = c.oid
  WHERE c.relnamespace = 'rum'::regnamespace AND x.indisvalid AND c.relname LIKE 'hnsw\_%\_' || :project::text || '\_%'
) AS i ON true
WHERE k.project = :project AND k.name = :model;

-- name: large_vectors
-- Parts with many vectors of a model, if there is pgvector, with the size of most of them.
SELECT v.part, v.model, v.bytes, quote_ident(n.nspname) AS place FROM (
  SELECT 'live' AS part, model, mode() WITHIN GROUP (ORDER BY length(data)) AS bytes, count(*) AS vectors
  FROM memory_vectors WHERE project = :project AND data <> '' GROUP BY model
  UNION ALL
  SELECT 'archived', model, mode() WITHIN GROUP (ORDER BY length(data)), count(*)
  FROM archived_vectors WHERE project = :project AND data <> '' GROUP BY model
) AS v JOIN pg_extension AS e ON e.extname = 'vector' JOIN pg_namespace AS n ON n.oid = e.extnamespace
WHERE v.vectors >= :large::bigint;

-- name: consider_candidates
SELECT set_config('hnsw.ef_search', ?, false) AS project_independent;

-- name: seq_of_version
SELECT seq FROM memories WHERE project = :project AND id = ? AND version = ?;

-- name: insert_vector
INSERT INTO memory_vectors (project, memory, model, data) VALUES (:project, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: packed_vectors_of
SELECT k.name, v.data FROM memories AS m
JOIN (SELECT project, memory, model, data FROM memory_vectors UNION ALL SELECT project, memory, model, data FROM archived_vectors) AS v
  ON v.project = :project AND v.memory = m.seq
JOIN vector_models AS k ON k.project = :project AND k.number = v.model
WHERE m.project = :project AND m.id = :id;

-- name: unqueue_memory
DELETE FROM unembedded WHERE project = :project AND memory = ? AND model = ?;

-- name: count_vectors
SELECT (SELECT count(*) FROM memory_vectors WHERE project = :project AND model = ?1)
  + (SELECT count(*) FROM archived_vectors WHERE project = :project AND model = ?1);

-- name: count_refused
SELECT (SELECT count(*) FROM memory_vectors WHERE project = :project AND model = ?1 AND data = '')
  + (SELECT count(*) FROM archived_vectors WHERE project = :project AND model = ?1 AND data = '');

-- name: count_queue
SELECT count(*) FROM unembedded WHERE project = :project AND model = ?;

-- name: wrongly_queued
SELECT count(*) FROM vector_models AS k
WHERE k.project = :project AND (SELECT count(*) FROM memories WHERE project = :project)
  <> (SELECT count(*) FROM memory_vectors WHERE project = :project AND model = k.number)
  + (SELECT count(*) FROM unembedded WHERE project = :project AND model = k.number)
  + (SELECT count(*) FROM archived_vectors WHERE project = :project AND model = k.number);

-- name: delete_vectors
DELETE FROM memory_vectors WHERE project = :project AND model = ?;

-- name: delete_queue
DELETE FROM unembedded WHERE project = :project AND model = ?;

-- name: delete_model
DELETE FROM vector_models WHERE project = :project AND number = ?;

-- name: note_scale
INSERT INTO derived (project, name, value) VALUES (:project, 'scale of model ' || ?::bigint, ?)
ON CONFLICT (project, name) DO UPDATE SET value = excluded.value;

-- name: delete_scale
DELETE FROM derived WHERE project = :project AND name = 'scale of model ' || ?::bigint;

-- name: get_derived
SELECT value FROM derived WHERE project = :project AND name = ?;

-- name: set_derived
INSERT INTO derived (project, name, value) VALUES (:project, ?, ?)
ON CONFLICT (project, name) DO UPDATE SET value = excluded.value;

-- name: damaged_versions
SELECT memory_id, version FROM memory_versions WHERE project = :project AND NOT is_json(data);

-- name: project_number
SELECT number, moved_to, move_id FROM projects WHERE id = :id;

-- name: end_move
UPDATE projects SET moved_to = NULL WHERE id = :id AND moved_to IS NOT NULL AND move_id = :move;

-- name: create_project
INSERT INTO projects (id, created_at) VALUES (:id, :now) ON CONFLICT DO NOTHING;

-- name: delete_project
DELETE FROM rum.projects WHERE id = :id;

-- name: begin_derived
INSERT INTO derived (project, name, value) VALUES (:project, :name, :value) ON CONFLICT DO NOTHING;
