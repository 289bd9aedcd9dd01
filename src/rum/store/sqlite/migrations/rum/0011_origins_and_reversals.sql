-- Where a memory came from, and by what its work was reverted: in columns of their own, no longer in its summary.
-- `reverted_by` is the id of the memory that undid it, or of the commit where no memory of that is known.

ALTER TABLE memories ADD COLUMN origin_kind TEXT;
ALTER TABLE memories ADD COLUMN origin_reference TEXT;
ALTER TABLE memories ADD COLUMN reverted_by TEXT;
ALTER TABLE memories ADD COLUMN reverted_commit TEXT;
ALTER TABLE memories ADD COLUMN reverted_in_part INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN reverted_reason TEXT;
CREATE INDEX memories_reverted ON memories(reverted_by) WHERE reverted_by IS NOT NULL;

-- What was imported tells by its author's client what it was.
UPDATE memories SET origin_kind = 'commit', origin_reference = git_commit
WHERE imported_at IS NOT NULL AND git_commit IS NOT NULL
  AND agent_id IN (SELECT id FROM agents WHERE client = 'git');
UPDATE memories SET origin_kind = 'issue', origin_reference = substr(session_id, length('github_issue_') + 1)
WHERE imported_at IS NOT NULL AND session_id LIKE 'github\_issue\_%' ESCAPE '\'
  AND agent_id IN (SELECT id FROM agents WHERE client = 'github');
UPDATE memories SET origin_kind = 'peer', origin_reference = 'mcp-memory'
WHERE imported_at IS NOT NULL AND agent_id IN (SELECT id FROM agents WHERE client = 'mcp-memory');
