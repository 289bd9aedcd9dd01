"""Notes: Markdown files in the repository."""
