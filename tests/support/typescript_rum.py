"""Databases as the TypeScript RUM writes them: its own schema, its ids, times in milliseconds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

SCHEMA = """
-- Agent identities
CREATE TABLE IF NOT EXISTS agents (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('main', 'subagent')),
  parent_id TEXT REFERENCES agents(id),
  project_id TEXT NOT NULL,

  created_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  session_count INTEGER DEFAULT 1,

  memory_count INTEGER DEFAULT 0,
  success_count INTEGER DEFAULT 0,
  failure_count INTEGER DEFAULT 0,

  specialization TEXT,
  capabilities JSON,
  metadata JSON
);

-- Core memories
CREATE TABLE IF NOT EXISTS memories (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  project_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,

  -- Denormalized for fast queries
  intent_goal TEXT NOT NULL,
  intent_type TEXT NOT NULL,
  outcome_success INTEGER NOT NULL,
  outcome_summary TEXT,

  -- Full structured data
  intent JSON NOT NULL,
  perception JSON,
  reasoning JSON,
  actions JSON,
  outcome JSON NOT NULL,

  -- Metadata
  tags JSON DEFAULT '[]',
  importance REAL DEFAULT 0.5,
  access_count INTEGER DEFAULT 0,
  last_accessed INTEGER,

  -- Embedding for semantic search
  embedding BLOB
);

-- File associations for fast file-based lookup
CREATE TABLE IF NOT EXISTS memory_files (
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  file_path TEXT NOT NULL,
  operation TEXT NOT NULL,
  PRIMARY KEY (memory_id, file_path)
);

-- Memory relationships (graph edges)
CREATE TABLE IF NOT EXISTS memory_links (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  target_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  link_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE(source_id, target_id, link_type)
);

-- Sessions
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  memories_created INTEGER DEFAULT 0,
  queries_made INTEGER DEFAULT 0,
  initial_intent TEXT,
  final_outcome TEXT
);

-- Chapters
CREATE TABLE IF NOT EXISTS chapters (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  title TEXT,
  summary TEXT NOT NULL,
  learnings JSON,
  start_ts INTEGER NOT NULL,
  end_ts INTEGER NOT NULL,
  tags JSON DEFAULT '[]',
  topics JSON DEFAULT '[]',
  origin TEXT NOT NULL CHECK (origin IN ('manual', 'auto'))
);

