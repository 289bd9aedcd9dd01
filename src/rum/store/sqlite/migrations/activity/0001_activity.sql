-- What may lose its last second in a power cut: how memories are used. Never on the path of a memory's own write.

CREATE TABLE migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE uses (
  memory_id TEXT PRIMARY KEY,
  times INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_times ON uses(times);
