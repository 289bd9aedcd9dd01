"""The project's memory on one page of Markdown."""
