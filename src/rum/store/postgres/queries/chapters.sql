-- name: put_chapter
INSERT INTO chapters (
  project, id, project_id, agent_id, created_at, updated_at, version, title, summary, learnings, evidence,
  start_ts, end_ts, tags, topics, origin, words, given, found_by, own_tags, former, forgotten,
  imported_at
) VALUES (
  :project, :id, :project_id, :agent_id, :created_at, :updated_at, :version, :title, :summary, :learnings, :evidence,
  :start_ts, :end_ts, :tags, :topics, :origin, :words, :given, :found_by, :own_tags, :former, :forgotten,
  :imported_at
) ON CONFLICT (project, id) DO UPDATE SET
  agent_id = excluded.agent_id, created_at = excluded.created_at, updated_at = excluded.updated_at,
  version = excluded.version, title = excluded.title, summary = excluded.summary, learnings = excluded.learnings,
  evidence = excluded.evidence, start_ts = excluded.start_ts, end_ts = excluded.end_ts, tags = excluded.tags,
  topics = excluded.topics, origin = excluded.origin, words = excluded.words, given = excluded.given,
  found_by = excluded.found_by, own_tags = excluded.own_tags, former = excluded.former,
  forgotten = excluded.forgotten, imported_at = excluded.imported_at
RETURNING seq;

-- name: chapter_by_id
SELECT c.id, c.project_id, c.agent_id, c.created_at, c.updated_at, c.version, c.start_ts, c.end_ts, c.forgotten,
  c.imported_at, c.title, c.summary, c.origin, c.words, c.learnings, c.evidence, c.tags, c.topics,
  c.given, c.found_by, c.own_tags, c.former
FROM chapters AS c WHERE c.project = :project AND c.id = ANY(?::text[]);

-- name: chapter_by_tail
SELECT id FROM chapters
WHERE project = :project AND right(id, 8) = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: chapter_parts
SELECT m.chapter_id AS owner, m.memory_id, m.version, m.superseded FROM chapter_memories AS m
WHERE m.project = :project AND m.chapter_id = ANY(?::text[]) ORDER BY m.chapter_id, m.position;

-- name: insert_chapter_parts
INSERT INTO chapter_memories (project, chapter_id, position, memory_id, version, superseded) VALUES (:project, ?, ?, ?, ?, ?);

-- name: delete_chapter_parts
DELETE FROM chapter_memories WHERE project = :project AND chapter_id = ?;

-- name: chapter_with_parts
SELECT c.id FROM chapters AS c JOIN (
  SELECT chapter_id FROM chapter_memories
  WHERE project = :project AND memory_id = ANY(:ids::text[]) GROUP BY chapter_id HAVING count(*) = :count
) AS held ON held.chapter_id = c.id
WHERE c.project = :project
  AND (SELECT count(*) FROM chapter_memories AS p WHERE p.project = :project AND p.chapter_id = c.id) = :count
ORDER BY c.seq;

-- name: chapter_found_by
SELECT id FROM chapters WHERE project = :project AND found_by = ? ORDER BY seq;

-- name: chapter_made_of
SELECT c.id FROM chapters AS c
WHERE c.project = :project AND (
  c.id IN (SELECT chapter_id FROM chapter_memories WHERE project = :project AND memory_id = ANY(:parts::text[]))
  OR c.id IN (SELECT chapter_id FROM chapter_memories WHERE project = :project AND memory_id = ANY(:memories::text[]))
  OR EXISTS (SELECT 1 FROM json_array_elements_text(c.former::json) AS one(id) WHERE one.id = ANY(:memories::text[]))
) ORDER BY c.seq;

-- name: chapter_matching
SELECT c.id FROM chapters AS c
WHERE c.project = :project AND c.start_ts >= :since AND c.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_array_elements_text(:tags::json) AS asked(tag)
  WHERE asked.tag NOT IN (SELECT json_array_elements_text(c.tags::json))
) ORDER BY CASE :sort::text WHEN 'oldest' THEN c.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM chapter_memories AS p WHERE p.project = :project AND p.chapter_id = c.id)
    ELSE -c.end_ts END,
  CASE :sort::text WHEN 'oldest' THEN c.id END, c.id DESC;

