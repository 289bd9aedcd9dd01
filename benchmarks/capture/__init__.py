"""Stories of ordinary work, played as Claude Code reports it, and whether what RUM keeps of them is true."""
