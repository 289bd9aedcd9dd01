"""Review: what was captured or extracted waits until a person accepts it."""
