"""Measures RUM against floors: the least that the same work costs on the same machine, in the same run."""
