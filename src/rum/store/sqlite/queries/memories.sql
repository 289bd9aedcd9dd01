-- name: insert_memory
INSERT INTO memories (
  id, agent_id, project_id, session_id, created_at, updated_at, version,
  intent_goal, intent_type, outcome_success, outcome_summary,
  intent, perception, reasoning, actions, outcome, tags, importance, git_commit, git_branch, imported_at,
  origin_kind, origin_reference, reverted_by, reverted_commit, reverted_in_part, reverted_reason
) VALUES (
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
WHERE id = :id;

-- name: memories_by_id
-- Lists come as JSON, so that one statement gives all.
SELECT m.id, m.agent_id, m.project_id, m.session_id, m.created_at, m.updated_at, m.version,
  m.intent_goal, m.intent_type, m.outcome_success, m.outcome_summary,
  m.intent, m.perception, m.reasoning, m.actions, m.outcome, m.tags, m.importance,
  m.git_commit, m.git_branch, m.imported_at, m.origin_kind, m.origin_reference,
  m.reverted_by, m.reverted_commit, m.reverted_in_part, m.reverted_reason, a.form, a.data,
  (SELECT json_group_array(json_array(file_path, operation, content_hash)) FROM (
    SELECT * FROM memory_files AS f WHERE f.memory_id = m.id ORDER BY f.file_path)) AS files,
  iif(m.superseded, (SELECT json_group_array(source_id) FROM (
    SELECT l.source_id FROM memory_links AS l
    WHERE l.target_id = m.id AND l.link_type = 'supersedes' ORDER BY l.source_id)), '[]') AS superseded_by,
  (SELECT json_group_array(json_array(id, git_commit, reverted_in_part)) FROM (
    SELECT * FROM memories AS r WHERE r.reverted_by = m.id ORDER BY r.created_at, r.id)) AS reverts
FROM json_each(:ids) AS wanted JOIN memories AS m ON m.id = wanted.value
LEFT JOIN archived AS a ON a.memory = m.seq;

-- name: headlines_by_id
SELECT m.id, m.agent_id, m.project_id, m.session_id, m.created_at, m.version,
  m.intent_goal, m.intent_type, m.outcome_success, m.outcome_summary, m.origin_kind, m.origin_reference,
  m.reverted_by, m.reverted_commit, m.reverted_in_part, m.reverted_reason,
  iif(m.superseded, (SELECT json_group_array(source_id) FROM (
    SELECT l.source_id FROM memory_links AS l
    WHERE l.target_id = m.id AND l.link_type = 'supersedes' ORDER BY l.source_id)), '[]') AS superseded_by,
  (SELECT json_group_array(json_array(id, git_commit, reverted_in_part)) FROM (
    SELECT * FROM memories AS r WHERE r.reverted_by = m.id ORDER BY r.created_at, r.id)) AS reverts
FROM json_each(:ids) AS wanted JOIN memories AS m ON m.id = wanted.value;

-- name: files_of
SELECT f.memory_id, f.file_path, f.operation, f.content_hash
FROM json_each(:ids) AS wanted JOIN memory_files AS f ON f.memory_id = wanted.value
ORDER BY f.memory_id, f.file_path;

-- name: insert_file
INSERT INTO memory_files (memory_id, file_path, operation, content_hash, created_at) VALUES (?, ?, ?, ?, ?);

-- name: delete_files
DELETE FROM memory_files WHERE memory_id = ?;

-- name: insert_rename
INSERT INTO renames (path, before, memory, renamed_at) SELECT :path, :before, seq, created_at FROM memories WHERE id = :id
ON CONFLICT DO NOTHING;

-- name: renames_of
SELECT r.before, r.path FROM memories AS m JOIN renames AS r ON r.memory = m.seq WHERE m.id = ? ORDER BY r.path, r.before;

-- name: insert_tag
INSERT INTO memory_tags (tag, memory_id) VALUES (?, ?);

-- name: delete_tags
DELETE FROM memory_tags WHERE memory_id = ?;

-- name: insert_text
INSERT INTO memory_text (rowid, goal, intent, outcome, learnings, reasoning, perception, actions, tags, paths)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: delete_text
DELETE FROM memory_text WHERE rowid = ?;

-- name: insert_attempt
INSERT INTO attempts (memory, number, key, at, worked, size, marks, tried, why, instead)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: delete_attempts
DELETE FROM attempts WHERE memory = ?;

-- name: seq_of
SELECT seq FROM memories WHERE id = ?;

-- name: delete_memory
DELETE FROM memories WHERE id = ?;

-- name: count_versions
SELECT count(*) FROM memory_versions WHERE memory_id = ?;

-- name: ids_by_tail
SELECT id FROM memories WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: in_time_order
SELECT created_at, id FROM memories WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?;

-- name: count_memories
SELECT count(*) FROM memories;

-- name: reverted_memories
SELECT id FROM memories WHERE reverted_by IS NOT NULL ORDER BY id;

-- name: of_commits
SELECT id, origin_reference FROM memories WHERE created_at >= ? AND origin_kind = 'commit';

-- name: checked_out
SELECT id, git_commit FROM memories WHERE git_commit IS NOT NULL;

-- name: insert_memory_version
INSERT INTO memory_versions (memory_id, version, changed_at, changed_by, data) VALUES (?, ?, ?, ?, ?);

-- name: delete_memory_versions
DELETE FROM memory_versions WHERE memory_id = ?;

-- name: memory_versions_of
SELECT memory_id AS id, version, changed_at, changed_by, data FROM memory_versions
WHERE memory_id IN (:ids) ORDER BY version;

-- name: insert_tombstone
INSERT INTO tombstones (hash, kind, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: all_tombstones
SELECT kind, hash FROM tombstones;

-- name: tombstones_among
SELECT t.hash FROM json_each(:hashes) AS wanted JOIN tombstones AS t ON t.hash = wanted.value
UNION
SELECT t.hash FROM json_each(:hashes) AS wanted JOIN trash_tombstones AS t ON t.hash = wanted.value
JOIN trash ON trash.number = t.item WHERE :pending OR NOT trash.pending;

-- name: delete_tombstone
DELETE FROM tombstones WHERE hash = ?;

-- name: insert_link
INSERT INTO memory_links (source_id, target_id, link_type, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: edges_of
SELECT l.source_id, l.target_id, l.link_type, l.created_at
FROM json_each(:ids) AS wanted JOIN memory_links AS l ON l.source_id = wanted.value
UNION
SELECT l.source_id, l.target_id, l.link_type, l.created_at
FROM json_each(:ids) AS wanted JOIN memory_links AS l ON l.target_id = wanted.value;

-- name: all_edges
SELECT source_id, target_id, link_type, created_at FROM memory_links ORDER BY source_id, target_id, link_type;

-- name: supersedes_reaches
WITH RECURSIVE older(id) AS (
  SELECT :source_id
  UNION
  SELECT l.target_id FROM older JOIN memory_links AS l ON l.source_id = older.id AND l.link_type = 'supersedes'
)
SELECT 1 FROM older WHERE id = :target_id;

-- name: mark_superseded
UPDATE memories SET superseded = EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.target_id = memories.id AND l.link_type = 'supersedes'
) WHERE id IN (SELECT value FROM json_each(?));

-- name: renew_superseded
UPDATE memories SET superseded = 1 - superseded WHERE superseded <> EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.target_id = memories.id AND l.link_type = 'supersedes'
);

-- name: wrongly_superseded
SELECT count(*) FROM memories WHERE superseded <> EXISTS (
  SELECT 1 FROM memory_links AS l WHERE l.target_id = memories.id AND l.link_type = 'supersedes'
);

-- name: untagged
SELECT count(*) FROM memories AS m
WHERE CASE WHEN json_valid(m.tags) THEN json_array_length(m.tags) ELSE 0 END <> (SELECT count(*) FROM memory_tags AS t WHERE t.memory_id = m.id);

-- name: superseded_by
SELECT target_id FROM memory_links WHERE source_id = ? AND link_type = 'supersedes';

-- name: insert_agent
INSERT INTO agents (id, type, parent_id, project_id, name, client, created_at, last_active, imported_at, metadata)
VALUES (:id, :type, :parent_id, :project_id, :name, :client, :created_at, :last_active, :imported_at, :metadata);

-- name: agent_by_id
SELECT * FROM agents WHERE id = ?;

-- name: agents_by_tail
SELECT id FROM agents WHERE id LIKE '%' || ? LIMIT 5;

-- name: agent_by_name
SELECT id FROM agents WHERE name = ?;

-- name: last_main_agent
SELECT * FROM agents WHERE type = 'main' AND client IS ? AND imported_at IS NULL
ORDER BY last_active DESC, id DESC LIMIT 1;

-- name: all_agents
SELECT * FROM agents ORDER BY created_at, id;

-- name: update_agent
UPDATE agents SET name = coalesce(:name, name), last_active = max(last_active, :last_active),
  metadata = coalesce(:metadata, metadata) WHERE id = :id;

-- name: agent_figures
SELECT wanted.value AS id, count(m.id) AS memories, coalesce(sum(m.outcome_success), 0) AS successes,
  count(DISTINCT m.session_id) AS sessions,
  (SELECT json_group_array(id) FROM (
    SELECT a.id FROM agents AS a WHERE a.parent_id = wanted.value ORDER BY a.created_at, a.id)) AS children
FROM json_each(?) AS wanted LEFT JOIN memories AS m ON m.agent_id = wanted.value GROUP BY wanted.value;

-- name: forget_meaning
DELETE FROM memory_vectors WHERE memory = (
  SELECT seq FROM memories
  WHERE id = :id AND (intent, reasoning, outcome) IS NOT (:intent, :reasoning, :outcome)
);

-- name: queue_if_changed
INSERT INTO unembedded (memory, model)
SELECT m.seq, k.number FROM memories AS m CROSS JOIN vector_models AS k
WHERE m.id = :id AND (m.intent, m.reasoning, m.outcome) IS NOT (:intent, :reasoning, :outcome)
ON CONFLICT DO NOTHING;

-- name: queue_memory
INSERT INTO unembedded (memory, model) SELECT ?, number FROM vector_models;

-- name: queue_missing
INSERT INTO unembedded (memory, model)
SELECT m.seq, k.number FROM vector_models AS k CROSS JOIN memories AS m
WHERE k.number = ? AND NOT EXISTS (
  SELECT 1 FROM memory_vectors AS v WHERE v.memory = m.seq AND v.model = k.number
) AND NOT EXISTS (
  SELECT 1 FROM archived_vectors AS v WHERE v.memory = m.seq AND v.model = k.number
)
ORDER BY m.seq -- in the order of both tables, which takes a third of the time
ON CONFLICT DO NOTHING;

-- name: use_model
INSERT INTO vector_models (name, used_at) VALUES (:name, :now)
ON CONFLICT (name) DO UPDATE SET used_at = max(used_at, excluded.used_at);

-- name: model_noted_before
SELECT 1 FROM vector_models WHERE name = ? AND used_at < ?;

-- name: renew_model
UPDATE vector_models SET used_at = max(used_at, ?) WHERE name = ?;

-- name: model_number
SELECT number FROM vector_models WHERE name = ?;

-- name: vector_models
SELECT name, number FROM vector_models ORDER BY number;

-- name: unused_models
SELECT number FROM vector_models WHERE name <> :kept AND used_at < :before ORDER BY number;

-- name: pending_vectors
SELECT m.id FROM (
  SELECT memory FROM unembedded WHERE model = (SELECT number FROM vector_models WHERE name = :model) ORDER BY memory DESC LIMIT :most
) AS waiting CROSS JOIN memories AS m ON m.seq = waiting.memory
UNION ALL -- all memories, where nobody has noted yet which of them the model has to see
SELECT id FROM (
  SELECT id FROM memories WHERE (SELECT number FROM vector_models WHERE name = :model) IS NULL ORDER BY seq DESC LIMIT :most
);

-- name: vector_state
WITH used AS (SELECT (SELECT number FROM vector_models WHERE name = ?) AS model)
SELECT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.model = used.model AND v.data <> x'') AS live,
  EXISTS (SELECT 1 FROM archived_vectors AS v WHERE v.model = used.model AND v.data <> x'') AS archived,
  -- All memories are pending where the model was never used.
  CASE WHEN used.model IS NULL THEN EXISTS (SELECT 1 FROM memories WHERE seq > 0)
    ELSE EXISTS (SELECT 1 FROM unembedded AS u WHERE u.model = used.model) END AS pending,
  (SELECT value FROM derived WHERE name = 'scale of model ' || used.model) AS scale
