-- Every table of a project's rows has the project first in its keys, and row-level security as a second wall.
-- Text sorts by its bytes, as in SQLite, whatever the database's own order is.

CREATE TABLE projects (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL
);

CREATE FUNCTION is_json(given text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  PERFORM given::json;
  RETURN true;
EXCEPTION WHEN others THEN
  RETURN false;
END
$$;

CREATE TABLE agents (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('main', 'subagent')),
  parent_id text COLLATE "C",
  project_id text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  client text COLLATE "C",
  created_at bigint NOT NULL,
  last_active bigint NOT NULL,
  imported_at bigint,
  metadata text COLLATE "C" NOT NULL DEFAULT '{}',
  PRIMARY KEY (project, id),
  FOREIGN KEY (project, parent_id) REFERENCES agents(project, id)
);
CREATE UNIQUE INDEX agents_name ON agents(project, name) WHERE name IS NOT NULL;
CREATE INDEX agents_parent ON agents(project, parent_id);

CREATE TABLE memories (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  version bigint NOT NULL DEFAULT 1,
  intent_goal text COLLATE "C" NOT NULL,
  intent_type text COLLATE "C" NOT NULL,
  outcome_success smallint NOT NULL,
  outcome_summary text COLLATE "C" NOT NULL,
  intent text COLLATE "C" NOT NULL,
  perception text COLLATE "C" NOT NULL,
  reasoning text COLLATE "C" NOT NULL,
  actions text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL DEFAULT '[]',
  importance double precision NOT NULL DEFAULT 0.5,
  git_commit text COLLATE "C",
  git_branch text COLLATE "C",
  imported_at bigint,
  superseded smallint NOT NULL DEFAULT 0,
  origin_kind text COLLATE "C" NOT NULL,
  origin_reference text COLLATE "C",
  reverted_by text COLLATE "C",
  reverted_commit text COLLATE "C",
  reverted_in_part smallint NOT NULL DEFAULT 0,
  reverted_reason text COLLATE "C",
  -- Columns, not expressions in an index: under row-level security PostgreSQL uses no index on a function that is not
  -- leakproof. Goals may be longer than an index takes.
  goal_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (md5(lower(intent_goal))) STORED,
  tail text COLLATE "C" NOT NULL GENERATED ALWAYS AS (right(id, 8)) STORED,
  PRIMARY KEY (project, seq),
  UNIQUE (project, id),
  FOREIGN KEY (project, agent_id) REFERENCES agents(project, id)
);
CREATE INDEX memories_created ON memories(project, created_at, id);
CREATE INDEX memories_agent ON memories(project, agent_id, created_at);
CREATE INDEX memories_session ON memories(project, session_id, created_at);
CREATE INDEX memories_type ON memories(project, intent_type, created_at);
CREATE INDEX memories_failed ON memories(project, created_at) WHERE outcome_success = 0;
CREATE INDEX memories_goal ON memories(project, goal_key);
CREATE INDEX memories_superseded ON memories(project, seq) WHERE superseded = 1;
CREATE INDEX memories_tail ON memories(project, tail);
CREATE INDEX memories_reverted ON memories(project, reverted_by) WHERE reverted_by IS NOT NULL;
-- The same condition must be in the queries.
CREATE INDEX memories_unverified ON memories(project, created_at, id) WHERE strpos(tags, '"unverified"') > 0;
CREATE INDEX memories_commit ON memories(project, git_commit) WHERE git_commit IS NOT NULL;

CREATE TABLE memory_files (
  project integer NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  file_path text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL CHECK (operation IN ('read', 'edit', 'create', 'delete')),
  content_hash text COLLATE "C",
  created_at bigint NOT NULL,
  PRIMARY KEY (project, memory_id, file_path),
  FOREIGN KEY (project, memory_id) REFERENCES memories(project, id) ON DELETE CASCADE
);
CREATE INDEX memory_files_path ON memory_files(project, file_path, created_at, memory_id);

CREATE TABLE memory_tags (
  project integer NOT NULL,
  tag text COLLATE "C" NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, tag, memory_id),
  FOREIGN KEY (project, memory_id) REFERENCES memories(project, id) ON DELETE CASCADE
);
CREATE INDEX memory_tags_memory ON memory_tags(project, memory_id);

