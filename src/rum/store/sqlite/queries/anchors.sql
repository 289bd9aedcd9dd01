-- name: anchors_of
SELECT m.id, a.data FROM memories AS m CROSS JOIN anchors AS a ON a.memory = m.seq WHERE m.id IN (:ids);

-- name: put_anchors
INSERT INTO anchors (memory, data) SELECT seq, :data FROM memories WHERE id = :id
ON CONFLICT (memory) DO UPDATE SET data = excluded.data;

-- name: without_anchors
SELECT m.id FROM memories AS m LEFT JOIN anchors AS a ON a.memory = m.seq
WHERE a.memory IS NULL AND m.git_commit IS NOT NULL ORDER BY m.created_at DESC, m.id DESC LIMIT ?;

-- name: anchored_claims
SELECT m.id FROM anchors AS a CROSS JOIN memories AS m ON m.seq = a.memory
WHERE m.origin_kind <> 'commit' AND m.outcome_success AND m.superseded = 0
ORDER BY m.created_at DESC, m.id DESC LIMIT ?;

-- name: later_names
SELECT before, path FROM renames WHERE before IN (:ids) ORDER BY renamed_at DESC, path;

-- name: text_anchors_of
SELECT name, mark, data FROM text_anchors WHERE name IN (:ids);

-- name: all_text_anchors
SELECT name, mark, data FROM text_anchors;

-- name: put_text_anchors
INSERT INTO text_anchors (name, mark, data) VALUES (:name, :mark, :data)
ON CONFLICT (name) DO UPDATE SET mark = excluded.mark, data = excluded.data;

-- name: delete_text_anchors
DELETE FROM text_anchors WHERE name IN (:ids);
