"""Measures RUM against floors: minimal implementations of the same work, on one machine in one run."""
