"""Journals: what agents write down in a session, and how it is found again."""
