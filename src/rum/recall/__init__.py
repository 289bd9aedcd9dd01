"""From a question to memories: the cascade, its signs and its confidence."""
