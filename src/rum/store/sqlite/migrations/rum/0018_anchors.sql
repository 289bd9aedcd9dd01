-- Derived: the code that a memory speaks of, as it was, so that it can be compared with today's files. Empty if there is none.

CREATE TABLE anchors (
  memory INTEGER PRIMARY KEY REFERENCES memories(seq) ON DELETE CASCADE,
  data BLOB NOT NULL
) STRICT;
-- A file that is missing is looked for under its later names.
CREATE INDEX renames_before ON renames(before);
