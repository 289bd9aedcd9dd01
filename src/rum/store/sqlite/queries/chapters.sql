-- name: put_chapter
INSERT INTO chapters (
  id, project_id, agent_id, created_at, updated_at, version, title, summary, learnings, evidence,
  start_ts, end_ts, tags, topics, origin, words, given, found_by, own_tags, former, forgotten,
  imported_at
) VALUES (
  :id, :project_id, :agent_id, :created_at, :updated_at, :version, :title, :summary, :learnings, :evidence,
  :start_ts, :end_ts, :tags, :topics, :origin, :words, :given, :found_by, :own_tags, :former, :forgotten,
  :imported_at
) ON CONFLICT (id) DO UPDATE SET
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
FROM json_each(?) AS wanted JOIN chapters AS c ON c.id = wanted.value;

-- name: chapter_by_tail
SELECT id FROM chapters WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: chapter_parts
SELECT m.chapter_id AS owner, m.memory_id, m.version, m.superseded
FROM json_each(?) AS wanted JOIN chapter_memories AS m ON m.chapter_id = wanted.value
ORDER BY m.chapter_id, m.position;

-- name: insert_chapter_parts
INSERT INTO chapter_memories (chapter_id, position, memory_id, version, superseded) VALUES (?, ?, ?, ?, ?);

-- name: delete_chapter_parts
DELETE FROM chapter_memories WHERE chapter_id = ?;

-- name: chapter_with_parts
SELECT c.id FROM chapters AS c JOIN (
  SELECT chapter_id FROM chapter_memories
  WHERE memory_id IN (SELECT value FROM json_each(:ids)) GROUP BY chapter_id HAVING count(*) = :count
) AS held ON held.chapter_id = c.id
WHERE (SELECT count(*) FROM chapter_memories AS m WHERE m.chapter_id = c.id) = :count
ORDER BY c.seq;

-- name: chapter_found_by
SELECT id FROM chapters WHERE found_by = ? ORDER BY seq;

-- name: chapter_made_of
SELECT c.id FROM chapters AS c
WHERE c.id IN (SELECT chapter_id FROM chapter_memories WHERE memory_id IN (SELECT value FROM json_each(:parts)))
  OR c.id IN (SELECT chapter_id FROM chapter_memories WHERE memory_id IN (SELECT value FROM json_each(:memories)))
  OR EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(c.former) THEN c.former ELSE '[]' END) WHERE value IN (SELECT value FROM json_each(:memories)))
ORDER BY c.seq;

-- name: chapter_matching
SELECT id FROM chapters AS c
WHERE c.start_ts >= :since AND c.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_each(:tags) AS asked WHERE asked.value NOT IN (SELECT value FROM json_each(c.tags))
) ORDER BY CASE :sort WHEN 'oldest' THEN c.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM chapter_memories AS p WHERE p.chapter_id = c.id) ELSE -c.end_ts END,
  CASE :sort WHEN 'oldest' THEN c.id END, c.id DESC;

-- name: chapter_in_order
SELECT id, seq FROM chapters WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: chapter_seq
SELECT seq FROM chapters WHERE id = ?;

-- name: any_chapter
SELECT EXISTS (SELECT 1 FROM chapters);

-- name: count_chapter
SELECT count(*) FROM chapters;

-- name: delete_chapter
DELETE FROM chapters WHERE id = ?;

-- name: chapter_ids_at
SELECT c.seq, c.id FROM json_each(?) AS wanted JOIN chapters AS c ON c.seq = wanted.value;

-- name: put_wisdom
INSERT INTO wisdom (
  id, project_id, agent_id, created_at, updated_at, version, summary, insights, patterns, best_practices, evidence,
  contradictions, tags, start_ts, end_ts, words, given, found_by, own_tags, former, forgotten,
  imported_at
) VALUES (
  :id, :project_id, :agent_id, :created_at, :updated_at, :version, :summary, :insights, :patterns, :best_practices,
  :evidence, :contradictions, :tags, :start_ts, :end_ts, :words, :given, :found_by, :own_tags, :former,
  :forgotten, :imported_at
) ON CONFLICT (id) DO UPDATE SET
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
FROM json_each(?) AS wanted JOIN wisdom AS w ON w.id = wanted.value;

-- name: wisdom_by_tail
SELECT id FROM wisdom WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: wisdom_parts
SELECT s.wisdom_id AS owner, s.chapter_id, s.version
FROM json_each(?) AS wanted JOIN wisdom_chapters AS s ON s.wisdom_id = wanted.value
ORDER BY s.wisdom_id, s.position;

-- name: insert_wisdom_parts
INSERT INTO wisdom_chapters (wisdom_id, position, chapter_id, version) VALUES (?, ?, ?, ?);

