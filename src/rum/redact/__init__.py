"""Secrets out of text and JSON."""
