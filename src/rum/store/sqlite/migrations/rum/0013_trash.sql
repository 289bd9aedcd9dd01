-- What was forgotten and can still be restored: each item whole, in one piece. No other table has any of it, so
-- nothing but `restore` finds it.

-- AUTOINCREMENT: what was shown under a number is never another item.
CREATE TABLE trash (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  label TEXT NOT NULL,
  author TEXT NOT NULL,
  imported INTEGER NOT NULL,
  forgotten_at INTEGER NOT NULL,
  forgotten_by TEXT NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE INDEX trash_id ON trash(id);
CREATE INDEX trash_tail ON trash(substr(id, -8));
CREATE INDEX trash_time ON trash(forgotten_at);

-- Count like those in `tombstones`, as long as their item is in the trash. Two items may share one.
CREATE TABLE trash_tombstones (
  hash TEXT NOT NULL,
  item INTEGER NOT NULL REFERENCES trash(number) ON DELETE CASCADE,
  PRIMARY KEY (hash, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX trash_tombstones_item ON trash_tombstones(item);
