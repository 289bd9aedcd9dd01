-- A statement with `{kind}` in its name is one for chapters and one for wisdom: see `load_statements`.

-- name: put_{kind}
INSERT INTO {groups} ({columns}) VALUES ({values})
ON CONFLICT (id) DO UPDATE SET {updates} RETURNING seq;

-- name: {kind}_by_id
SELECT {columns} FROM {groups} WHERE id IN (SELECT value FROM json_each(?));

-- name: {kind}_by_tail
SELECT id FROM {groups} WHERE substr(id, -8) = substr(:tail, -8) AND id LIKE '%' || :tail LIMIT 5;

-- name: delete_{kind}_parts
DELETE FROM {parts} WHERE {kind}_id = ?;

-- name: {kind}_with_parts
SELECT g.id FROM {groups} AS g JOIN (
  SELECT {kind}_id FROM {parts}
  WHERE {part}_id IN (SELECT value FROM json_each(:ids)) GROUP BY {kind}_id HAVING count(*) = :count
) AS held ON held.{kind}_id = g.id
WHERE (SELECT count(*) FROM {parts} AS m WHERE m.{kind}_id = g.id) = :count
ORDER BY g.seq;

-- name: {kind}_found_by
SELECT id FROM {groups} WHERE found_by = ? ORDER BY seq;

-- name: {kind}_made_of
SELECT g.id FROM {groups} AS g
WHERE g.id IN (SELECT {kind}_id FROM {parts} WHERE {part}_id IN (SELECT value FROM json_each(:parts)))
  OR g.id IN (SELECT {kind}_id FROM {members} WHERE memory_id IN (SELECT value FROM json_each(:memories)))
  OR EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(g.former) THEN g.former ELSE '[]' END) WHERE value IN (SELECT value FROM json_each(:memories)))
ORDER BY g.seq;

-- name: {kind}_matching
SELECT id FROM {groups} AS g
WHERE g.start_ts >= :since AND g.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_each(:tags) AS asked WHERE asked.value NOT IN (SELECT value FROM json_each(g.tags))
) ORDER BY CASE :sort WHEN 'oldest' THEN g.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM {parts} AS p WHERE p.{kind}_id = g.id) ELSE -g.end_ts END,
  CASE :sort WHEN 'oldest' THEN g.id END, g.id DESC;

-- name: {kind}_in_order
SELECT id, seq FROM {groups} WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: {kind}_seq
SELECT seq FROM {groups} WHERE id = ?;

-- name: count_{kind}
SELECT count(*) FROM {groups};

-- name: delete_{kind}
DELETE FROM {groups} WHERE id = ?;

-- name: {kind}_ids_at
SELECT g.seq, g.id FROM json_each(?) AS wanted JOIN {groups} AS g ON g.seq = wanted.value;

-- name: chapter_parts
SELECT m.chapter_id AS owner, m.memory_id, m.version, m.superseded
FROM json_each(?) AS wanted JOIN chapter_memories AS m ON m.chapter_id = wanted.value
ORDER BY m.chapter_id, m.position;

-- name: wisdom_parts
SELECT s.wisdom_id AS owner, s.chapter_id, s.version
FROM json_each(?) AS wanted JOIN wisdom_chapters AS s ON s.wisdom_id = wanted.value
ORDER BY s.wisdom_id, s.position;

-- name: wisdom_members
SELECT m.wisdom_id AS owner, m.memory_id, m.version, m.superseded
FROM json_each(?) AS wanted JOIN wisdom_memories AS m ON m.wisdom_id = wanted.value
ORDER BY m.wisdom_id, m.memory_id;

-- name: insert_chapter_parts
INSERT INTO chapter_memories (chapter_id, position, memory_id, version, superseded) VALUES (?, ?, ?, ?, ?);

-- name: insert_wisdom_parts
INSERT INTO wisdom_chapters (wisdom_id, position, chapter_id, version) VALUES (?, ?, ?, ?);

-- name: insert_wisdom_members
INSERT INTO wisdom_memories (wisdom_id, memory_id, version, superseded) VALUES (?, ?, ?, ?);

-- name: delete_wisdom_members
DELETE FROM wisdom_memories WHERE wisdom_id = ?;

-- name: any_chapter
SELECT EXISTS (SELECT 1 FROM chapters);

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