-- name: delete_wisdom_parts
DELETE FROM wisdom_chapters WHERE wisdom_id = ?;

-- name: wisdom_members
SELECT m.wisdom_id AS owner, m.memory_id, m.version, m.superseded
FROM json_each(?) AS wanted JOIN wisdom_memories AS m ON m.wisdom_id = wanted.value
ORDER BY m.wisdom_id, m.memory_id;

-- name: insert_wisdom_members
INSERT INTO wisdom_memories (wisdom_id, memory_id, version, superseded) VALUES (?, ?, ?, ?);

-- name: delete_wisdom_members
DELETE FROM wisdom_memories WHERE wisdom_id = ?;

-- name: wisdom_with_parts
SELECT w.id FROM wisdom AS w JOIN (
  SELECT wisdom_id FROM wisdom_chapters
  WHERE chapter_id IN (SELECT value FROM json_each(:ids)) GROUP BY wisdom_id HAVING count(*) = :count
) AS held ON held.wisdom_id = w.id
WHERE (SELECT count(*) FROM wisdom_chapters AS s WHERE s.wisdom_id = w.id) = :count
ORDER BY w.seq;

-- name: wisdom_found_by
SELECT id FROM wisdom WHERE found_by = ? ORDER BY seq;

-- name: wisdom_made_of
SELECT w.id FROM wisdom AS w
WHERE w.id IN (SELECT wisdom_id FROM wisdom_chapters WHERE chapter_id IN (SELECT value FROM json_each(:parts)))
  OR w.id IN (SELECT wisdom_id FROM wisdom_memories WHERE memory_id IN (SELECT value FROM json_each(:memories)))
  OR EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(w.former) THEN w.former ELSE '[]' END) WHERE value IN (SELECT value FROM json_each(:memories)))
ORDER BY w.seq;

-- name: wisdom_matching
SELECT id FROM wisdom AS w
WHERE w.start_ts >= :since AND w.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_each(:tags) AS asked WHERE asked.value NOT IN (SELECT value FROM json_each(w.tags))
) ORDER BY CASE :sort WHEN 'oldest' THEN w.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM wisdom_chapters AS p WHERE p.wisdom_id = w.id) ELSE -w.end_ts END,
  CASE :sort WHEN 'oldest' THEN w.id END, w.id DESC;

-- name: wisdom_in_order
SELECT id, seq FROM wisdom WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: wisdom_seq
SELECT seq FROM wisdom WHERE id = ?;

-- name: count_wisdom
SELECT count(*) FROM wisdom;

-- name: delete_wisdom
DELETE FROM wisdom WHERE id = ?;

-- name: wisdom_ids_at
SELECT w.seq, w.id FROM json_each(?) AS wanted JOIN wisdom AS w ON w.seq = wanted.value;

-- name: delete_knowledge_text
DELETE FROM knowledge_text WHERE rowid = ?;

-- name: insert_knowledge_text
INSERT INTO knowledge_text (rowid, title, said, tags) VALUES (?, ?, ?, ?);

-- name: best_knowledge
SELECT rowid FROM knowledge_text WHERE knowledge_text MATCH ? ORDER BY bm25(knowledge_text, 3, 1, 3), rowid DESC LIMIT ?;

-- name: knowledge_with_term
SELECT rowid FROM knowledge_text WHERE knowledge_text MATCH ? AND rowid IN (SELECT value FROM json_each(?));

-- name: count_knowledge_with_term
SELECT count(*) FROM knowledge_text WHERE knowledge_text MATCH ?;

-- name: clear_knowledge_text
DELETE FROM knowledge_text;

-- name: knowledge_figures
WITH numbers(number) AS (SELECT 2 * seq FROM chapters UNION ALL SELECT 2 * seq + 1 FROM wisdom)
SELECT (SELECT count(*) FROM numbers),
  (SELECT count(*) FROM numbers WHERE number IN (SELECT id FROM knowledge_text_docsize)),
  (SELECT count(*) FROM knowledge_text_docsize);

-- name: unknown_members
SELECT memory_id FROM chapter_memories WHERE memory_id NOT IN (SELECT id FROM memories)
UNION SELECT memory_id FROM wisdom_memories WHERE memory_id NOT IN (SELECT id FROM memories)
UNION SELECT value FROM chapters AS c, json_each(CASE WHEN json_valid(c.former) THEN c.former ELSE '[]' END) WHERE value NOT IN (SELECT id FROM memories)
UNION SELECT value FROM wisdom AS w, json_each(CASE WHEN json_valid(w.former) THEN w.former ELSE '[]' END) WHERE value NOT IN (SELECT id FROM memories)
ORDER BY 1;