-- name: chapter_in_order
SELECT id, seq FROM chapters WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: chapter_seq
SELECT seq FROM chapters WHERE project = :project AND id = ?;

-- name: count_chapter
SELECT count(*) FROM chapters WHERE project = :project;

-- name: delete_chapter
DELETE FROM chapters WHERE project = :project AND id = ?;

-- name: chapter_ids_at
SELECT seq, id FROM chapters WHERE project = :project AND seq = ANY(?::bigint[]);

-- name: put_wisdom
INSERT INTO wisdom (
  project, id, project_id, agent_id, created_at, updated_at, version, summary, insights, patterns, best_practices, evidence,
  contradictions, tags, start_ts, end_ts, words, given, found_by, own_tags, former, forgotten,
  imported_at
) VALUES (
  :project, :id, :project_id, :agent_id, :created_at, :updated_at, :version, :summary, :insights, :patterns, :best_practices,
  :evidence, :contradictions, :tags, :start_ts, :end_ts, :words, :given, :found_by, :own_tags, :former,
  :forgotten, :imported_at
) ON CONFLICT (project, id) DO UPDATE SET
  agent_id = excluded.agent_id, created_at = excluded.created_at, updated_at = excluded.updated_at,
  version = excluded.version, summary = excluded.summary, insights = excluded.insights,
  patterns = excluded.patterns, best_practices = excluded.best_practices, evidence = excluded.evidence,
  contradictions = excluded.contradictions, tags = excluded.tags, start_ts = excluded.start_ts,
  end_ts = excluded.end_ts, words = excluded.words, given = excluded.given, found_by = excluded.found_by,
  own_tags = excluded.own_tags, former = excluded.former,
  forgotten = excluded.forgotten, imported_at = excluded.imported_at
RETURNING seq;

-- name: wisdom_by_id
SELECT w.id, w.project_id, w.agent_id, w.created_at, w.updated_at, w.version, w.start_ts, w.end_ts, w.forgotten,
  w.imported_at, w.summary, w.words, w.insights, w.patterns, w.best_practices, w.evidence, w.contradictions,
  w.tags, w.given, w.found_by, w.own_tags, w.former
FROM wisdom AS w WHERE w.project = :project AND w.id = ANY(?::text[]);

-- name: wisdom_by_tail
SELECT id FROM wisdom
WHERE project = :project AND right(id, 8) = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: wisdom_parts
SELECT s.wisdom_id AS owner, s.chapter_id, s.version FROM wisdom_chapters AS s
WHERE s.project = :project AND s.wisdom_id = ANY(?::text[]) ORDER BY s.wisdom_id, s.position;

-- name: insert_wisdom_parts
INSERT INTO wisdom_chapters (project, wisdom_id, position, chapter_id, version) VALUES (:project, ?, ?, ?, ?);

-- name: delete_wisdom_parts
DELETE FROM wisdom_chapters WHERE project = :project AND wisdom_id = ?;

-- name: wisdom_members
SELECT m.wisdom_id AS owner, m.memory_id, m.version, m.superseded FROM wisdom_memories AS m
WHERE m.project = :project AND m.wisdom_id = ANY(?::text[]) ORDER BY m.wisdom_id, m.memory_id;

-- name: insert_wisdom_members
INSERT INTO wisdom_memories (project, wisdom_id, memory_id, version, superseded) VALUES (:project, ?, ?, ?, ?);

-- name: delete_wisdom_members
DELETE FROM wisdom_memories WHERE project = :project AND wisdom_id = ?;

