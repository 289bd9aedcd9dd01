-- What changed since each target of `rum sync` last took it. Triggers write it, so no writer can forget it;
-- without a target they write nothing.
CREATE TABLE sync_targets (
  target TEXT PRIMARY KEY,
  state TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `times` tells a change that came while the last ones were sent.
CREATE TABLE sync_changes (
  target TEXT NOT NULL REFERENCES sync_targets(target) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  times INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (target, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sync_memory_added AFTER INSERT ON memories BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'memory', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_memory_changed AFTER UPDATE ON memories BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'memory', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_memory_deleted AFTER DELETE ON memories BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'memory', OLD.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_fact_added AFTER INSERT ON facts BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'fact', NEW.key FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_fact_changed AFTER UPDATE ON facts BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'fact', NEW.key FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_fact_deleted AFTER DELETE ON facts BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'fact', OLD.key FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_rule_added AFTER INSERT ON rules BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'rule', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_rule_changed AFTER UPDATE ON rules BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'rule', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_rule_deleted AFTER DELETE ON rules BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'rule', OLD.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_chapter_added AFTER INSERT ON chapters BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'chapter', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_chapter_changed AFTER UPDATE ON chapters BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'chapter', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_chapter_deleted AFTER DELETE ON chapters BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'chapter', OLD.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_wisdom_added AFTER INSERT ON wisdom BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'wisdom', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_wisdom_changed AFTER UPDATE ON wisdom BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'wisdom', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_wisdom_deleted AFTER DELETE ON wisdom BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'wisdom', OLD.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_agent_added AFTER INSERT ON agents BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'agent', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_agent_changed AFTER UPDATE OF name ON agents BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'agent', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_link_added AFTER INSERT ON memory_links BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'links', NEW.source_id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER sync_revert_changed AFTER UPDATE OF reverted_by ON memories WHEN NEW.reverted_by IS NOT OLD.reverted_by BEGIN
  INSERT INTO sync_changes (target, kind, id) SELECT target, 'links', NEW.id FROM sync_targets WHERE true
  ON CONFLICT DO UPDATE SET times = times + 1;
END;
