-- What happened, entry by entry, in the order it came. Ids are the writer's own, so two entries may share one.
-- AUTOINCREMENT: a place is never given twice, so whoever read an entry there finds that one or none.

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  content TEXT NOT NULL,
  metadata TEXT,
  timestamp ANY,
  extra TEXT NOT NULL DEFAULT '{}',
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  imported_at INTEGER
) STRICT;
CREATE INDEX events_id ON events(id);
CREATE INDEX events_tail ON events(substr(id, -8));
