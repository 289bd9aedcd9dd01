"""Note files: Markdown with frontmatter."""