CREATE TABLE memory_links (
  project integer NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  link_type text COLLATE "C" NOT NULL CHECK (link_type IN ('caused_by', 'related_to', 'supersedes', 'blocked_by')),
  created_at bigint NOT NULL,
  PRIMARY KEY (project, source_id, target_id, link_type),
  FOREIGN KEY (project, source_id) REFERENCES memories(project, id) ON DELETE CASCADE,
  FOREIGN KEY (project, target_id) REFERENCES memories(project, id) ON DELETE CASCADE
);
CREATE INDEX memory_links_target ON memory_links(project, target_id);

CREATE TABLE memory_versions (
  project integer NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  data text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, memory_id, version),
  FOREIGN KEY (project, memory_id) REFERENCES memories(project, id) ON DELETE CASCADE
);

CREATE TABLE renames (
  project integer NOT NULL,
  path text COLLATE "C" NOT NULL,
  before text COLLATE "C" NOT NULL,
  memory bigint NOT NULL,
  renamed_at bigint NOT NULL,
  PRIMARY KEY (project, path, before, memory),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE
);
CREATE INDEX renames_memory ON renames(project, memory);
CREATE INDEX renames_before ON renames(project, before);

-- Derived: the code that a memory speaks of, as it was. Empty if there is none.
CREATE TABLE anchors (
  project integer NOT NULL,
  memory bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (project, memory),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE
);

CREATE TABLE attempts (
  project integer NOT NULL,
  memory bigint NOT NULL,
  number bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  worked smallint NOT NULL,
  size bigint NOT NULL,
  marks bytea NOT NULL,
  tried text COLLATE "C" NOT NULL,
  why text COLLATE "C" NOT NULL,
  instead text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, memory, number),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE
);

CREATE TABLE tombstones (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (project, hash)
);

-- Derived: the terms of each live memory, field by field, and by term the memories that hold it. One bit of `fields`
-- stands for each field, the first for the goal, the last for paths. In the order of this key the newest holders of a
-- term are read first, without reading the others.
CREATE TABLE memory_text (
  project integer NOT NULL,
  seq bigint NOT NULL,
  goal text COLLATE "C" NOT NULL,
  intent text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  learnings text COLLATE "C" NOT NULL,
  reasoning text COLLATE "C" NOT NULL,
  perception text COLLATE "C" NOT NULL,
  actions text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  paths text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, seq),
  FOREIGN KEY (project, seq) REFERENCES memories(project, seq) ON DELETE CASCADE
);
CREATE TABLE memory_terms (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  term text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  fields smallint NOT NULL,
  PRIMARY KEY (project, term, seq) INCLUDE (fields)
);

CREATE TABLE archived (
  project integer NOT NULL,
  memory bigint NOT NULL,
  archived_at bigint NOT NULL,
  form bigint NOT NULL,
  data bytea NOT NULL,
  -- Derived: how long its terms are together, the version of the tokeniser that made them, and the terms.
  length bigint NOT NULL,
  terms bigint NOT NULL,
  held text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (project, memory),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE
);
CREATE TABLE archived_terms (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  term text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (project, term, seq)
);

CREATE TABLE derived (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, name)
);

CREATE TABLE vector_models (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  number bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (project, number),
  UNIQUE (project, name)
);

-- A renewed vector gets a number never given before. A project has one writer at a time, so within it numbers appear in
-- their order, and whoever has read up to one reads on.
CREATE TABLE memory_vectors (
  project integer NOT NULL,
  number bigint GENERATED BY DEFAULT AS IDENTITY,
  memory bigint NOT NULL,
  model bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (project, number),
  UNIQUE (project, memory, model),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE,
  FOREIGN KEY (project, model) REFERENCES vector_models(project, number)
);
CREATE INDEX memory_vectors_model ON memory_vectors(project, model, number);
CREATE TABLE archived_vectors (
  project integer NOT NULL,
  number bigint GENERATED BY DEFAULT AS IDENTITY,
  memory bigint NOT NULL,
  model bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (project, number),
  UNIQUE (project, memory, model),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE,
  FOREIGN KEY (project, model) REFERENCES vector_models(project, number)
);
CREATE INDEX archived_vectors_model ON archived_vectors(project, model, number);
CREATE TABLE unembedded (
  project integer NOT NULL,
  memory bigint NOT NULL,
  model bigint NOT NULL,
  PRIMARY KEY (project, memory, model),
  FOREIGN KEY (project, memory) REFERENCES memories(project, seq) ON DELETE CASCADE,
  FOREIGN KEY (project, model) REFERENCES vector_models(project, number)
);
CREATE INDEX unembedded_model ON unembedded(project, model, memory);

