"""Upkeep: doctor, tidy, archive, report, token usage."""
