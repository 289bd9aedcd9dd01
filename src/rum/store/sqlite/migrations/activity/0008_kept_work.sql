-- The memory of the work in which an offer was followed, and whether that work stayed: NULL while that is not known.
ALTER TABLE offers ADD COLUMN work TEXT NOT NULL DEFAULT '';
ALTER TABLE offers ADD COLUMN kept INTEGER;
CREATE INDEX offers_work ON offers(work) WHERE work <> '';