-- `timestamp` is a whole number or a fraction, as a file of layers had it.
CREATE TABLE facts (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  version bigint NOT NULL DEFAULT 1,
  imported_at bigint,
  timestamp json,
  extra text COLLATE "C" NOT NULL DEFAULT '{}',
  PRIMARY KEY (project, seq),
  UNIQUE (project, key),
  FOREIGN KEY (project, agent_id) REFERENCES agents(project, id)
);
CREATE TABLE fact_versions (
  project integer NOT NULL,
  fact bigint NOT NULL,
  version bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, fact, version),
  FOREIGN KEY (project, fact) REFERENCES facts(project, seq) ON DELETE CASCADE
);
CREATE TABLE rules (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  condition text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  version bigint NOT NULL DEFAULT 1,
  imported_at bigint,
  timestamp json,
  extra text COLLATE "C" NOT NULL DEFAULT '{}',
  source text COLLATE "C",
  about text COLLATE "C",
  superseded_by text COLLATE "C",
  PRIMARY KEY (project, seq),
  UNIQUE (project, id),
  FOREIGN KEY (project, agent_id) REFERENCES agents(project, id)
);
CREATE INDEX rules_tail ON rules(project, right(id, 8));
CREATE INDEX rules_source ON rules(project, source) WHERE source IS NOT NULL;
CREATE TABLE rule_versions (
  project integer NOT NULL,
  rule bigint NOT NULL,
  version bigint NOT NULL,
  changed_at bigint NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  condition text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, rule, version),
  FOREIGN KEY (project, rule) REFERENCES rules(project, seq) ON DELETE CASCADE
);

CREATE TABLE chapters (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL,
  title text COLLATE "C" NOT NULL,
  summary text COLLATE "C" NOT NULL,
  learnings text COLLATE "C" NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  start_ts bigint NOT NULL,
  end_ts bigint NOT NULL,
  tags text COLLATE "C" NOT NULL,
  topics text COLLATE "C" NOT NULL,
  origin text COLLATE "C" NOT NULL CHECK (origin IN ('manual', 'auto')),
  words text COLLATE "C" NOT NULL CHECK (words IN ('given', 'model', 'drawn')),
  given text COLLATE "C" NOT NULL,
  found_by text COLLATE "C" NOT NULL,
  own_tags text COLLATE "C" NOT NULL,
  former text COLLATE "C" NOT NULL DEFAULT '[]',
  forgotten bigint NOT NULL DEFAULT 0,
  imported_at bigint,
  PRIMARY KEY (project, seq),
  UNIQUE (project, id),
  FOREIGN KEY (project, agent_id) REFERENCES agents(project, id)
);
CREATE INDEX chapters_tail ON chapters(project, right(id, 8));
CREATE INDEX chapters_time ON chapters(project, end_ts, id);
CREATE TABLE chapter_memories (
  project integer NOT NULL,
  chapter_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  superseded smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (project, chapter_id, position),
  FOREIGN KEY (project, chapter_id) REFERENCES chapters(project, id) ON DELETE CASCADE
);
CREATE INDEX chapter_memories_memory ON chapter_memories(project, memory_id);
CREATE TABLE wisdom (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL,
  summary text COLLATE "C" NOT NULL,
  insights text COLLATE "C" NOT NULL,
  patterns text COLLATE "C" NOT NULL,
  best_practices text COLLATE "C" NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  contradictions text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  start_ts bigint NOT NULL,
  end_ts bigint NOT NULL,
  words text COLLATE "C" NOT NULL CHECK (words IN ('given', 'model', 'drawn')),
  given text COLLATE "C" NOT NULL,
  found_by text COLLATE "C" NOT NULL,
  own_tags text COLLATE "C" NOT NULL,
  former text COLLATE "C" NOT NULL DEFAULT '[]',
  forgotten bigint NOT NULL DEFAULT 0,
  imported_at bigint,
  PRIMARY KEY (project, seq),
  UNIQUE (project, id),
  FOREIGN KEY (project, agent_id) REFERENCES agents(project, id)
);
CREATE INDEX wisdom_tail ON wisdom(project, right(id, 8));
CREATE INDEX wisdom_time ON wisdom(project, end_ts, id);
CREATE TABLE wisdom_chapters (
  project integer NOT NULL,
  wisdom_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  chapter_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (project, wisdom_id, position),
  FOREIGN KEY (project, wisdom_id) REFERENCES wisdom(project, id) ON DELETE CASCADE
);
CREATE INDEX wisdom_chapters_chapter ON wisdom_chapters(project, chapter_id);
CREATE TABLE wisdom_memories (
  project integer NOT NULL,
  wisdom_id text COLLATE "C" NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  superseded smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (project, wisdom_id, memory_id),
  FOREIGN KEY (project, wisdom_id) REFERENCES wisdom(project, id) ON DELETE CASCADE
);
CREATE INDEX wisdom_memories_memory ON wisdom_memories(project, memory_id);

