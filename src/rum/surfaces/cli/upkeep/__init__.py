"""Commands for setup and maintenance."""
