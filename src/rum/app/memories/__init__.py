"""Memories: store, update, link, recall, trace, forget."""
