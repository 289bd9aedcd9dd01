"""From commits to memories: messages, kinds of work, and the history that connects commits."""
