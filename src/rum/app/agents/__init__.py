"""Agents: registering, resuming, describing; their settings."""
