"""Chapters and wisdom: groups of memories, and groups of chapters."""
