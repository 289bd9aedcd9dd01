-- Every memory has an origin. Of older ones only commits, issues and peers had one (migration 11).
-- The id of a captured turn's memory is made of the turn's key and has no date; all other ids begin with theirs.
-- Which turn it was is not known any more: captured events are deleted after two weeks.

UPDATE memories SET origin_kind = CASE WHEN imported_at IS NULL THEN 'turn' ELSE 'transcript' END
WHERE origin_kind IS NULL AND id LIKE 'mem\_0000000000%' ESCAPE '\';
UPDATE memories SET origin_kind = 'agent' WHERE origin_kind IS NULL;

-- A program of an earlier version that still runs stores memories without an origin.
CREATE TRIGGER memories_without_origin AFTER INSERT ON memories WHEN NEW.origin_kind IS NULL
BEGIN
  UPDATE memories SET origin_kind = 'agent' WHERE seq = NEW.seq;
END;
