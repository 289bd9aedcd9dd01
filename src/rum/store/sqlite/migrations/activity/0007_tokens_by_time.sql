-- What the texts of offers cost, by day: one text may name several memories, and counts once.
CREATE INDEX offers_tokens ON offers(at, event, number, tokens);
