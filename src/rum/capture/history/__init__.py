"""From a repository's history to memories: what a commit says, did, and has to do with others."""
