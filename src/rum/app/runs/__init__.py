"""Runs: one agent, one task; and what is extracted from a finished run."""
