"""Export and import of everything as JSON lines."""
