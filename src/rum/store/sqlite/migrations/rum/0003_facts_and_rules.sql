-- What is known (key, value) and what to do when (condition, action), each in the order it was learned.
-- `timestamp` is in milliseconds, and `extra` holds what RUM does not know: both as a file of layers had them.

CREATE TABLE facts (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  imported_at INTEGER,
  timestamp ANY,
  extra TEXT NOT NULL DEFAULT '{}'
) STRICT;

CREATE TABLE fact_versions (
  fact INTEGER NOT NULL REFERENCES facts(seq) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (fact, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE rules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  condition TEXT NOT NULL,
  action TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agents(id),
  created_at INTEGER NOT NULL,
  imported_at INTEGER,
  timestamp ANY,
  extra TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX rules_tail ON rules(substr(id, -8));