-- Derived: the terms of chapters (at twice their number) and wisdom (at the odd one after it).
CREATE TABLE knowledge_text (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  number bigint NOT NULL,
  title text COLLATE "C" NOT NULL,
  said text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  size bigint NOT NULL, -- how many terms there are, repeated ones included
  PRIMARY KEY (project, number)
);
CREATE TABLE knowledge_terms (
  project integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (project, term, number),
  FOREIGN KEY (project, number) REFERENCES knowledge_text(project, number) ON DELETE CASCADE
);
CREATE INDEX knowledge_terms_number ON knowledge_terms(project, number);

CREATE TABLE trash (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  number bigint GENERATED BY DEFAULT AS IDENTITY,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL,
  imported smallint NOT NULL,
  forgotten_at bigint NOT NULL,
  forgotten_by text COLLATE "C" NOT NULL,
  data bytea NOT NULL,
  pending smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (project, number)
);
CREATE INDEX trash_id ON trash(project, id);
CREATE INDEX trash_tail ON trash(project, right(id, 8));
CREATE INDEX trash_time ON trash(project, forgotten_at);
CREATE TABLE trash_tombstones (
  project integer NOT NULL,
  hash text COLLATE "C" NOT NULL,
  item bigint NOT NULL,
  PRIMARY KEY (project, hash, item),
  FOREIGN KEY (project, item) REFERENCES trash(project, number) ON DELETE CASCADE
);
CREATE INDEX trash_tombstones_item ON trash_tombstones(project, item);
CREATE TABLE reviews (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  number bigint GENERATED BY DEFAULT AS IDENTITY,
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  verdict text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, number)
);

-- The tables below are no part of a memory's own transaction; their last second may be lost with the machine.

CREATE TABLE uses (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  memory_id text COLLATE "C" NOT NULL,
  times bigint NOT NULL,
  last bigint NOT NULL,
  PRIMARY KEY (project, memory_id)
);
CREATE INDEX uses_times ON uses(project, times);
CREATE TABLE failures (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  part text COLLATE "C" NOT NULL,
  failed_at bigint NOT NULL,
  why text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, part)
);
CREATE TABLE events (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  metadata text COLLATE "C",
  timestamp json,
  extra text COLLATE "C" NOT NULL DEFAULT '{}',
  agent_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  imported_at bigint,
  PRIMARY KEY (project, seq)
);
CREATE INDEX events_id ON events(project, id);
CREATE INDEX events_tail ON events(project, right(id, 8));
CREATE TABLE seen (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  seq bigint GENERATED BY DEFAULT AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  turn text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  data text COLLATE "C" NOT NULL,
  taken_at bigint NOT NULL,
  PRIMARY KEY (project, seq),
  UNIQUE (project, id)
);
CREATE INDEX seen_turn ON seen(project, client, session, agent, turn, at);
CREATE INDEX seen_at ON seen(project, at);
CREATE INDEX seen_taken ON seen(project, taken_at);
CREATE TABLE turns (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  client text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  turn text COLLATE "C" NOT NULL,
  first double precision NOT NULL,
  last double precision NOT NULL,
  is_open smallint NOT NULL,
  became text COLLATE "C" NOT NULL DEFAULT '',
  memory_id text COLLATE "C",
  why text COLLATE "C" NOT NULL DEFAULT '',
  concluded_at bigint,
  PRIMARY KEY (project, client, session, agent, turn)
);
CREATE INDEX turns_last ON turns(project, last);
CREATE INDEX turns_open ON turns(project, last) WHERE is_open = 1;
CREATE INDEX turns_memory ON turns(project, memory_id) WHERE memory_id IS NOT NULL;
CREATE TABLE transcripts (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL,
  stamp text COLLATE "C" NOT NULL,
  read_at bigint NOT NULL,
  PRIMARY KEY (project, path)
);
CREATE TABLE offers (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  event text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  memory_id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  turn text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  said text COLLATE "C" NOT NULL,
  fetched smallint NOT NULL DEFAULT 0,
  followed smallint NOT NULL DEFAULT 0,
  contradicted smallint NOT NULL DEFAULT 0,
  success smallint,
  tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (project, event, number, memory_id)
);
CREATE INDEX offers_memory ON offers(project, memory_id);
CREATE INDEX offers_session ON offers(project, client, session, at);
CREATE INDEX offers_tokens ON offers(project, at, event, number, tokens);
CREATE TABLE feedback (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  memory_id text COLLATE "C" NOT NULL,
  said_by text COLLATE "C" NOT NULL,
  useful smallint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (project, memory_id, said_by)
);
CREATE TABLE usefulness (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  memory_id text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  PRIMARY KEY (project, memory_id)
);

