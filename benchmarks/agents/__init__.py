"""Questions about histories that an agent answers twice: with git and grep, and with RUM."""
