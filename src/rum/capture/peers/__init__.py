"""Readers for the files of other memory systems; one module a format."""
