-- What a rule said before somebody corrected it, and who did.

ALTER TABLE rules ADD COLUMN updated_at INTEGER;
ALTER TABLE rules ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE TABLE rule_versions (
  rule INTEGER NOT NULL REFERENCES rules(seq) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  condition TEXT NOT NULL,
  action TEXT NOT NULL,
  PRIMARY KEY (rule, version)
) STRICT, WITHOUT ROWID;
