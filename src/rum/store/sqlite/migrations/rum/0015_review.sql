-- What waits for review is held like what was forgotten: whole, in one piece, where nothing else finds it.
ALTER TABLE trash ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
CREATE INDEX trash_pending ON trash(pending);

-- What people decided, to be counted; none of the words.
CREATE TABLE reviews (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  verdict TEXT NOT NULL
) STRICT;
