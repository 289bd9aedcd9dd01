-- Derived: what each memory means, as a vector of every embedder that is in use here.

CREATE TABLE vector_models (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  used_at INTEGER NOT NULL
) STRICT;

-- AUTOINCREMENT: a renewed vector gets a number never given before, so that whoever has read up to one reads on.
CREATE TABLE memory_vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  memory INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES vector_models(number),
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX memory_vectors_memory ON memory_vectors(memory, model);

-- What has no vector yet, by model: known without comparing all memories with all vectors.
CREATE TABLE unembedded (
  memory INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES vector_models(number),
  PRIMARY KEY (memory, model)
) STRICT, WITHOUT ROWID;
