-- The list of sessions, the last active first.
CREATE INDEX turns_last ON turns(last);
-- What a text cost, as texts are deleted after two weeks; 0 where it was not counted.
ALTER TABLE offers ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
