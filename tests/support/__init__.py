"""Shared by tests: builders, real servers and processes, and named fakes."""
