-- name: anchors_of
SELECT m.id, a.data FROM memories AS m JOIN anchors AS a ON a.project = :project AND a.memory = m.seq
WHERE m.project = :project AND m.id = ANY(:ids::text[]);

-- name: put_anchors
INSERT INTO anchors (project, memory, data)
SELECT m.project, m.seq, :data FROM memories AS m WHERE m.project = :project AND m.id = :id
ON CONFLICT (project, memory) DO UPDATE SET data = excluded.data;

-- name: without_anchors
SELECT m.id FROM memories AS m LEFT JOIN anchors AS a ON a.project = :project AND a.memory = m.seq
WHERE m.project = :project AND a.memory IS NULL AND m.git_commit IS NOT NULL
ORDER BY m.created_at DESC, m.id DESC LIMIT ?;

-- name: anchored_claims
SELECT m.id FROM anchors AS a JOIN memories AS m ON m.project = :project AND m.seq = a.memory
WHERE a.project = :project AND m.origin_kind <> 'commit' AND m.outcome_success = 1 AND m.superseded = 0
ORDER BY m.created_at DESC, m.id DESC LIMIT ?;

-- name: later_names
SELECT before, path FROM renames WHERE project = :project AND before = ANY(:ids::text[]) ORDER BY renamed_at DESC, path;

-- name: text_anchors_of
SELECT name, mark, data FROM text_anchors WHERE project = :project AND name = ANY(:ids::text[]);

-- name: all_text_anchors
SELECT name, mark, data FROM text_anchors WHERE project = :project;

-- name: put_text_anchors
INSERT INTO text_anchors (project, name, mark, data) VALUES (:project, :name, :mark, :data)
ON CONFLICT (project, name) DO UPDATE SET mark = excluded.mark, data = excluded.data;

-- name: delete_text_anchors
DELETE FROM text_anchors WHERE project = :project AND name = ANY(:ids::text[]);
