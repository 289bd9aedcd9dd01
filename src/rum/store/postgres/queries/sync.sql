-- name: sync_targets
SELECT target, state FROM sync_targets WHERE project = :project ORDER BY target;

-- name: set_sync_target
INSERT INTO sync_targets (project, target, state) VALUES (:project, ?, ?)
ON CONFLICT (project, target) DO UPDATE SET state = excluded.state;

-- name: sync_changes
SELECT kind, id, times FROM sync_changes WHERE project = :project AND target = ? ORDER BY kind, id;

-- name: delete_sync_change
DELETE FROM sync_changes WHERE project = :project AND target = ? AND kind = ? AND id = ? AND times = ?;
