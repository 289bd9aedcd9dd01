-- The name of the database that has the project: where it was moved to or, while it arrives, where it comes from. Each
-- move has an id of its own, so that both ends of the same one are recognised.
ALTER TABLE projects ADD COLUMN moved_to text COLLATE "C", ADD COLUMN move_id text COLLATE "C";