FROM used;

-- name: owners_of_vectors
SELECT 'live', NULL, (SELECT coalesce(max(number), 0) FROM memory_vectors)
UNION ALL
SELECT 'archived', NULL, (SELECT coalesce(max(number), 0) FROM archived_vectors)
UNION ALL
SELECT 'live', v.number, v.memory
FROM json_each(:live) AS wanted CROSS JOIN memory_vectors AS v ON v.number = wanted.value
UNION ALL
SELECT 'archived', v.number, v.memory
FROM json_each(:archived) AS wanted CROSS JOIN archived_vectors AS v ON v.number = wanted.value;

-- name: vectors_since_live
SELECT number, data FROM memory_vectors
WHERE number > :number AND model = (SELECT number FROM vector_models WHERE name = :model) AND data <> x'' ORDER BY number LIMIT :most;

-- name: vectors_since_archived
SELECT number, data FROM archived_vectors
WHERE number > :number AND model = (SELECT number FROM vector_models WHERE name = :model) AND data <> x'' ORDER BY number LIMIT :most;

-- name: vectors_of
SELECT v.memory, v.number, NULL FROM json_each(:keys) AS wanted
-- CROSS JOIN keeps the order: from memories to their vectors, not through all those of the model.
CROSS JOIN memory_vectors AS v ON v.memory = wanted.value AND v.model = (SELECT number FROM vector_models WHERE name = :model)
UNION ALL
SELECT v.memory, NULL, v.data FROM json_each(:keys) AS wanted
CROSS JOIN archived_vectors AS v ON v.memory = wanted.value AND v.model = (SELECT number FROM vector_models WHERE name = :model);

