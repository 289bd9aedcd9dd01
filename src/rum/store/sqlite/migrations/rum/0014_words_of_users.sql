-- Rules in the words of a user: who said it, the memory of the work that it corrects, and the rule that took its
-- place.

ALTER TABLE rules ADD COLUMN source TEXT;
ALTER TABLE rules ADD COLUMN about TEXT;
ALTER TABLE rules ADD COLUMN superseded_by TEXT;
CREATE INDEX rules_source ON rules(source) WHERE source IS NOT NULL;
