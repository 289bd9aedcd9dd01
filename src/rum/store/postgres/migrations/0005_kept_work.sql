-- The memory of the work in which an offer was followed, and whether that work stayed: NULL while that is not known.
ALTER TABLE offers ADD COLUMN work text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE offers ADD COLUMN kept smallint;
CREATE INDEX offers_work ON offers(project, work) WHERE work <> '';
