"""Search for faults with random input, kills and damaged files; `make chaos` runs it."""
