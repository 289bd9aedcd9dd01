"""Tables that are alike in every SQL database; each backend has its own text for the statements they name."""
