-- Distributes RUM's tables over the workers of a Citus cluster (12 or newer), by project.
--
-- Once, before anything is stored, as a superuser, on the coordinator, in RUM's database:
--
--     RUM_STORE=postgresql://rum@coordinator/rum rum serve --check     # makes the schema
--     psql -d rum -v ON_ERROR_STOP=1 -f deploy/citus.sql
--
-- All rows of a project are on one worker, so every statement goes to one worker: the tests prove that each names its
-- project (tests/store/postgres/test_shard_key.py). RUM must connect to the coordinator, which has the locks of writers.
-- Migrations that come with a later RUM and make a table are to be followed by `create_distributed_table` for it.

CREATE EXTENSION IF NOT EXISTS citus;

BEGIN;

-- Numbers of projects: Citus takes identity columns of type bigint only.
ALTER TABLE rum.projects ALTER COLUMN number DROP IDENTITY IF EXISTS;
CREATE SEQUENCE rum.projects_number AS integer OWNED BY rum.projects.number;
ALTER TABLE rum.projects ALTER COLUMN number SET DEFAULT nextval('rum.projects_number');

-- The second wall reads a setting of the session, which workers do not get. The first one stays: each statement names
-- its project. So keep this database for RUM alone.
DO $$
DECLARE
  one text;
BEGIN
  FOR one IN SELECT relname FROM pg_class WHERE relnamespace = 'rum'::regnamespace AND relrowsecurity LOOP
    EXECUTE format('DROP POLICY own_project ON rum.%I', one);
    EXECUTE format('ALTER TABLE rum.%I NO FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE rum.%I DISABLE ROW LEVEL SECURITY', one);
  END LOOP;
END
$$;

-- References are taken away and made again, as tables become distributed one after the other.
CREATE TEMP TABLE kept ON COMMIT DROP AS
  SELECT conrelid::regclass::text AS relation, conname, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'rum'::regnamespace;
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT * FROM kept LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.relation, one.conname);
  END LOOP;
END
$$;

-- The triggers of `rum sync` write a row of the same project, so it is on the same worker.
SET LOCAL citus.enable_unsafe_triggers = on;

SELECT create_reference_table('rum.projects');
SELECT create_distributed_table('rum.memories', 'project', shard_count => 64);
SELECT create_distributed_table('rum.agents', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_files', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_tags', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_links', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_versions', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.renames', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.anchors', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.attempts', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.tombstones', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_text', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_terms', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.archived', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.archived_terms', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.derived', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.vector_models', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.memory_vectors', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.archived_vectors', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.unembedded', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.facts', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.fact_versions', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.rules', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.rule_versions', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.chapters', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.chapter_memories', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.wisdom', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.wisdom_chapters', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.wisdom_memories', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.knowledge_text', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.knowledge_terms', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.trash', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.trash_tombstones', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.reviews', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.uses', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.failures', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.events', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.seen', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.turns', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.transcripts', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.offers', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.feedback', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.usefulness', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.sync_targets', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.sync_changes', 'project', colocate_with => 'rum.memories');
SELECT create_distributed_table('rum.text_anchors', 'project', colocate_with => 'rum.memories');

DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT * FROM kept LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.relation, one.conname, one.definition);
  END LOOP;
END
$$;

COMMIT;
