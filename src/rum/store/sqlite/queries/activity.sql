-- name: add_use
INSERT INTO uses (memory_id, times, last) VALUES (:id, :times, :last)
ON CONFLICT (memory_id) DO UPDATE SET times = times + excluded.times, last = max(last, excluded.last);

-- name: set_use
INSERT INTO uses (memory_id, times, last) VALUES (?, ?, ?)
ON CONFLICT (memory_id) DO UPDATE SET times = max(times, excluded.times), last = max(last, excluded.last);

-- name: uses_of
SELECT u.memory_id, u.times, u.last FROM json_each(?) AS wanted JOIN uses AS u ON u.memory_id = wanted.value
ORDER BY u.times DESC, u.memory_id DESC;

-- name: all_uses
SELECT memory_id, times, last FROM uses ORDER BY times DESC, memory_id DESC;

-- name: delete_use
DELETE FROM uses WHERE memory_id = ?;

-- name: note_failure
INSERT INTO failures (part, failed_at, why) VALUES (:part, :failed_at, :why)
ON CONFLICT (part) DO UPDATE SET failed_at = excluded.failed_at, why = excluded.why;

-- name: failure_of
SELECT failed_at, why FROM failures WHERE part = ?;

-- name: delete_failure
DELETE FROM failures WHERE part = :part;

-- name: insert_offer
INSERT INTO offers (event, number, memory_id, client, session, turn, call, kind, at, said, tokens)
VALUES (:event, :number, :memory_id, :client, :session, :turn, :call, :kind, :at, :text, :tokens)
ON CONFLICT DO NOTHING;

-- name: find_offers
SELECT *, said AS text FROM offers
WHERE (:client IS NULL OR client = :client) AND (:session IS NULL OR session = :session)
  AND (:memory IS NULL OR memory_id = :memory) AND (:kind IS NULL OR kind = :kind)
  AND at >= :since AND at <= coalesce(:until, 1e18)
  AND (:after_at IS NULL OR at < :after_at OR (event, number, memory_id) > (:after_event, :after_number, :after_memory))
ORDER BY at DESC, event, number, memory_id LIMIT coalesce(:limit, -1);

-- name: offers_of_memory
SELECT *, said AS text FROM offers INDEXED BY offers_memory
WHERE memory_id = :memory
  AND (:client IS NULL OR client = :client) AND (:session IS NULL OR session = :session)
  AND (:kind IS NULL OR kind = :kind) AND at >= :since AND at <= coalesce(:until, 1e18)
  AND (:after_at IS NULL OR at < :after_at OR (event, number, memory_id) > (:after_event, :after_number, :after_memory))
ORDER BY at DESC, event, number, memory_id LIMIT coalesce(:limit, -1);

-- name: offers_of_session
SELECT *, said AS text FROM offers INDEXED BY offers_session
WHERE client = :client AND session = :session
  AND (:memory IS NULL OR memory_id = :memory) AND (:kind IS NULL OR kind = :kind)
  AND at >= :since AND at <= coalesce(:until, 1e18)
  AND (:after_at IS NULL OR at < :after_at OR (event, number, memory_id) > (:after_event, :after_number, :after_memory))
ORDER BY at DESC, event, number, memory_id LIMIT coalesce(:limit, -1);

-- name: offer_tokens
SELECT p.key AS period, (
  SELECT json_array(count(*), coalesce(sum(tokens), 0)) FROM (
    SELECT max(tokens) AS tokens FROM offers INDEXED BY offers_tokens
    WHERE at >= p.value AND at < json_extract(:ends, '$[' || p.key || ']') GROUP BY at, event, number
  )) AS numbers
FROM json_each(:starts) AS p ORDER BY 1;

-- name: set_offer_outcome
UPDATE offers SET fetched = :fetched, followed = :followed, contradicted = :contradicted, success = :success,
  work = :work
WHERE event = :event AND number = :number AND memory_id = :memory_id;

-- name: offer_counts
SELECT kind, count(*) AS offered, sum(fetched) AS fetched, sum(followed) AS followed,
  sum(contradicted) AS contradicted, sum(coalesce(kept = 1, 0)) AS kept, sum(coalesce(kept = 0, 0)) AS undone
FROM offers WHERE at >= ? GROUP BY kind ORDER BY kind;

-- name: followed_work
SELECT DISTINCT work, success, kept FROM offers WHERE work <> '' AND at >= ?;

-- name: set_work_outcome
UPDATE offers SET success = :success, kept = :kept WHERE work = :work AND work <> '';

-- name: offered_before_work
SELECT DISTINCT memory_id FROM offers WHERE work = ? AND work <> '' AND memory_id <> '';

-- name: clear_offer_texts
UPDATE offers SET said = '' WHERE at < ? AND said <> '';

-- name: set_feedback
INSERT INTO feedback (memory_id, said_by, useful, at) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET useful = excluded.useful, at = excluded.at;

-- name: confirmed
SELECT f.memory_id, max(f.at) AS at FROM json_each(?) AS wanted JOIN feedback AS f ON f.memory_id = wanted.value
WHERE f.useful = 1 GROUP BY f.memory_id;

-- name: evidence_of
SELECT
  (SELECT count(*) FROM feedback WHERE memory_id = :id AND useful = 1) AS useful,
  (SELECT count(*) FROM feedback WHERE memory_id = :id AND useful = 0) AS useless,
  coalesce(sum(fetched), 0) AS fetched,
  coalesce(sum(followed = 1 AND success = 1 AND kept IS NOT 0), 0) AS helped,
  coalesce(sum(followed = 1 AND success = 0 AND kept IS NOT 0), 0) AS misled,
  coalesce(sum(followed = 1 AND kept = 1), 0) AS kept,
  coalesce(sum(followed = 1 AND kept = 0), 0) AS undone,
  coalesce(sum(contradicted), 0) AS contradicted
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
