"""Groups of memories that look like one story."""
