-- name: add_use
INSERT INTO uses AS u (project, memory_id, times, last) VALUES (:project, :id, :times, :last)
ON CONFLICT (project, memory_id) DO UPDATE SET times = u.times + excluded.times, last = greatest(u.last, excluded.last);

-- name: set_use
INSERT INTO uses AS u (project, memory_id, times, last) VALUES (:project, ?, ?, ?)
ON CONFLICT (project, memory_id) DO UPDATE SET times = greatest(u.times, excluded.times), last = greatest(u.last, excluded.last);

-- name: uses_of
SELECT memory_id, times, last FROM uses WHERE project = :project AND memory_id = ANY(?::text[])
ORDER BY times DESC, memory_id DESC;

-- name: all_uses
SELECT memory_id, times, last FROM uses WHERE project = :project ORDER BY times DESC, memory_id DESC;

-- name: delete_use
DELETE FROM uses WHERE project = :project AND memory_id = ?;

-- name: note_failure
INSERT INTO failures (project, part, failed_at, why) VALUES (:project, :part, :failed_at, :why)
ON CONFLICT (project, part) DO UPDATE SET failed_at = excluded.failed_at, why = excluded.why;

-- name: failure_of
SELECT failed_at, why FROM failures WHERE project = :project AND part = ?;

-- name: delete_failure
DELETE FROM failures WHERE project = :project AND part = :part;

-- name: insert_offer
INSERT INTO offers (project, event, number, memory_id, client, session, turn, call, kind, at, said, tokens)
VALUES (:project, :event, :number, :memory_id, :client, :session, :turn, :call, :kind, :at, :text, :tokens)
ON CONFLICT DO NOTHING;

-- name: find_offers
SELECT *, said AS text FROM offers
WHERE project = :project AND (:client::text IS NULL OR client = :client) AND (:session::text IS NULL OR session = :session)
  AND (:memory::text IS NULL OR memory_id = :memory) AND (:kind::text IS NULL OR kind = :kind)
  AND at >= :since::double precision AND at <= coalesce(:until::double precision, 1e18)
  AND (:after_at::double precision IS NULL OR at < :after_at::double precision
    OR (event, number, memory_id) > (:after_event::text, :after_number::bigint, :after_memory::text))
ORDER BY at DESC, event, number, memory_id LIMIT nullif(:limit::bigint, -1);

-- name: offers_of_memory
SELECT *, said AS text FROM offers
WHERE project = :project AND (:client::text IS NULL OR client = :client) AND (:session::text IS NULL OR session = :session)
  AND (:memory::text IS NULL OR memory_id = :memory) AND (:kind::text IS NULL OR kind = :kind)
  AND at >= :since::double precision AND at <= coalesce(:until::double precision, 1e18)
  AND (:after_at::double precision IS NULL OR at < :after_at::double precision
    OR (event, number, memory_id) > (:after_event::text, :after_number::bigint, :after_memory::text))
ORDER BY at DESC, event, number, memory_id LIMIT nullif(:limit::bigint, -1);

-- name: offers_of_session
SELECT *, said AS text FROM offers
WHERE project = :project AND (:client::text IS NULL OR client = :client) AND (:session::text IS NULL OR session = :session)
  AND (:memory::text IS NULL OR memory_id = :memory) AND (:kind::text IS NULL OR kind = :kind)
  AND at >= :since::double precision AND at <= coalesce(:until::double precision, 1e18)
  AND (:after_at::double precision IS NULL OR at < :after_at::double precision
    OR (event, number, memory_id) > (:after_event::text, :after_number::bigint, :after_memory::text))
ORDER BY at DESC, event, number, memory_id LIMIT nullif(:limit::bigint, -1);

-- name: offer_tokens
SELECT (SELECT json_build_array(count(*), coalesce(sum(tokens), 0))::text FROM (
  SELECT max(tokens) AS tokens FROM offers
  WHERE project = :project AND at >= p.start AND at < p.stop GROUP BY at, event, number
) AS texts) AS numbers
FROM unnest(:starts::double precision[], :ends::double precision[]) WITH ORDINALITY AS p(start, stop, place)
ORDER BY p.place;

-- name: set_offer_outcome
UPDATE offers SET fetched = :fetched, followed = :followed, contradicted = :contradicted, success = :success,
  work = :work
WHERE project = :project AND event = :event AND number = :number AND memory_id = :memory_id;

-- name: offer_counts
SELECT kind, count(*) AS offered, sum(fetched) AS fetched, sum(followed) AS followed, sum(contradicted) AS contradicted,
  count(*) FILTER (WHERE kept = 1) AS kept, count(*) FILTER (WHERE kept = 0) AS undone
FROM offers WHERE project = :project AND at >= ?::double precision GROUP BY kind ORDER BY kind;

-- name: followed_work
SELECT DISTINCT work, success, kept FROM offers
WHERE project = :project AND work <> '' AND at >= ?::double precision;

-- name: set_work_outcome
UPDATE offers SET success = :success::smallint, kept = :kept::smallint WHERE project = :project AND work = :work AND work <> '';

-- name: offered_before_work
SELECT DISTINCT memory_id FROM offers WHERE project = :project AND work = ? AND work <> '' AND memory_id <> '';

-- name: clear_offer_texts
UPDATE offers SET said = '' WHERE project = :project AND at < ?::double precision AND said <> '';

-- name: set_feedback
INSERT INTO feedback (project, memory_id, said_by, useful, at) VALUES (:project, ?, ?, ?, ?)
ON CONFLICT (project, memory_id, said_by) DO UPDATE SET useful = excluded.useful, at = excluded.at;

-- name: confirmed
SELECT memory_id, max(at) AS at FROM feedback
WHERE project = :project AND memory_id = ANY(?::text[]) AND useful = 1 GROUP BY memory_id;

-- name: evidence_of
SELECT
  (SELECT count(*) FROM feedback WHERE project = :project AND memory_id = :id AND useful = 1) AS useful,
  (SELECT count(*) FROM feedback WHERE project = :project AND memory_id = :id AND useful = 0) AS useless,
  coalesce(sum(fetched), 0) AS fetched,
  count(*) FILTER (WHERE followed = 1 AND success = 1 AND kept IS DISTINCT FROM 0) AS helped,
  count(*) FILTER (WHERE followed = 1 AND success = 0 AND kept IS DISTINCT FROM 0) AS misled,
  count(*) FILTER (WHERE followed = 1 AND kept = 1) AS kept,
  count(*) FILTER (WHERE followed = 1 AND kept = 0) AS undone,
  coalesce(sum(contradicted), 0) AS contradicted
FROM offers WHERE project = :project AND memory_id = :id;

-- name: set_usefulness
INSERT INTO usefulness (project, memory_id, value) VALUES (:project, ?, ?)
ON CONFLICT (project, memory_id) DO UPDATE SET value = excluded.value;

-- name: delete_usefulness
DELETE FROM usefulness WHERE project = :project AND memory_id = ?;

-- name: usefulness_of
SELECT memory_id, value FROM usefulness WHERE project = :project AND memory_id = ANY(?::text[]);

-- name: all_usefulness
SELECT memory_id, value FROM usefulness WHERE project = :project LIMIT nullif(?::bigint, -1);

-- name: delete_offered
DELETE FROM seen WHERE project = :project AND kind = 'offered' AND strpos(data, ?) > 0;

-- name: delete_offers
DELETE FROM offers WHERE project = :project AND memory_id = ?;

-- name: delete_feedback
DELETE FROM feedback WHERE project = :project AND memory_id = ?;
