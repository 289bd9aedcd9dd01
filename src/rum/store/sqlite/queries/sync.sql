-- name: sync_targets
SELECT target, state FROM sync_targets ORDER BY target;

-- name: set_sync_target
INSERT INTO sync_targets (target, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state;

-- name: sync_changes
SELECT kind, id, times FROM sync_changes WHERE target = ? ORDER BY kind, id;

-- name: delete_sync_change
DELETE FROM sync_changes WHERE target = ? AND kind = ? AND id = ? AND times = ?;
