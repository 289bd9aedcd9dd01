"""The doors: each parses, calls and formats, nothing else."""
