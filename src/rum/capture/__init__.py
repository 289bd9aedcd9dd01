"""From work to memory: hooks, transcripts, commits, issues and other systems' files."""
