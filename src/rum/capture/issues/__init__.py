"""From exported issues to memories: what was asked for, what was said, and what came of it."""
