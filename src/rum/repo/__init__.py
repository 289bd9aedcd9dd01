"""Facts about the code: which project this is, which commit, which file."""
