-- Derived: what was tried and whether it worked, by file or by kind of command, so that a repetition is recognised.
-- `marks` is a sample of what tells it from other attempts, `size` how much there is of it.

CREATE TABLE attempts (
  memory INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  worked INTEGER NOT NULL,
  size INTEGER NOT NULL,
  marks BLOB NOT NULL,
  tried TEXT NOT NULL,
  why TEXT NOT NULL,
  instead TEXT NOT NULL,
  PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_key ON attempts(key, at);
-- By which version they were made; memories that were here before must be read for it.
INSERT INTO derived SELECT 'attempts', '1' WHERE NOT EXISTS (SELECT 1 FROM memories);
