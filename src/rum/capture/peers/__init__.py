"""Readers for the files of other systems."""
