-- Wisdom keeps every memory its words were made of, with its version then: its chapters may let go of one
-- of them, or be renewed without saying anything else, and its words would be of it nevertheless.

CREATE TABLE wisdom_memories (
  wisdom_id TEXT NOT NULL REFERENCES wisdom(id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (wisdom_id, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX wisdom_memories_memory ON wisdom_memories(memory_id);

-- Of a chapter that was written after its wisdom nobody knows which version the wisdom was made of: 0 is none.
INSERT INTO wisdom_memories (wisdom_id, memory_id, version, superseded)
SELECT w.id, m.memory_id, min(CASE WHEN c.updated_at > w.updated_at THEN 0 ELSE m.version END), max(m.superseded)
FROM wisdom AS w
JOIN wisdom_chapters AS s ON s.wisdom_id = w.id
JOIN chapters AS c ON c.id = s.chapter_id
JOIN chapter_memories AS m ON m.chapter_id = c.id
GROUP BY w.id, m.memory_id;

INSERT OR IGNORE INTO wisdom_memories (wisdom_id, memory_id, version)
SELECT w.id, named.value, 0
FROM wisdom AS w, json_each(w.evidence) AS rests_on, json_each(rests_on.value, '$.memory_ids') AS named;

-- Memories that are members no longer, but were when words that are still there were handed in. JSON.
ALTER TABLE chapters ADD COLUMN former TEXT NOT NULL DEFAULT '[]';
ALTER TABLE wisdom ADD COLUMN former TEXT NOT NULL DEFAULT '[]';
