-- name: put_trash
INSERT INTO trash (kind, id, label, author, imported, forgotten_at, forgotten_by, data, pending)
VALUES (:kind, :id, :label, :author, :imported, :forgotten_at, :forgotten_by, :data, :pending) RETURNING number;

-- name: replace_trash_data
UPDATE trash SET data = :data WHERE number = :number;

-- name: put_trash_mark
INSERT INTO trash_tombstones (hash, item) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: trash_marks
SELECT hash FROM trash_tombstones WHERE item = ? ORDER BY hash;

-- name: trash_by_id
SELECT * FROM trash WHERE id = :name AND (:kind IS NULL OR kind = :kind) AND pending = :pending ORDER BY number DESC;

-- name: trash_by_tail
SELECT * FROM trash
WHERE substr(id, -8) = substr(:name, -8) AND id LIKE '%' || :name AND (:kind IS NULL OR kind = :kind)
  AND pending = :pending
ORDER BY number DESC LIMIT 20;

-- name: trash_by_number
SELECT * FROM trash WHERE number = ?;

-- name: trash_items
SELECT number, kind, id, label, author, imported, forgotten_at, forgotten_by, x'' AS data, pending FROM trash
WHERE pending = :pending AND (:before IS NULL OR forgotten_at < :before) ORDER BY number DESC LIMIT :limit;

-- name: trash_with_groups
SELECT * FROM trash
WHERE NOT pending
  AND (kind IN ('chapter', 'wisdom') OR (kind = 'memory' AND instr(data, CAST('"groups":null' AS BLOB)) = 0));

-- name: bury_trash
INSERT INTO tombstones (hash, kind, created_at)
SELECT m.hash, t.kind, :now FROM trash AS t JOIN trash_tombstones AS m ON m.item = t.number WHERE t.number = :number
ON CONFLICT DO NOTHING;

-- name: delete_trash
DELETE FROM trash WHERE number = ?;

-- name: count_trash
SELECT kind, count(*) AS number FROM trash WHERE pending = ? GROUP BY kind ORDER BY kind;

-- name: note_review
INSERT INTO reviews (at, kind, verdict) VALUES (?, ?, ?);

-- name: count_reviews
SELECT verdict, kind, count(*) AS number FROM reviews WHERE at >= ? GROUP BY verdict, kind ORDER BY verdict, kind;
