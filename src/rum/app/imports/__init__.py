"""Imports: git history, issues, transcripts, notes, other systems."""