-- name: wisdom_with_parts
SELECT w.id FROM wisdom AS w JOIN (
  SELECT wisdom_id FROM wisdom_chapters
  WHERE project = :project AND chapter_id = ANY(:ids::text[]) GROUP BY wisdom_id HAVING count(*) = :count
) AS held ON held.wisdom_id = w.id
WHERE w.project = :project
  AND (SELECT count(*) FROM wisdom_chapters AS p WHERE p.project = :project AND p.wisdom_id = w.id) = :count
ORDER BY w.seq;

-- name: wisdom_found_by
SELECT id FROM wisdom WHERE project = :project AND found_by = ? ORDER BY seq;

-- name: wisdom_made_of
SELECT w.id FROM wisdom AS w
WHERE w.project = :project AND (
  w.id IN (SELECT wisdom_id FROM wisdom_chapters WHERE project = :project AND chapter_id = ANY(:parts::text[]))
  OR w.id IN (SELECT wisdom_id FROM wisdom_memories WHERE project = :project AND memory_id = ANY(:memories::text[]))
  OR EXISTS (SELECT 1 FROM json_array_elements_text(w.former::json) AS one(id) WHERE one.id = ANY(:memories::text[]))
) ORDER BY w.seq;

-- name: wisdom_matching
SELECT w.id FROM wisdom AS w
WHERE w.project = :project AND w.start_ts >= :since AND w.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_array_elements_text(:tags::json) AS asked(tag)
  WHERE asked.tag NOT IN (SELECT json_array_elements_text(w.tags::json))
) ORDER BY CASE :sort::text WHEN 'oldest' THEN w.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM wisdom_chapters AS p WHERE p.project = :project AND p.wisdom_id = w.id)
    ELSE -w.end_ts END,
  CASE :sort::text WHEN 'oldest' THEN w.id END, w.id DESC;

-- name: wisdom_in_order
SELECT id, seq FROM wisdom WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: wisdom_seq
SELECT seq FROM wisdom WHERE project = :project AND id = ?;

-- name: count_wisdom
SELECT count(*) FROM wisdom WHERE project = :project;

-- name: delete_wisdom
DELETE FROM wisdom WHERE project = :project AND id = ?;

-- name: wisdom_ids_at
SELECT seq, id FROM wisdom WHERE project = :project AND seq = ANY(?::bigint[]);

-- name: any_chapter
SELECT (EXISTS (SELECT 1 FROM chapters WHERE project = :project))::integer;

-- name: delete_knowledge_text
DELETE FROM knowledge_text WHERE project = :project AND number = ?;

-- name: insert_knowledge_text
WITH body AS (
  SELECT array_remove(string_to_array(concat_ws(' ', ?2::text, ?3::text, ?4::text), ' '), '') AS terms
), added AS (
  INSERT INTO knowledge_text (project, number, title, said, tags, size)
  SELECT :project, ?1::bigint, ?2, ?3, ?4, cardinality(terms) FROM body
)
INSERT INTO knowledge_terms (project, term, number) SELECT DISTINCT :project, unnest(terms), ?1::bigint FROM body;

-- name: clear_knowledge_text
DELETE FROM knowledge_text WHERE project = :project;

-- name: knowledge_with_terms
SELECT t.number, t.title, t.said, t.tags, t.size FROM knowledge_text AS t
WHERE t.project = :project AND t.number IN (
  SELECT number FROM knowledge_terms WHERE project = :project AND term = ANY(?::text[])
);

-- name: knowledge_size
SELECT count(*), coalesce(sum(size), 0)::bigint FROM knowledge_text WHERE project = :project;

-- name: unknown_members
WITH named(id) AS (
  SELECT memory_id FROM chapter_memories WHERE project = :project
  UNION SELECT memory_id FROM wisdom_memories WHERE project = :project
  UNION SELECT json_array_elements_text(former::json) FROM chapters WHERE project = :project
  UNION SELECT json_array_elements_text(former::json) FROM wisdom WHERE project = :project
)
SELECT id FROM named WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.project = :project AND m.id = named.id)
ORDER BY 1;
