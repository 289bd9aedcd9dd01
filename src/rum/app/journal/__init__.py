"""Journals: what agents record while they work."""
