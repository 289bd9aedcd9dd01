-- What RUM said by itself, and what came of it: a row for each memory that was offered, told apart by the event that
-- noted it. `success` is that of the turn, as far as it is known. The words go after two weeks, the rest stays.

CREATE TABLE offers (
  event TEXT NOT NULL,
  number INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  client TEXT NOT NULL,
  session TEXT NOT NULL,
  turn TEXT NOT NULL,
  call TEXT NOT NULL,
  kind TEXT NOT NULL,
  at REAL NOT NULL,
  said TEXT NOT NULL,
  fetched INTEGER NOT NULL DEFAULT 0,
  followed INTEGER NOT NULL DEFAULT 0,
  contradicted INTEGER NOT NULL DEFAULT 0,
  success INTEGER,
  PRIMARY KEY (event, number, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX offers_memory ON offers(memory_id);
CREATE INDEX offers_session ON offers(client, session, at);
CREATE INDEX offers_at ON offers(at);

-- What somebody said of a memory; of one voice the last word stands.
CREATE TABLE feedback (
  memory_id TEXT NOT NULL,
  said_by TEXT NOT NULL,
  useful INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (memory_id, said_by)
) STRICT, WITHOUT ROWID;

-- Derived: from -1 to 1, for those memories that anything speaks for or against.
CREATE TABLE usefulness (
  memory_id TEXT PRIMARY KEY,
  value REAL NOT NULL
) STRICT, WITHOUT ROWID;
