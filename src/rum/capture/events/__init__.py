"""Captured events: their shape, cleaning, and the spool."""
