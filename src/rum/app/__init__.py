"""The use cases: what RUM does, whoever asks."""
