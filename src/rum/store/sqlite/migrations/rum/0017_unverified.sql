-- Memories whose outcome is not confirmed, by time, for lists and counts. The same condition must be in the queries.
CREATE INDEX memories_unverified ON memories(created_at, id) WHERE instr(tags, '"unverified"') > 0;
