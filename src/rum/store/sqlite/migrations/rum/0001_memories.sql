-- Everything canonical about a project's memories. One file a project, so no key needs the project in it.

CREATE TABLE migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('main', 'subagent')),
  parent_id TEXT REFERENCES agents(id),
  project_id TEXT NOT NULL,
  name TEXT,
  client TEXT,
  created_at INTEGER NOT NULL,
  last_active INTEGER NOT NULL,
  imported_at INTEGER,
  metadata TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE UNIQUE INDEX agents_name ON agents(name) WHERE name IS NOT NULL;
CREATE INDEX agents_parent ON agents(parent_id);

CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  project_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  intent_goal TEXT NOT NULL,
  intent_type TEXT NOT NULL,
  outcome_success INTEGER NOT NULL,
  outcome_summary TEXT NOT NULL,
  intent TEXT NOT NULL,
  perception TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  actions TEXT NOT NULL,
  outcome TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  importance REAL NOT NULL DEFAULT 0.5,
  git_commit TEXT,
  git_branch TEXT,
  imported_at INTEGER,
  superseded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX memories_created ON memories(created_at, id);
CREATE INDEX memories_agent ON memories(agent_id, created_at);
CREATE INDEX memories_session ON memories(session_id, created_at);
CREATE INDEX memories_type ON memories(intent_type, created_at);
CREATE INDEX memories_failed ON memories(created_at) WHERE outcome_success = 0;
CREATE INDEX memories_goal ON memories(intent_goal COLLATE NOCASE);
CREATE INDEX memories_superseded ON memories(id) WHERE superseded = 1;
CREATE INDEX memories_tail ON memories(substr(id, -8));

CREATE TABLE memory_files (
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  file_path TEXT NOT NULL,
  operation TEXT NOT NULL CHECK (operation IN ('read', 'edit', 'create', 'delete')),
  content_hash TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (memory_id, file_path)
) STRICT, WITHOUT ROWID;
-- With the memory's time in it, the newest memories of a file are found without looking at the others.
CREATE INDEX memory_files_path ON memory_files(file_path, created_at);

CREATE TABLE memory_tags (
  tag TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  PRIMARY KEY (tag, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tags_memory ON memory_tags(memory_id);

-- `A led_to B` is kept as `B caused_by A`, and a symmetric edge with the smaller id first: each edge once.
CREATE TABLE memory_links (
  source_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  target_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  link_type TEXT NOT NULL CHECK (link_type IN ('caused_by', 'related_to', 'supersedes', 'blocked_by')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, target_id, link_type)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_links_target ON memory_links(target_id);

CREATE TABLE memory_versions (
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (memory_id, version)
) STRICT, WITHOUT ROWID;

-- A keyed hash of what was forgotten, never the content.
CREATE TABLE tombstones (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Derived: the terms of each memory, one column a field, tokenised before they come here.
CREATE VIRTUAL TABLE memory_text USING fts5(
  goal, intent, outcome, learnings, reasoning, perception, actions, tags, paths, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE memory_terms USING fts5vocab('memory_text', 'row');
CREATE TABLE derived (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
