-- What was seen of agents at work, told by hooks: kept until two weeks after it became memories.
-- An event has one id however often it is seen. A turn is one agent's work on one prompt; its row stays, so that
-- nothing is made of it twice.

CREATE TABLE seen (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  turn TEXT NOT NULL,
  kind TEXT NOT NULL,
  at REAL NOT NULL,
  data TEXT NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT;
CREATE INDEX seen_turn ON seen(client, session, agent, turn, at);
CREATE INDEX seen_session ON seen(client, session, kind, at);
CREATE INDEX seen_at ON seen(at);
CREATE INDEX seen_taken ON seen(taken_at);

CREATE TABLE turns (
  client TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  turn TEXT NOT NULL,
  first REAL NOT NULL,
  last REAL NOT NULL,
  is_open INTEGER NOT NULL,
  became TEXT NOT NULL DEFAULT '',
  memory_id TEXT,
  why TEXT NOT NULL DEFAULT '',
  concluded_at INTEGER,
  PRIMARY KEY (client, session, agent, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_open ON turns(last) WHERE is_open;
CREATE INDEX turns_memory ON turns(memory_id) WHERE memory_id IS NOT NULL;

-- Transcripts that were read to their end, by what they looked like then.
CREATE TABLE transcripts (
  path TEXT PRIMARY KEY,
  stamp TEXT NOT NULL,
  read_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What people corrected: rules that somebody may have meant, until somebody takes or drops them.
CREATE TABLE candidates (
  id TEXT PRIMARY KEY,
  condition TEXT NOT NULL,
  action TEXT NOT NULL,
  said TEXT NOT NULL,
  client TEXT NOT NULL,
  session TEXT NOT NULL,
  turn TEXT NOT NULL,
  at REAL NOT NULL,
  times INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open'
) STRICT, WITHOUT ROWID;