CREATE TABLE IF NOT EXISTS chapter_memories (
  chapter_id TEXT NOT NULL REFERENCES chapters(id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  position INTEGER,
  PRIMARY KEY (chapter_id, memory_id)
);

-- Wisdom (synthesized knowledge)
CREATE TABLE IF NOT EXISTS wisdom (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  insights JSON,
  patterns JSON,
  best_practices JSON,
  tags JSON DEFAULT '[]',
  start_ts INTEGER NOT NULL,
  end_ts INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS wisdom_chapters (
  wisdom_id TEXT NOT NULL REFERENCES wisdom(id) ON DELETE CASCADE,
  chapter_id TEXT NOT NULL REFERENCES chapters(id) ON DELETE CASCADE,
  PRIMARY KEY (wisdom_id, chapter_id)
);

-- Indexes
CREATE INDEX IF NOT EXISTS idx_agents_project ON agents(project_id);
CREATE INDEX IF NOT EXISTS idx_agents_parent ON agents(parent_id);
CREATE INDEX IF NOT EXISTS idx_agents_type ON agents(type);

CREATE INDEX IF NOT EXISTS idx_memories_agent ON memories(agent_id);
CREATE INDEX IF NOT EXISTS idx_memories_project ON memories(project_id);
CREATE INDEX IF NOT EXISTS idx_memories_session ON memories(session_id);
CREATE INDEX IF NOT EXISTS idx_memories_created ON memories(created_at);
CREATE INDEX IF NOT EXISTS idx_memories_intent_type ON memories(intent_type);
CREATE INDEX IF NOT EXISTS idx_memories_success ON memories(outcome_success);

CREATE INDEX IF NOT EXISTS idx_memory_files_path ON memory_files(file_path);
CREATE INDEX IF NOT EXISTS idx_memory_files_memory ON memory_files(memory_id);

CREATE INDEX IF NOT EXISTS idx_memory_links_source ON memory_links(source_id);
CREATE INDEX IF NOT EXISTS idx_memory_links_target ON memory_links(target_id);
CREATE INDEX IF NOT EXISTS idx_memory_links_type ON memory_links(link_type);

CREATE INDEX IF NOT EXISTS idx_sessions_agent ON sessions(agent_id);

CREATE INDEX IF NOT EXISTS idx_chapters_project ON chapters(project_id);
CREATE INDEX IF NOT EXISTS idx_chapters_created ON chapters(created_at);
CREATE INDEX IF NOT EXISTS idx_chapter_memories_memory ON chapter_memories(memory_id);

CREATE INDEX IF NOT EXISTS idx_wisdom_project ON wisdom(project_id);
CREATE INDEX IF NOT EXISTS idx_wisdom_created ON wisdom(created_at);
"""

AT = 1_740_000_000_000  # Milliseconds, as there
MAIN, SUB = "agent_11111111-0000-4000-8000-000000000001", "agent_11111111-0000-4000-8000-000000000002"
CACHE, RACE, LOCK = (f"mem_22222222-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
CHAPTER, OTHER_CHAPTER = (f"chapter_33333333-0000-4000-8000-00000000000{number}" for number in (1, 2))
WISDOM = "wisdom_44444444-0000-4000-8000-000000000001"
SESSION = "session_55555555-0000-4000-8000-000000000001"


def insert(connection: sqlite3.Connection, table: str, **values: Any) -> None:
    """Add a row; lists and objects become JSON, as the program writes them."""
    ready = [json.dumps(one) if isinstance(one, list | dict) else one for one in values.values()]
    places = ", ".join("?" * len(ready))
    connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})", ready)


def insert_memory(connection: sqlite3.Connection, memory_id: str, **given: Any) -> None:
    """Add a memory as its `store` does: absent layers are null, actions are flat."""
    fields: dict[str, Any] = {
        "agent_id": MAIN,
        "session_id": SESSION,
        "created_at": AT,
        "intent": {"goal": "Do the work", "task_type": "other"},
        "outcome": {"success": True, "summary": "Done"},
        "tags": [],
        "importance": 0.5,
        **given,
    }
    intent, outcome = fields["intent"], fields["outcome"]
    insert(
        connection,
        "memories",
        id=memory_id,
        project_id="shop",
        intent_goal=intent["goal"],
        intent_type=intent["task_type"],
        outcome_success=int(outcome["success"]),
        outcome_summary=outcome["summary"],
        **fields,
    )


def write_database(path: Path) -> Path:
    """A main agent and a subagent, three linked memories, two chapters and one piece of wisdom."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(SCHEMA)
    agent = {"project_id": "shop", "created_at": AT, "last_active_at": AT + 9_000}
    insert(connection, "agents", id=MAIN, type="main", **agent)
    insert(
        connection,
        "agents",
        id=SUB,
        type="subagent",
        parent_id=MAIN,
        specialization="auth",
        capabilities=["tokens", "review"],
        **agent,
    )
    insert(connection, "sessions", id=SESSION, agent_id=MAIN, started_at=AT, initial_intent="Speed up login")
    insert_memory(
        connection,
        CACHE,
        intent={"goal": "Cache the login tokens", "task_type": "optimization", "context": "Login is slow"},
        perception={"relevant_files": [{"path": "src/login.ts", "relevance": "Reads tokens"}]},
        actions=[
            {
                "type": "file_edit",
                "file_path": "src/cache.ts",
                "lines_affected": "4-9",
                "diff_summary": "Map",
            },
            {"type": "command_run", "command": "npm test", "result": {"success": False, "error": "1 failed"}},
        ],
        outcome={
            "success": False,
            "summary": "Two requests refreshed at once",
            "failure_category": "race_condition",
            "learnings": ["Never refresh tokens without a lock"],
        },
        tags=["auth", "cache"],
        importance=0.8,
        access_count=7,
        last_accessed=AT + 5_000,
    )
    insert_memory(
        connection,
        RACE,
        agent_id=SUB,
        created_at=AT + 1_000,
        intent={"goal": "Find the race in the login", "task_type": "investigation"},
        reasoning={"approach_chosen": "Log each refresh", "why_chosen": "Cheap"},
        outcome={"success": True, "summary": "The cache is filled twice", "learnings": ["Log the refreshes"]},
        tags=["auth"],
    )
    insert_memory(
        connection,
        LOCK,
        created_at=AT + 2_000,
        intent={"goal": "Lock the token refresh", "task_type": "bug_fix"},
        outcome={"success": True, "summary": "One refresh at a time", "learnings": ["A mutex is enough"]},
        tags=["auth"],
    )
    for path_, operation in (("src/cache.ts", "file_edit"), ("src/login.ts", "relevant")):
        insert(connection, "memory_files", memory_id=CACHE, file_path=path_, operation=operation)
    for number, (source, target, kind) in enumerate(
        [(RACE, CACHE, "caused_by"), (LOCK, RACE, "caused_by"), (LOCK, CACHE, "related_to")]
    ):
        insert(
            connection,
            "memory_links",
            id=f"link_{number}",
            source_id=source,
            target_id=target,
            link_type=kind,
            created_at=AT,
        )
    times = {"created_at": AT + 3_000, "updated_at": AT + 3_000, "start_ts": AT, "end_ts": AT + 2_000}
    for chapter, title, origin, members in (
        (CHAPTER, "The login race", "manual", (CACHE, RACE, LOCK)),
        (OTHER_CHAPTER, None, "auto", (RACE, LOCK)),
    ):
        insert(
            connection,
            "chapters",
            id=chapter,
            project_id="shop",
            title=title,
            summary="Goals: Find the race in the login. Outcomes: One refresh at a time",
            learnings=["Log the refreshes", "A mutex is enough"],
            tags=["auth"],
            topics=["auth"],
            origin=origin,
            **times,
        )
        for position, memory in enumerate(members):
            row = {"chapter_id": chapter, "memory_id": memory, "position": position}
            insert(connection, "chapter_memories", **row)
    insert(
        connection,
        "wisdom",
        id=WISDOM,
        project_id="shop",
        summary="Synthesized 2 chapters",
        insights=["A mutex is enough"],
        patterns=["auth"],
        best_practices=[],
        tags=["auth"],
        **times,
    )
    for chapter in (CHAPTER, OTHER_CHAPTER):
        insert(connection, "wisdom_chapters", wisdom_id=WISDOM, chapter_id=chapter)
    connection.commit()
    connection.close()
    return path
