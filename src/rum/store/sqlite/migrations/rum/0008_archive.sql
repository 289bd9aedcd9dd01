-- What is old and rarely used: the row in `memories` keeps what filters, files, sessions and links need, and what
-- a summary shows; its five layers are empty there and lie here, packed into one blob.

CREATE TABLE archived (
  memory INTEGER PRIMARY KEY REFERENCES memories(seq) ON DELETE CASCADE,
  archived_at INTEGER NOT NULL,
  form INTEGER NOT NULL,
  data BLOB NOT NULL,
  -- Derived: how long its terms are together, and the version of the tokeniser that made those in the index,
  -- which must be given again for them to be deleted; 0: the index has none.
  length INTEGER NOT NULL,
  terms INTEGER NOT NULL
) STRICT;

-- Derived: which terms each holds, nothing else. An index without its text is a third of one with it.
CREATE VIRTUAL TABLE archived_text USING fts5(terms, tokenize = 'ascii', content = '', detail = none);
CREATE VIRTUAL TABLE archived_terms USING fts5vocab('archived_text', 'row');
INSERT INTO derived (name, value) VALUES ('archived', '0');

-- Derived: their vectors, out of the way of those that every question by meaning is compared with.
CREATE TABLE archived_vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  memory INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES vector_models(number),
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX archived_vectors_memory ON archived_vectors(memory, model);
CREATE INDEX archived_vectors_model ON archived_vectors(model, number);
