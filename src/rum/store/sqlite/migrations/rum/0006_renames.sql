-- Which file got which name in the work that a memory tells of: what was done under earlier names is found by later ones.

CREATE TABLE renames (
  path TEXT NOT NULL,
  before TEXT NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  renamed_at INTEGER NOT NULL,
  PRIMARY KEY (path, before, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX renames_memory ON renames(memory);

-- What the memories of commits say of it already.
INSERT OR IGNORE INTO renames (path, before, memory, renamed_at)
SELECT
  substr(json_extract(a.value, '$.details.diff_summary'), 12), json_extract(a.value, '$.details.file_path'),
  m.seq, m.created_at
FROM memories AS m CROSS JOIN json_each(m.actions) AS a
WHERE json_extract(a.value, '$.type') = 'file_delete'
  AND json_extract(a.value, '$.details.diff_summary') GLOB 'renamed to ?*'
  AND json_extract(a.value, '$.details.file_path') IS NOT NULL;
