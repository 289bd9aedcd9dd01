-- What was tried in a file or with a command, for offers.
CREATE INDEX attempts_key ON attempts(project, key, at);
