-- name: weigh_live
-- What speaks against archiving each live memory, in order of time; '' where nothing does.
SELECT m.created_at, m.id, m.superseded, CASE
  WHEN max(m.created_at, coalesce(m.updated_at, 0)) >= :before THEN 'young'
  WHEN NOT json_valid(m.outcome) THEN 'damaged'
  WHEN m.superseded THEN ''
  WHEN m.importance >= :importance THEN 'important'
  WHEN json_array_length(m.outcome, '$.follow_up_needed') AND NOT EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.id = l.source_id
    WHERE l.target_id = m.id AND l.link_type = 'caused_by' AND n.outcome_success = 1
  ) AND NOT EXISTS (
    SELECT 1 FROM memories AS n INDEXED BY memories_goal
    WHERE n.intent_goal = m.intent_goal COLLATE NOCASE AND n.outcome_success = 1 AND n.created_at > m.created_at
  ) THEN 'follow_ups'
  WHEN EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.id = l.source_id
    WHERE l.target_id = m.id AND n.created_at >= :before
  ) OR EXISTS (
    SELECT 1 FROM memory_links AS l JOIN memories AS n ON n.id = l.target_id
    WHERE l.source_id = m.id AND n.created_at >= :before
  ) THEN 'linked'
  ELSE '' END AS against
FROM memories AS m
WHERE (m.created_at, m.id) > (:at, :id) AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.memory = m.seq)
ORDER BY m.created_at, m.id LIMIT :most;

-- name: layers_of_live
SELECT m.seq, m.id, m.version, m.intent_goal, m.outcome_summary,
  m.intent, m.perception, m.reasoning, m.actions, m.outcome
FROM json_each(?) AS wanted JOIN memories AS m ON m.id = wanted.value
WHERE NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.memory = m.seq);

-- name: is_live_as
SELECT 1 FROM memories AS m WHERE m.seq = ? AND m.id = ? AND m.version = ?
AND NOT EXISTS (SELECT 1 FROM archived AS a WHERE a.memory = m.seq);

-- name: archive_memory
INSERT INTO archived (memory, archived_at, form, data, length, terms) VALUES (?, ?, ?, ?, ?, ?);

-- name: is_archived
SELECT 1 FROM archived WHERE memory = ?;

-- name: archived_row
SELECT a.form, a.data, m.intent_goal, m.outcome_summary, a.terms
FROM archived AS a JOIN memories AS m ON m.seq = a.memory WHERE a.memory = ?;

-- name: unarchive_memory
DELETE FROM archived WHERE memory = ?;

-- name: set_layers
UPDATE memories SET intent = ?, perception = ?, reasoning = ?, actions = ?, outcome = ? WHERE seq = ?;

-- name: archived_blobs
SELECT a.memory, m.id, a.form, a.data, m.intent_goal, m.outcome_summary
FROM archived AS a JOIN memories AS m ON m.seq = a.memory WHERE a.memory > ? ORDER BY a.memory LIMIT ?;

-- name: archive_figures
SELECT (SELECT count(*) FROM archived), (SELECT CAST(value AS INTEGER) FROM derived WHERE name = 'archived'),
  (SELECT count(*) FROM archived WHERE terms IN (?, ?) AND memory IN (SELECT id FROM archived_text_docsize)),
  (SELECT count(*) FROM archived_text_docsize);

-- name: live_figures
SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM archived),
  (SELECT count(*) FROM memories WHERE seq IN (SELECT id FROM memory_text_docsize)
    AND seq NOT IN (SELECT memory FROM archived)),
  (SELECT count(*) FROM memory_text_docsize);

-- name: drop_stray_text
DELETE FROM memory_text WHERE rowid IN (
  SELECT id FROM memory_text_docsize WHERE id NOT IN (SELECT seq FROM memories) OR id IN (SELECT memory FROM archived)
);

-- name: count_archived
SELECT count(*) FROM archived;

-- name: recount_archived
UPDATE derived SET value = (SELECT count(*) FROM archived) WHERE name = 'archived';

-- name: more_archived
UPDATE derived SET value = value + ? WHERE name = 'archived';

-- name: add_archived_terms
INSERT INTO archived_text (rowid, terms) VALUES (?, ?);

-- name: drop_archived_terms
INSERT INTO archived_text (archived_text, rowid, terms) VALUES ('delete', ?, ?);

-- name: drop_all_archived_terms
INSERT INTO archived_text (archived_text) VALUES ('delete-all');

-- name: note_no_archived_terms
UPDATE archived SET terms = 0 WHERE terms <> 0;

-- name: open_archived_instances
CREATE VIRTUAL TABLE IF NOT EXISTS temp.archived_instances USING fts5vocab(main, 'archived_text', 'instance');

-- name: archived_terms_of
SELECT DISTINCT term FROM temp.archived_instances WHERE doc = ? ORDER BY term;

-- name: begin_renewed
CREATE TEMP TABLE renewed (
  memory INTEGER PRIMARY KEY, archived_at INTEGER, version INTEGER, terms TEXT, length INTEGER, made_by INTEGER
);

-- name: end_renewed
DROP TABLE IF EXISTS temp.renewed;

-- name: yet_to_renew
SELECT a.memory, m.id, a.archived_at, m.version FROM archived AS a JOIN memories AS m ON m.seq = a.memory
WHERE a.memory > ? AND NOT EXISTS (
  SELECT 1 FROM temp.renewed AS r
  WHERE r.memory = a.memory AND r.archived_at = a.archived_at AND r.version = m.version
) ORDER BY a.memory LIMIT ?;

-- name: renew_terms
INSERT OR REPLACE INTO temp.renewed VALUES (?, ?, ?, ?, ?, ?);

-- name: put_renewed_terms
INSERT INTO archived_text (rowid, terms)
SELECT r.memory, r.terms FROM temp.renewed AS r JOIN archived AS a ON a.memory = r.memory ORDER BY r.memory;

-- name: note_renewed_terms
UPDATE archived SET
  terms = (SELECT r.made_by FROM temp.renewed AS r WHERE r.memory = archived.memory),
  length = (SELECT r.length FROM temp.renewed AS r WHERE r.memory = archived.memory);

-- name: archive_vectors
INSERT INTO archived_vectors (memory, model, data) SELECT memory, model, data FROM memory_vectors WHERE memory = ?
ON CONFLICT DO NOTHING;

-- name: drop_live_vectors
DELETE FROM memory_vectors WHERE memory = ?;

-- name: unarchive_vectors
INSERT INTO memory_vectors (memory, model, data) SELECT memory, model, data FROM archived_vectors WHERE memory = ?
ON CONFLICT DO NOTHING;

-- name: drop_archived_vectors
DELETE FROM archived_vectors WHERE memory = ?;

-- name: delete_archived_vectors
DELETE FROM archived_vectors WHERE model = ?;

-- name: parts_of_index
-- The plain tables of a text index, each with that of an empty one beside it.
SELECT name, :table || '_new' || substr(name, length(:table) + 1) FROM sqlite_master
WHERE type = 'table' AND name IN (
  SELECT :table || value FROM json_each('["_data", "_idx", "_content", "_docsize", "_config"]')
);
