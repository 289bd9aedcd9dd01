"""Captured events to memories."""
