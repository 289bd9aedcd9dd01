"""Embed texts as vectors: the interface, the built-in model, and HTTP endpoints."""