-- What changed since each target of `rum sync` last took it; without a target nothing is written.
CREATE TABLE sync_targets (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  target text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  PRIMARY KEY (project, target)
);
CREATE TABLE sync_changes (
  project integer NOT NULL,
  target text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  times bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (project, target, kind, id),
  FOREIGN KEY (project, target) REFERENCES sync_targets(project, target) ON DELETE CASCADE
);

-- The arguments of the trigger: the kind of the item, and the column that names it.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  item text;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  CASE TG_ARGV[1]
    WHEN 'key' THEN item := changed.key;
    WHEN 'source_id' THEN item := changed.source_id;
    ELSE item := changed.id;
  END CASE;
  INSERT INTO rum.sync_changes AS c (project, target, kind, id)
  SELECT t.project, t.target, TG_ARGV[0], item FROM rum.sync_targets AS t WHERE t.project = changed.project
  ON CONFLICT (project, target, kind, id) DO UPDATE SET times = c.times + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER sync_memory AFTER INSERT OR UPDATE OR DELETE ON memories FOR EACH ROW EXECUTE FUNCTION note_change('memory', 'id');
CREATE TRIGGER sync_fact AFTER INSERT OR UPDATE OR DELETE ON facts FOR EACH ROW EXECUTE FUNCTION note_change('fact', 'key');
CREATE TRIGGER sync_rule AFTER INSERT OR UPDATE OR DELETE ON rules FOR EACH ROW EXECUTE FUNCTION note_change('rule', 'id');
CREATE TRIGGER sync_chapter AFTER INSERT OR UPDATE OR DELETE ON chapters FOR EACH ROW EXECUTE FUNCTION note_change('chapter', 'id');
CREATE TRIGGER sync_wisdom AFTER INSERT OR UPDATE OR DELETE ON wisdom FOR EACH ROW EXECUTE FUNCTION note_change('wisdom', 'id');
CREATE TRIGGER sync_agent_added AFTER INSERT ON agents FOR EACH ROW EXECUTE FUNCTION note_change('agent', 'id');
CREATE TRIGGER sync_agent_changed AFTER UPDATE OF name ON agents FOR EACH ROW EXECUTE FUNCTION note_change('agent', 'id');
CREATE TRIGGER sync_link_added AFTER INSERT ON memory_links FOR EACH ROW EXECUTE FUNCTION note_change('links', 'source_id');
CREATE TRIGGER sync_revert_changed AFTER UPDATE OF reverted_by ON memories FOR EACH ROW
WHEN (NEW.reverted_by IS DISTINCT FROM OLD.reverted_by) EXECUTE FUNCTION note_change('links', 'id');

-- The second wall: a connection sees the rows of the project that it named, whatever a statement asks for. `FORCE`, as the
-- role that connects may own the tables. Superusers, and roles with BYPASSRLS, pass it.
DO $$
DECLARE
  one text;
BEGIN
  FOR one IN
    SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'rum'::regnamespace AND c.relkind = 'r' AND a.attname = 'project' AND NOT a.attisdropped
  LOOP
    EXECUTE format('ALTER TABLE rum.%I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE rum.%I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format(
      'CREATE POLICY own_project ON rum.%I USING (project = nullif(current_setting(''rum.project'', true), '''')::integer)', one);
  END LOOP;
END
$$;