-- name: seq_of_version
SELECT seq FROM memories WHERE id = ? AND version = ?;

-- name: insert_vector
INSERT INTO memory_vectors (memory, model, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: packed_vectors_of
SELECT k.name, v.data FROM memories AS m CROSS JOIN vector_models AS k
CROSS JOIN memory_vectors AS v ON v.memory = m.seq AND v.model = k.number WHERE m.id = :id
UNION ALL
SELECT k.name, v.data FROM memories AS m CROSS JOIN vector_models AS k
CROSS JOIN archived_vectors AS v ON v.memory = m.seq AND v.model = k.number WHERE m.id = :id;

-- name: unqueue_memory
DELETE FROM unembedded WHERE memory = ? AND model = ?;

-- name: count_vectors
WITH asked(model) AS (VALUES (?))
SELECT (SELECT count(*) FROM memory_vectors AS v WHERE v.model = asked.model)
  + (SELECT count(*) FROM archived_vectors AS v WHERE v.model = asked.model) FROM asked;

-- name: count_refused
WITH asked(model) AS (VALUES (?))
SELECT (SELECT count(*) FROM memory_vectors AS v WHERE v.model = asked.model AND v.data = x'')
  + (SELECT count(*) FROM archived_vectors AS v WHERE v.model = asked.model AND v.data = x'')
FROM asked;

-- name: count_queue
SELECT count(*) FROM unembedded WHERE model = ?;

-- name: wrongly_queued
SELECT count(*) FROM vector_models AS k WHERE (SELECT count(*) FROM memories) <>
  (SELECT count(*) FROM memory_vectors WHERE model = k.number) + (SELECT count(*) FROM unembedded WHERE model = k.number)
  + (SELECT count(*) FROM archived_vectors WHERE model = k.number);

-- name: delete_vectors
DELETE FROM memory_vectors WHERE model = ?;

-- name: delete_queue
DELETE FROM unembedded WHERE model = ?;

-- name: delete_model
DELETE FROM vector_models WHERE number = ?;

-- name: note_scale
INSERT INTO derived (name, value) VALUES ('scale of model ' || ?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: delete_scale
DELETE FROM derived WHERE name = 'scale of model ' || ?;

-- name: get_derived
SELECT value FROM derived WHERE name = ?;

-- name: set_derived
INSERT INTO derived (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: schema_in_order
SELECT name, sql FROM sqlite_master
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY CASE type WHEN 'table' THEN 0 ELSE 1 END, rowid;

-- name: is_in_schema
SELECT 1 FROM sqlite_master WHERE name = ?;

-- name: remove_from_schema
DELETE FROM sqlite_master WHERE name = ?;

-- name: damaged_versions
SELECT memory_id, version FROM memory_versions WHERE NOT json_valid(data);
