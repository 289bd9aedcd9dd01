-- name: put_trash
INSERT INTO trash (project, kind, id, label, author, imported, forgotten_at, forgotten_by, data, pending)
VALUES (:project, :kind, :id, :label, :author, :imported, :forgotten_at, :forgotten_by, :data, :pending) RETURNING number;

-- name: replace_trash_data
UPDATE trash SET data = :data WHERE project = :project AND number = :number;

-- name: put_trash_mark
INSERT INTO trash_tombstones (project, hash, item) VALUES (:project, ?, ?) ON CONFLICT DO NOTHING;

-- name: trash_marks
SELECT hash FROM trash_tombstones WHERE project = :project AND item = ? ORDER BY hash;

-- name: trash_by_id
SELECT * FROM trash
WHERE project = :project AND id = :name AND (:kind::text IS NULL OR kind = :kind) AND pending = :pending ORDER BY number DESC;

-- name: trash_by_tail
SELECT * FROM trash
WHERE project = :project AND right(id, 8) = right(:name, 8) AND right(id, length(:name)) = :name
  AND (:kind::text IS NULL OR kind = :kind) AND pending = :pending
ORDER BY number DESC LIMIT 20;

-- name: trash_by_number
SELECT * FROM trash WHERE project = :project AND number = ?;

-- name: trash_items
SELECT number, kind, id, label, author, imported, forgotten_at, forgotten_by, ''::bytea AS data, pending FROM trash
WHERE project = :project AND pending = :pending AND (:before::bigint IS NULL OR forgotten_at < :before)
ORDER BY number DESC LIMIT nullif(:limit::bigint, -1);

-- name: trash_with_groups
SELECT * FROM trash
WHERE project = :project AND pending = 0 AND (kind IN ('chapter', 'wisdom')
  OR (kind = 'memory' AND position('"groups":null'::bytea IN data) = 0));

-- name: bury_trash
INSERT INTO tombstones (project, hash, kind, created_at)
SELECT t.project, m.hash, t.kind, :now::bigint FROM trash AS t
JOIN trash_tombstones AS m ON m.project = :project AND m.item = t.number
WHERE t.project = :project AND t.number = :number ON CONFLICT DO NOTHING;

-- name: delete_trash
DELETE FROM trash WHERE project = :project AND number = ?;

-- name: count_trash
SELECT kind, count(*) AS number FROM trash WHERE project = :project AND pending = ? GROUP BY kind ORDER BY kind;

-- name: note_review
INSERT INTO reviews (project, at, kind, verdict) VALUES (:project, ?, ?, ?);

-- name: count_reviews
SELECT verdict, kind, count(*) AS number FROM reviews WHERE project = :project AND at >= ?::double precision
GROUP BY verdict, kind ORDER BY verdict, kind;
