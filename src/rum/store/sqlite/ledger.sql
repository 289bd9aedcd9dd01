-- name: insert_offer
INSERT INTO offers (event, number, memory_id, client, session, turn, call, kind, at, said)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: offers_of_session
SELECT event, number, memory_id, client, session, turn, call, kind, at, said, fetched, followed, contradicted, success
FROM offers WHERE client = ? AND session = ? AND at <= ? ORDER BY at, event, number, memory_id;

-- name: judge_offer
UPDATE offers SET fetched = ?, followed = ?, contradicted = ?, success = ?
WHERE event = ? AND number = ? AND memory_id = ?;

-- name: find_offers
SELECT event, number, memory_id, client, session, turn, call, kind, at, said, fetched, followed, contradicted, success
FROM offers
WHERE (:session IS NULL OR session = :session) AND (:memory IS NULL OR memory_id = :memory)
  AND (:kind IS NULL OR kind = :kind) AND at >= :since
ORDER BY at DESC, event, number, memory_id LIMIT :limit;

-- name: count_offers
SELECT kind, count(*), sum(fetched), sum(followed), sum(contradicted) FROM offers GROUP BY kind ORDER BY kind;

-- name: silence_offers
UPDATE offers SET said = '' WHERE at < ? AND said <> '';

-- name: set_feedback
INSERT INTO feedback (memory_id, said_by, useful, at) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET useful = excluded.useful, at = excluded.at;

-- name: evidence_of
SELECT
  (SELECT count(*) FROM feedback WHERE memory_id = :id AND useful = 1),
  (SELECT count(*) FROM feedback WHERE memory_id = :id AND useful = 0),
  coalesce(sum(fetched), 0),
  coalesce(sum(followed = 1 AND success = 1), 0),
  coalesce(sum(followed = 1 AND success = 0), 0),
  coalesce(sum(contradicted), 0)
FROM offers WHERE memory_id = :id;

-- name: set_usefulness
INSERT INTO usefulness (memory_id, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: delete_usefulness
DELETE FROM usefulness WHERE memory_id = ?;

-- name: usefulness_of
SELECT u.memory_id, u.value FROM json_each(?) AS wanted JOIN usefulness AS u ON u.memory_id = wanted.value;

-- name: all_usefulness
SELECT memory_id, value FROM usefulness LIMIT ?;

-- name: delete_offered
DELETE FROM seen WHERE kind = 'offered' AND instr(data, ?);

-- name: delete_offers
DELETE FROM offers WHERE memory_id = ?;

-- name: delete_feedback
DELETE FROM feedback WHERE memory_id = ?;
