"""From work to memory: secrets cut out, paths settled, files tied to their content."""
