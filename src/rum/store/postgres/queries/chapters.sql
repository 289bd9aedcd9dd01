-- A statement with `{kind}` in its name is one for chapters and one for wisdom: see `load_statements`.

-- name: put_{kind}
INSERT INTO {groups} (project, {columns}) VALUES (:project, {values})
ON CONFLICT (project, id) DO UPDATE SET {updates} RETURNING seq;

-- name: {kind}_by_id
SELECT {columns} FROM {groups} WHERE project = :project AND id = ANY(?::text[]);

-- name: {kind}_by_tail
SELECT id FROM {groups}
WHERE project = :project AND right(id, 8) = right(:tail, 8) AND right(id, length(:tail)) = :tail LIMIT 5;

-- name: delete_{kind}_parts
DELETE FROM {parts} WHERE project = :project AND {kind}_id = ?;

-- name: {kind}_with_parts
SELECT g.id FROM {groups} AS g JOIN (
  SELECT {kind}_id FROM {parts}
  WHERE project = :project AND {part}_id = ANY(:ids::text[]) GROUP BY {kind}_id HAVING count(*) = :count
) AS held ON held.{kind}_id = g.id
WHERE g.project = :project
  AND (SELECT count(*) FROM {parts} AS p WHERE p.project = :project AND p.{kind}_id = g.id) = :count
ORDER BY g.seq;

-- name: {kind}_found_by
SELECT id FROM {groups} WHERE project = :project AND found_by = ? ORDER BY seq;

-- name: {kind}_made_of
SELECT g.id FROM {groups} AS g
WHERE g.project = :project AND (
  g.id IN (SELECT {kind}_id FROM {parts} WHERE project = :project AND {part}_id = ANY(:parts::text[]))
  OR g.id IN (SELECT {kind}_id FROM {members} WHERE project = :project AND memory_id = ANY(:memories::text[]))
  OR EXISTS (SELECT 1 FROM json_array_elements_text(g.former::json) AS one(id) WHERE one.id = ANY(:memories::text[]))
) ORDER BY g.seq;

-- name: {kind}_matching
SELECT g.id FROM {groups} AS g
WHERE g.project = :project AND g.start_ts >= :since AND g.end_ts <= :before AND NOT EXISTS (
  SELECT 1 FROM json_array_elements_text(:tags::json) AS asked(tag)
  WHERE asked.tag NOT IN (SELECT json_array_elements_text(g.tags::json))
) ORDER BY CASE :sort::text WHEN 'oldest' THEN g.start_ts
    WHEN 'size' THEN -(SELECT count(*) FROM {parts} AS p WHERE p.project = :project AND p.{kind}_id = g.id)
    ELSE -g.end_ts END,
  CASE :sort::text WHEN 'oldest' THEN g.id END, g.id DESC;

-- name: {kind}_in_order
SELECT id, seq FROM {groups} WHERE project = :project AND seq > ? ORDER BY seq LIMIT ?;

-- name: {kind}_seq
SELECT seq FROM {groups} WHERE project = :project AND id = ?;

-- name: count_{kind}
SELECT count(*) FROM {groups} WHERE project = :project;

-- name: delete_{kind}
DELETE FROM {groups} WHERE project = :project AND id = ?;

-- name: {kind}_ids_at
SELECT seq, id FROM {groups} WHERE project = :project AND seq = ANY(?::bigint[]);

-- name: chapter_parts
SELECT chapter_id AS owner, memory_id, version, superseded FROM chapter_memories
WHERE project = :project AND chapter_id = ANY(?::text[]) ORDER BY chapter_id, position;

-- name: wisdom_parts
SELECT wisdom_id AS owner, chapter_id, version FROM wisdom_chapters
WHERE project = :project AND wisdom_id = ANY(?::text[]) ORDER BY wisdom_id, position;

-- name: wisdom_members
SELECT wisdom_id AS owner, memory_id, version, superseded FROM wisdom_memories
WHERE project = :project AND wisdom_id = ANY(?::text[]) ORDER BY wisdom_id, memory_id;

-- name: insert_chapter_parts
INSERT INTO chapter_memories (project, chapter_id, position, memory_id, version, superseded)
VALUES (:project, ?, ?, ?, ?, ?);

-- name: insert_wisdom_parts
INSERT INTO wisdom_chapters (project, wisdom_id, position, chapter_id, version) VALUES (:project, ?, ?, ?, ?);

-- name: insert_wisdom_members
INSERT INTO wisdom_memories (project, wisdom_id, memory_id, version, superseded) VALUES (:project, ?, ?, ?, ?);

-- name: delete_wisdom_members
DELETE FROM wisdom_memories WHERE project = :project AND wisdom_id = ?;

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
