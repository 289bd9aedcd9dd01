-- Groups of memories that tell one story, and what such groups say together. Arrays are JSON.
-- A member or source is kept with its version, so that nobody has to be told when it changes. None of them
-- points at its row: what is forgotten leaves the list, and `forgotten` counts it.

CREATE TABLE chapters (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  learnings TEXT NOT NULL,
  evidence TEXT NOT NULL,
  start_ts INTEGER NOT NULL,
  end_ts INTEGER NOT NULL,
  tags TEXT NOT NULL,
  topics TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('manual', 'auto')),
  words TEXT NOT NULL CHECK (words IN ('given', 'model', 'drawn')),
  given TEXT NOT NULL,
  found_by TEXT NOT NULL,
  own_tags TEXT NOT NULL,
  forgotten INTEGER NOT NULL DEFAULT 0,
  imported_at INTEGER
) STRICT;
CREATE INDEX chapters_tail ON chapters(substr(id, -8));
CREATE INDEX chapters_time ON chapters(end_ts, id);

CREATE TABLE chapter_memories (
  chapter_id TEXT NOT NULL REFERENCES chapters(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (chapter_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX chapter_memories_memory ON chapter_memories(memory_id);

CREATE TABLE wisdom (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  summary TEXT NOT NULL,
  insights TEXT NOT NULL,
  patterns TEXT NOT NULL,
  best_practices TEXT NOT NULL,
  evidence TEXT NOT NULL,
  contradictions TEXT NOT NULL,
  tags TEXT NOT NULL,
  start_ts INTEGER NOT NULL,
  end_ts INTEGER NOT NULL,
  words TEXT NOT NULL CHECK (words IN ('given', 'model', 'drawn')),
  given TEXT NOT NULL,
  found_by TEXT NOT NULL,
  own_tags TEXT NOT NULL,
  forgotten INTEGER NOT NULL DEFAULT 0,
  imported_at INTEGER
) STRICT;
CREATE INDEX wisdom_tail ON wisdom(substr(id, -8));
CREATE INDEX wisdom_time ON wisdom(end_ts, id);

CREATE TABLE wisdom_chapters (
  wisdom_id TEXT NOT NULL REFERENCES wisdom(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  chapter_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (wisdom_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX wisdom_chapters_chapter ON wisdom_chapters(chapter_id);

-- Derived: the terms of chapters (at twice their number) and wisdom (at the odd one after it).
CREATE VIRTUAL TABLE knowledge_text USING fts5(title, said, tags, tokenize = 'ascii');
