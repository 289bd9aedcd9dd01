"""Lines of real code whose reason is known, and how often `rum why` gives it."""
