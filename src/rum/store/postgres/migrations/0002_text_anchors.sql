-- Derived: the code that a note, fact or rule names, as it was when its text was written or confirmed. Empty if there is none.
CREATE TABLE text_anchors (
  project integer NOT NULL REFERENCES projects(number) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  mark text COLLATE "C" NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (project, name)
);
ALTER TABLE text_anchors ENABLE ROW LEVEL SECURITY;
ALTER TABLE text_anchors FORCE ROW LEVEL SECURITY;
CREATE POLICY own_project ON text_anchors
  USING (project = nullif(current_setting('rum.project', true), '')::integer);
