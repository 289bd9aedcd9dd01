"""Text to vectors: the port, the model that is shipped, and any endpoint instead of it."""
