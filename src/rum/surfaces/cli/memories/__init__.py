"""Commands for memories, links and agents."""
