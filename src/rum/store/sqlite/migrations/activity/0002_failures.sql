-- What failed last and why, by the part that failed, until it works again.
CREATE TABLE failures (
  part TEXT PRIMARY KEY,
  failed_at INTEGER NOT NULL,
  why TEXT NOT NULL
) STRICT, WITHOUT ROWID;
