-- Derived: the code that a note, fact or rule names, as it was when its text was written or confirmed. Empty if there is none.

CREATE TABLE text_anchors (
  name TEXT PRIMARY KEY,
  mark TEXT NOT NULL,
  data BLOB NOT NULL
) STRICT, WITHOUT ROWID;
